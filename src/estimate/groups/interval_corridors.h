// The messages of one component of clocks per interval of time, and the corridors that they leave.
//
// A coarse correction per clock, a straight line, brings all times close to one time line first;
// what follows sees only by how much those are wrong, so neither seconds of offset nor a rate of
// 100 ppm count. The corridors are closed over all chains of clocks, per interval or per boundary
// between two. Where the messages of one contradict each other, the time is cut into twice as many
// intervals.
// Units: nanoseconds of the coarse time line. Errors: only those of the pass over the messages.
// Cost: one pass; 8 bytes per direction and interval, and per two clocks and interval, of which
// there are as many as take 128 MB each: up to 1024 for a thousand directions of 100 clocks, 16 for
// a million. Closing takes O(n³) per interval, and no more intervals than 10^10 steps allow. Tested
// by: src/estimate/groups/interval_bounds_test.cc, interval_corridors_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "syncline/result.h"

#include "estimate/group.h"
#include "estimate/groups/offset_closure.h"
#include "estimate/message_pass.h"

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

// The least apparent delay of every direction, per interval. A message counts in each interval that
// it touches; a time outside of the intervals counts for the outermost, and differences saturate.
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
  // Intervals, or boundaries.
  size_t places() const { return directions_ == 0 ? 0 : least_.size() / directions_; }

 private:
  void Lower(size_t place, size_t direction, int64_t delay_ns);

  IntervalGrid grid_;
  std::vector<int64_t> least_;
  size_t directions_;
};

// The clocks of one component and what their messages say. `from` and `to` are places in `clocks`.
struct ComponentMessages {
  struct Member {
    size_t clock = 0;
    int64_t first_ns = 0;  // of its trace, coarse
    int64_t last_ns = 0;
    int64_t reading_ns = 0;
  };
  struct Direction {
    size_t from = 0;
    size_t to = 0;
    int64_t min_delay_ns = 0;
  };

  std::vector<Member> clocks;  // the root first
  std::vector<Direction> directions;
  IntervalBounds bounds{{}, 0};  // per direction
};

// The ends of the clock's trace, at least a second apart.
std::pair<int64_t, int64_t> TraceEnds(const ComponentMessages::Member& member);

// What is to be added to the coarse times of a clock: linear between the nodes.
struct ClockShift {
  struct Node {
    int64_t at_ns = 0;
    int64_t shift_ns = 0;
  };
  std::vector<Node> nodes;  // two or more, increasing; none where nothing is known
  size_t outside = 0;       // places whose corridor it leaves
};

// One per component of `coarse`, whose corrections are the coarse ones; `most_intervals` each.
Result<std::vector<ComponentMessages>> GatherIntervals(std::span<const ClockInput> clocks,
                                                       std::span<const PairInput> pairs,
                                                       const GroupEstimate& coarse,
                                                       const MessagePass& messages,
                                                       size_t most_intervals);

// Where corridors are: of intervals, or of their boundaries, the tighter one of both neighbours'.
enum class IntervalMethod { kClosure, kPiecewise };

// What has to be added to the coarse times: differences between clocks, per place.
struct Corridors {
  IntervalGrid grid;
  IntervalMethod method = IntervalMethod::kClosure;
  IntervalBounds bounds{{}, 0};       // of the intervals, as the messages have it
  std::vector<OffsetClosure> closed;  // by place
  size_t refused = 0;                 // numbers of intervals that had no solution
  bool allows_readings = false;       // clocks count ticks, and no solution does without that

  // The time that place j stands for.
  int64_t TimeOf(size_t j) const;
};

// From `first_intervals`, a power of two, on; where some numbers have no solution, with twice as
// many as the first that has one. None where even the finest intervals have no solution. Requires
// two clocks or more.
std::optional<Corridors> FindCorridors(const ComponentMessages& component, IntervalMethod method,
                                       size_t first_intervals);

// The clock, as its place, from which the sum of half-widths to all others is the least: the choice
// of Hofmann and Hilgers. Unbounded ones outweigh any sum; ties go to the first.
size_t BestReference(const Corridors& corridors);

}  // namespace syncline
