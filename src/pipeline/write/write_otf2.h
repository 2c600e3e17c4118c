// Writes loaded OTF2 archives with corrected times.
//
// Metadata is written from what loading kept; only events are read again. Without libotf2:
// kUnsupported.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "syncline/result.h"

#include "base/file.h"
#include "pipeline/write/shared_events.h"
#include "trace/load.h"

namespace syncline {

class ArchiveRetimer;

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
                              const std::function<ArchiveRetimer&()>& make_retimer,
                              TeamEvents* team);

}  // namespace syncline
