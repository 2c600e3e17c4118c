// Writes loaded OTF2 archives with corrected times.
//
// Metadata is written from what loading kept; only events are read again. Without libotf2:
// kUnsupported.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "syncline/id.h"
#include "syncline/result.h"

#include "base/file.h"
#include "pipeline/write/shared_events.h"
#include "trace/load.h"

namespace syncline {

namespace otf2_write {
struct LocationFit;
}

// Corrected times of events in a row of one process of the archive, from number `first` on: each
// process's in program order, different processes in different threads.
class Otf2Retimer {
 public:
  virtual ~Otf2Retimer() = default;
  virtual void Retime(ProcessId in_file, uint64_t first, std::span<const LocalTime> local,
                      std::span<GlobalTime> corrected) = 0;
  // As Otf2TimeSource::Fitted().
  virtual otf2_write::LocationFit* Fitted(ProcessId /*in_file*/) { return nullptr; }
};

enum class Otf2Writing {
  kMetadata,  // clock offsets; where those cannot say it, events
  kEvents,
};
struct Otf2Written {
  std::string note;  // for a diagnostic: why events were written, or times were shifted
  bool fell_back = false;
  uint64_t shift_ns = 0;
  std::function<Result<std::vector<Replacement>>()> finish;
};
// Writes the whole archive, which is committed with what `finish` gives. `make_retimer` is called
// once per attempt of this process. `team`: who writes events elsewhere; may be null.
Result<Otf2Written> WriteOtf2(const LoadedInput& input, const std::string& anchor,
                              IfExists if_exists, Otf2Writing writing,
                              const std::function<Otf2Retimer&()>& make_retimer, TeamEvents* team);

}  // namespace syncline
