// The least apparent delay of every direction between clocks, per interval of time.
//
// Times are nanoseconds on one coarse time line that all clocks have been brought to. It is cut
// into equal intervals; a message counts in each interval that it touches.
// Units: nanoseconds. Errors: none; a time outside of the intervals counts for the outermost, and
// differences saturate. Cost: 8 bytes per direction and interval; Add O(1) for a message within an
// interval. Tested by: src/estimate/groups/interval_bounds_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "estimate/groups/offset_closure.h"

namespace syncline {

// [first, first + intervals · length), length ≥ 1.
struct IntervalGrid {
  int64_t first_ns = 0;
  int64_t length_ns = 1;
  size_t intervals = 1;

  // The grid of a power of two of intervals that covers [first, last]: at most `most`, and none
  // shorter than a microsecond.
  static IntervalGrid Over(int64_t first_ns, int64_t last_ns, size_t most);
  size_t IntervalOf(int64_t t) const;
  // Where interval j begins; saturates. IntervalGrid::intervals gives the end of the last.
  int64_t Boundary(size_t j) const;
  // The same time in `intervals` parts. Requires a divisor of the present number.
  IntervalGrid InParts(size_t parts) const;
};

class IntervalBounds {
 public:
  static constexpr int64_t kNone = OffsetClosure::kOpen;

  IntervalBounds(IntervalGrid grid, size_t directions)
      : grid_(grid), least_(grid.intervals * directions, kNone), directions_(directions) {}

  // A message that seems to take `delay_ns`, from its sending at `sent_ns` to `received_ns`.
  void Add(size_t direction, int64_t sent_ns, int64_t received_ns, int64_t delay_ns);
  // kNone where there was no message.
  int64_t Least(size_t interval, size_t direction) const {
    return least_[interval * directions_ + direction];
  }
  // The same over fewer, longer intervals. Requires a divisor of the present number.
  IntervalBounds InParts(size_t parts) const;
  // Per boundary, from the first interval's beginning to the last one's end: the lesser of both
  // neighbours. The grid stays that of the intervals.
  IntervalBounds AtBoundaries() const;
  const IntervalGrid& grid() const { return grid_; }
  size_t directions() const { return directions_; }
  // Intervals, or boundaries.
  size_t places() const { return directions_ == 0 ? 0 : least_.size() / directions_; }

 private:
  void Lower(size_t place, size_t direction, int64_t delay_ns);

  IntervalGrid grid_;
  std::vector<int64_t> least_;
  size_t directions_;
};

}  // namespace syncline
