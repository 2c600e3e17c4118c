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
// by: src/estimate/groups/interval_corridors_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "syncline/id.h"
#include "syncline/result.h"
#include "syncline/time.h"

#include "estimate/group.h"
#include "estimate/groups/interval_bounds.h"
#include "estimate/groups/offset_closure.h"
#include "estimate/message_pass.h"

namespace syncline {

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

// One per component of `coarse`, whose corrections are the coarse ones; `most_intervals` each.
Result<std::vector<ComponentMessages>> GatherIntervals(std::span<const ClockInput> clocks,
                                                       std::span<const PairInput> pairs,
                                                       const GroupEstimate& coarse,
                                                       const MessagePass& messages,
                                                       size_t most_intervals);

enum class CorridorPlaces {
  kIntervals,
  kBoundaries,  // with the tighter corridor of both neighbours
};

// What has to be added to the coarse times: differences between clocks, per place.
struct Corridors {
  IntervalGrid grid;
  CorridorPlaces places = CorridorPlaces::kIntervals;
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
std::optional<Corridors> FindCorridors(const ComponentMessages& component, CorridorPlaces places,
                                       size_t first_intervals);

// The clock, as its place, from which the sum of half-widths to all others is the least: the choice
// of Hofmann and Hilgers. Unbounded ones outweigh any sum; ties go to the first.
size_t BestReference(const Corridors& corridors);

}  // namespace syncline
