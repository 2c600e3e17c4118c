// All clocks from constant offsets over short intervals of time: the method of Hofmann and Hilgers,
// `closure`, and Rabenseifner's extension of it for clocks whose rates change, `piecewise`.
//
// Per interval the messages of every pair bound the offset between its clocks; over all chains of
// clocks the bounds are tightened (offset_closure.h), and the reference's row of midpoints is the
// offset of every clock there. `closure` fits a straight line per clock through its offsets at the
// middles of the intervals, by least squares; `piecewise` (piecewise.h) joins the offsets at their
// boundaries.
// Components, the coarse lines that intervals are cut with, bounds, and what is kept where there is
// no solution come from tree_error.h. Without a reference given, that of the first component is
// chosen as interval_corridors.h says; messages are then passed a second time, since coarse times
// are those of the reference.
// Departures: intervals are cut, and offsets taken, after tree-error's lines instead of on raw
// clocks that must start together; there are more intervals where one has no solution, from 8 up to
// 1024; and the test that one exists is made. A fitted line may leave the corridor of an interval,
// of which the original does not say anything: it is counted.
// Guarantee: none of its own. Bounds are those of tree-error with the same root, under its
// assumptions; they hold whatever correction is chosen, and where it claims none there is none. A
// clock that messages never bound on both sides keeps the tree's line.
// Units: as group.h. Errors: those of the pass over the messages. Cost: see interval_corridors.h.
// Tested by: closure_test.cc, piecewise_test.cc and group_methods_test.cc in src/estimate/groups/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "syncline/id.h"
#include "syncline/result.h"

#include "estimate/group.h"
#include "estimate/groups/interval_corridors.h"
#include "estimate/message_pass.h"

namespace syncline {

// What became of one component.
struct IntervalFinding {
  enum class State {
    kSolved,
    kSingle,    // one clock alone: nothing to do
    kFallback,  // its corrections are those of tree-error
  } state = State::kSingle;
  std::string reason;       // why it is kFallback; else empty
  size_t intervals = 0;     // of kSolved
  int64_t interval_ns = 0;  // of kSolved
  size_t refused = 0;       // smaller numbers of intervals that had no solution
  size_t places = 0;        // intervals or boundaries
  size_t supplied = 0;  // of them, places where messages were missing and others took their part
  size_t outside = 0;   // over all clocks, places whose corridor the correction leaves
  bool allows_readings = false;  // see Corridors
};

struct IntervalEstimate {
  GroupEstimate group;
  std::vector<IntervalFinding> components;  // as GroupEstimate::roots
};

// `reference`: root of its component; without it the root is chosen. Requires: as EstimateTree.
Result<IntervalEstimate> EstimateByIntervals(std::span<const ClockInput> clocks,
                                             std::span<const PairInput> pairs,
                                             const MessagePass& messages, IntervalMethod method,
                                             std::optional<ClockId> reference);

}  // namespace syncline
