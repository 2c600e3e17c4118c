// The frame of the methods that see clocks as constant over short intervals of time: closure.h and
// piecewise.h.
//
// Components, the coarse lines that intervals are cut with, bounds, and what is kept where there is
// no solution come from tree_error.h. Without a reference given, that of the first component is
// chosen as interval_corridors.h says; messages are then passed a second time, since coarse times
// are those of the reference.
// Guarantee: none of its own. Bounds are those of tree-error with the same root, under its
// assumptions; they hold whatever correction is chosen, and where it claims none there is none.
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

namespace syncline {

struct IntervalOptions {
  // Root of its component; without it the root is chosen.
  std::optional<ClockId> reference;
  // Powers of two. Doubled while there is no solution.
  size_t first_intervals = 8;
  size_t most_intervals = 1024;
};

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

// What is to be added to the coarse times of a clock: linear between the nodes.
struct ClockShift {
  struct Node {
    int64_t at_ns = 0;
    int64_t shift_ns = 0;
  };
  std::vector<Node> nodes;  // two or more, increasing; none where nothing is known
  size_t outside = 0;       // places whose corridor it leaves
};

class IntervalMethod {
 public:
  virtual ~IntervalMethod() = default;
  virtual CorridorPlaces Places() const = 0;
  // Supplies what no message says; returns the number of places where it had to.
  virtual size_t Complete(const ComponentMessages& component, Corridors& corridors) const = 0;
  // Of the clock at `place` in the component, against the root at place 0.
  virtual ClockShift ShiftOf(const ComponentMessages& component, const Corridors& corridors,
                             size_t place) const = 0;
};

// Requires: as EstimateTree.
Result<IntervalEstimate> EstimateByIntervals(std::span<const ClockInput> clocks,
                                             std::span<const PairInput> pairs,
                                             const MessagePass& messages,
                                             const IntervalOptions& options,
                                             const IntervalMethod& method);

// The ends of the clock's trace, coarse and at least a second apart.
struct TraceEnds {
  int64_t first_ns = 0;
  int64_t last_ns = 0;
};
TraceEnds EndsOf(const ComponentMessages::Member& member);

}  // namespace syncline
