// Reads OTF2 archives: their messages and collectives, for estimation, checks and later passes.
//
// The events of an archive are read once and kept (cli/load/kept_archive.h); only --write events
// reads them again. Without libotf2 every function fails with kUnsupported.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "syncline/event.h"
#include "syncline/message.h"
#include "syncline/result.h"

#include "base/file.h"
#include "base/progress.h"
#include "cli/load/load.h"
#include "match/channel_messages.h"

namespace syncline {

// Defines clocks and processes and fills in what `loaded` holds of the input. Messages go to
// `sink`; those that collectives stand for go to `collective_sink`.
Result<void> LoadOtf2(LoadedInput& input, LoadedTraces& loaded, SeriesSink& sink,
                      MessageSink& collective_sink, const std::string& clock_per,
                      Progress& progress);

// One location's events again, with what matching made of them: messages and instances that have
// all their ends are numbered, others are marks.
class Otf2EventSource {
 public:
  virtual ~Otf2EventSource() = default;
  // Event::process and ::peer are numbers in the trace set; Event::group is the number of a group
  // therein. nullptr at the end.
  virtual const Event* Next() = 0;
  // Of the latest event, within its process.
  virtual uint64_t index() const = 0;
  // The times of all events at once. Next() leaves out marks from now on.
  virtual std::vector<LocalTime> TakeTimes() = 0;
  // Of collectives: whether the process moves data, so that others wait for it or it for them.
  virtual bool takes_part() const = 0;
  virtual const std::vector<std::string>& names() const = 0;
};
// `number` is the process's number within the input.
std::unique_ptr<Otf2EventSource> OpenOtf2Source(const LoadedInput& input, size_t number);

// Corrected times of events in a row of one process of the archive, from number `first` on: each
// process's in program order, different processes in different threads.
class Otf2Retimer {
 public:
  virtual ~Otf2Retimer() = default;
  virtual void Retime(ProcessId in_file, uint64_t first, std::span<const LocalTime> local,
                      std::span<GlobalTime> corrected) = 0;
};

enum class Otf2Writing {
  kMetadata,  // clock offsets; where those cannot say it, events
  kEvents,
};
struct Otf2Written {
  std::string note;  // for a diagnostic: why events were written, or times were shifted
  bool fell_back = false;
  uint64_t shift_ns = 0;
  std::function<Result<void>()> commit;
};
// Writes the whole archive, which stands at `anchor` from commit() on. `make_retimer` is called
// once per attempt.
Result<Otf2Written> WriteOtf2(const LoadedInput& input, const std::string& anchor,
                              IfExists if_exists, Otf2Writing writing,
                              const std::function<Otf2Retimer&()>& make_retimer);

}  // namespace syncline
