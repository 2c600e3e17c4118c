// Reads OTF2 archives: their messages and collectives, for estimation, checks and later passes.
//
// The events of an archive are read once and kept (trace/kept_archive.h). Without libotf2
// every function fails with kUnsupported.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "syncline/event.h"
#include "syncline/message.h"
#include "syncline/result.h"

#include "base/progress.h"
#include "match/channel_messages.h"
#include "trace/load.h"

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

}  // namespace syncline
