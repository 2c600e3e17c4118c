// Whether messages agree with limits of rates, and the proof where they do not.
//
// Units: nominal nanoseconds. Cost: that of bounds (paths.h); for pairs, of those of each pair.
// Tested by: drift_bounded_test.cc,
// ladder_test.cc.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "estimate/drift_bounded/component.h"

namespace syncline::drift_bounded {

// A positive cycle of the graph: no behaviour of clocks within the limits has these readings.
struct Contradiction {
  std::vector<ClockId> clocks;       // by node of the cycle
  std::vector<int64_t> readings_ns;  // of these
  std::vector<Constraint> messages;  // along it
  bool IsNone() const { return clocks.empty(); }
};

// `limits` by clock, within those that `messages` were collected with.
Contradiction FindContradiction(const Component& component, const TrackTable& tracks,
                                const std::vector<RateLimits>& limits, const Collection& messages);

// Pairs whose own messages contradict the limits; increasing.
std::vector<ClockPair> ContradictoryPairs(const Component& component, const TrackTable& tracks,
                                          const std::vector<RateLimits>& limits,
                                          const Collection& messages);

// The same of tracks of a graph, by its limits, both ways between two tracks alone: O(messages).
std::vector<std::pair<uint32_t, uint32_t>> ContradictoryTracks(const Graph& graph);

}  // namespace syncline::drift_bounded
