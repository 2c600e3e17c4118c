// How a logical clock changes the intervals between successive events of a process, over time.
//
// Units: nanoseconds; changes are relative, as in interval_change.h. An interval belongs to where
// it ends, by its time before the clock. Cost: O(1) per event; memory 512 bins, whatever the trace.
// Tested by: change_over_time_test.cc.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "syncline/id.h"

#include "base/time_bins.h"
#include "measure/interval_change.h"

namespace syncline {

struct ChangeBin {
  uint64_t intervals = 0;
  uint64_t changed = 0;
  int64_t largest_advance_ns = 0;      // after − before of an event
  double largest_change = 0;           // of an interval that was not 0
  std::optional<IntervalPlace> where;  // of the largest change; the first process, then event
  void AddInterval(const IntervalPlace& interval);
  void Merge(const ChangeBin& other);
};

class ChangeOverTime {
 public:
  // The events of each process in program order; `index` is its number within the process.
  void Add(ProcessId process, uint64_t index, int64_t before_ns, int64_t after_ns);

  const TimeBins<ChangeBin>& bins() const { return bins_; }
  // Of all events, before the clock; nothing where there is none.
  std::optional<int64_t> first_ns() const;
  std::optional<int64_t> last_ns() const;

 private:
  struct Last {
    bool has_events = false;
    int64_t before_ns = 0;
    int64_t after_ns = 0;
  };

  std::vector<Last> processes_;
  TimeBins<ChangeBin> bins_;
  int64_t first_ns_ = std::numeric_limits<int64_t>::max();
  int64_t last_ns_ = std::numeric_limits<int64_t>::min();
};

}  // namespace syncline
