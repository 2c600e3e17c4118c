// Messages of which each process of an MPI run holds some: what the first process has of them.
//
// Those between two clocks are all in one process, in the order in which one process alone would
// have them. Implemented by distributed/.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "syncline/message.h"
#include "syncline/result.h"

#include "base/parcel.h"

namespace syncline {

// What processes can be asked to make of the messages that they hold, and kLines: to find
// straight lines and some of the bounds of clocks (estimate/joint/shared_lines.h); and kReplay: to
// run the logical clock over the events that they hold, all at once; and kFit: to find the clock
// offsets of these to be written (pipeline/write/shared_fit.h), kEvents: to write the events
// themselves, all at once (pipeline/write/shared_events.h); and kConcurrency: to measure that of
// these events, all at once (pipeline/concurrency/shared_meter.h). It comes first in a task.
enum class TeamTask : uint8_t {
  kCollect,
  kChoose,
  kCount,
  kAcrossEpochs,
  kQuality,
  kLines,
  kReplay,
  kFit,
  kEvents,
  kConcurrency
};

class TeamMessages {
 public:
  virtual ~TeamMessages() = default;

  virtual uint64_t messages() const = 0;
  // By ClockId: what the first message with another clock shows, in nominal nanoseconds.
  virtual std::vector<std::optional<int64_t>> FirstReadingsNs() const = 0;
  // All, in the order in which one process alone would have them. They travel: what can be asked
  // for is better asked for.
  virtual Result<void> ForEach(const std::function<void(const Message&)>& visit) const = 0;
  // What each process makes of those that it holds; the first one does something else `before`.
  virtual Result<std::vector<ParcelReader>> Ask(const Parcel& task,
                                                const std::function<void()>& before) const = 0;
  Result<std::vector<ParcelReader>> Ask(const Parcel& task) const { return Ask(task, {}); }
};

}  // namespace syncline
