// From what each process saw of its clock to epochs that all processes of the clock number alike.
//
// A clock that goes back from H to L is seen by a process as [after, before] within [L, H]: its
// first reading after, and its highest one before. Set-backs of different processes are one if
// these intervals overlap, or lie closer together than the longer of the two is long; each process
// takes part in it once. The one that ends lowest happened first, because all processes are in the
// same epoch until then. A process that shows no drop is in the later epoch from its first reading
// on that is above all readings of the earlier one. For example, in milliseconds:
//     p:   10   20   30 | 22   40   50        sees [22, 30]
//     q:   12   18   28 | 25   41             sees [25, 28], so the same set-back
//     r:   11   19   26   |    33   47        sees none: 33 is the first above 30
// Whether 26 of r is of the first epoch or of the second, nobody can tell; such events are counted.
// So is 33, where the clock was set back by more than any process saw (UnseenSetBack).
// Cost: O(set-backs · processes) per clock, and, where a process shows fewer than its clock had,
// one pass over its events. Memory: 8 bytes per process and epoch.
// Tested by: clock_epochs_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "syncline/result.h"
#include "syncline/time.h"

#include "model/epochs.h"
#include "trace/load.h"
#include "trace/set_backs.h"

namespace syncline {

struct EpochPlan {
  static constexpr uint64_t kNotSeen = UINT64_MAX;

  std::vector<ClockSetBack> set_backs;
  // By process and set-back: the process's first event after it, where it saw a drop.
  std::vector<std::vector<uint64_t>> own;
  // Drops that could as well be another set-back of the clock.
  uint64_t ambiguous = 0;
};

// None where the clock would have more than kMostSetBacks.
std::optional<EpochPlan> PlanEpochs(std::span<const SeenSetBacks> processes);

// What a process saw that has several sources, each in its own order: the interfaces of a capture.
SeenSetBacks JoinSeen(std::span<const SeenSetBacks> sources);

// Where the epochs of one process begin, of which it did not see all.
class EpochPlacer {
 public:
  // `own` as in EpochPlan; both must outlive the placer.
  EpochPlacer(std::span<const ClockSetBack> set_backs, std::span<const uint64_t> own)
      : set_backs_(set_backs), own_(own), spans_(set_backs.size() + 1), unseen_(set_backs.size()) {}

  // In order.
  void Add(uint64_t event, LocalTime t);

  // As EpochTable::first_event; epochs that the process does not reach are left out.
  const std::vector<uint64_t>& first_event() const { return first_event_; }
  // Events that may be of the next epoch as well.
  uint64_t ambiguous() const { return ambiguous_; }
  // By epoch; none without events.
  const std::vector<std::optional<ReadingSpan>>& spans() const { return spans_; }
  // By set-back: of those that the process did not see itself.
  const std::vector<UnseenSetBack>& unseen() const { return unseen_; }

 private:
  std::span<const ClockSetBack> set_backs_;
  std::span<const uint64_t> own_;
  size_t next_own_ = 0;
  std::vector<uint64_t> first_event_;
  std::vector<std::optional<ReadingSpan>> spans_;
  std::vector<UnseenSetBack> unseen_;
  uint64_t ambiguous_ = 0;
};

// Makes all that `loaded` knows of epochs from loaded.set_backs. Counts "clock-epoch-ambiguous"
// (warning), and "clock-without-order" (warning) for clocks that go back too often to have epochs.
// Inputs that cannot be read again (pipes) are judged by the events of their messages alone, and so
// are those beside them that were loaded without their events. Without pipes it says kNeedEvents of
// such, and has assigned nothing: load once more, with events.
// Errors: those of the readers.
enum class EpochsAre { kAssigned, kNeedEvents };
Result<EpochsAre> AssignEpochs(LoadedTraces& loaded);

}  // namespace syncline
