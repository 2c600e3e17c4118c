// Reads OTF2 archives: their messages and collectives, for estimation, checks and later passes.
//
// Every archive is read twice: surveyed, then numbered and matched, all locations side by side in
// order of their recorded times, so that few messages are under way at once.
// Without libotf2 every function fails with kUnsupported.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "syncline/event.h"
#include "syncline/message.h"
#include "syncline/result.h"

#include "base/file.h"
#include "base/progress.h"
#include "cli/load.h"

namespace syncline {

// Defines clocks and processes and fills in what `loaded` holds of the input. Messages go to
// `sink`; those that collectives stand for go to `collective_sink`.
Result<void> LoadOtf2(LoadedInput& input, LoadedTraces& loaded, MessageSink& sink,
                      MessageSink& collective_sink, const std::string& clock_per,
                      Progress& progress);

// One location's events again, with what matching made of them: messages and instances that have
// all their ends are numbered, others are marks.
class Otf2EventSource {
 public:
  virtual ~Otf2EventSource() = default;
  // Event::process and ::peer are numbers in the trace set; Event::group is the number of a group
  // therein. nullptr at the end or at an error.
  virtual const Event* Next() = 0;
  // Of collectives: whether the process moves data, so that others wait for it or it for them.
  virtual bool takes_part() const = 0;
  virtual const std::vector<std::string>& names() const = 0;
  virtual Result<void> status() const = 0;
};
// `number` is the process's number within the input.
Result<std::unique_ptr<Otf2EventSource>> OpenOtf2Source(const LoadedInput& input, size_t number);

// What writing an archive asks for: the process by its number within the input, the event's number
// therein, and its local time.
using Otf2RetimeEvent = std::function<GlobalTime(ProcessId in_file, uint64_t index, LocalTime)>;

enum class Otf2Writing {
  kMetadata,  // clock offsets; where those cannot say it, events
  kEvents,
};
struct Otf2Written {
  std::string note;  // for a diagnostic: why events were written, or times were shifted
  bool fell_back = false;
  uint64_t shift_ns = 0;
};
// Writes the whole archive to `anchor`. `make_retime` is called once per attempt.
Result<Otf2Written> WriteOtf2(const LoadedInput& input, const std::string& anchor,
                              IfExists if_exists, Otf2Writing writing,
                              const std::function<Otf2RetimeEvent()>& make_retime);

}  // namespace syncline
