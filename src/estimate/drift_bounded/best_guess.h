// The best guess of the time of every node: smooth where clocks are, agreed with by all messages,
// and in the middle of what they leave.
//
// Definition (drift-bounded.md, "The guess"):
//   1. the ladder's guess (ladder.h), and of tracks that messages hardly bound what goes on from
//      others (wide_tracks.h);
//   2. taut strings near it (strings.h), made feasible (paths.h): calm where clocks are;
//   3. clocks levelled against each other, stretch by stretch of the time, and all of a clock's
//      times moved to the middle of all ways that lead to it (levelling.h). Made feasible, since
//      bounds may cut some of that off.
// Guarantee: within [L, U]; it contradicts no message, but for rounding by some units.
// Units: as graph.h. Errors: none. Cost: the ladder, levelling, and some passes over all that
// count. Memory: 24 bytes per node, the ladder's and the levelling's; 8 bytes per node afterwards.
// Tested by: best_guess_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "estimate/drift_bounded/ladder.h"

namespace syncline::drift_bounded {

struct BestGuess {
  std::vector<int64_t> at;         // by node; Paths::kNone: unknown, for whole tracks
  std::vector<int64_t> tolerance;  // by track: how far a correction may stray from it
  std::vector<double> limit_ppm;   // by clock: ε about its line that the ladder came down to
  std::vector<bool> is_line;       // by clock: whether that leaves nothing beside the noise

  bool IsKnown(const Graph& graph, size_t track) const {
    return graph.HasNodes(track) && at[graph.first(track)] != Paths::kNone;
  }
};

// `is_unsettled` by track (unsettled.h); none are: empty.
BestGuess FindBestGuess(const LadderInput& input, const std::vector<bool>& is_unsettled = {});

}  // namespace syncline::drift_bounded
