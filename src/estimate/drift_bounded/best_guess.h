// The best guess of the time of every node: smooth where clocks are, agreed with by all messages,
// and in the middle of what they leave.
//
// Definition (drift-bounded.md, "The guess"):
//   1. the ladder's guess (ladder.h) by limits about each clock's line;
//   2. unless all clocks are lines: the taut strings of the clocks' courses near it (strings.h),
//      made feasible (paths.h), and the ladder's guess by limits about these instead of lines, from
//      those that it reached. Limits about one line must allow for all that a clock does, most of
//      it at other times;
//   3. taut strings near that guess, made feasible;
//   4. all of a clock's times moved by as much as brings the least slack of each direction between
//      two clocks to the analytic centre (joint/analytic_centre.h): where ways there and back
//      differ, and several lead to a clock, the middle of its bounds rests on the quickest messages
//      of one of them. Made feasible, since bounds may cut some of that off.
// Guarantee: within [L, U]; it contradicts no message, but for rounding by some units.
// Units: as graph.h. Errors: none. Cost: two ladders, the second one of the messages that limits
// about the courses leave, and some passes over all that count. Memory: 24 bytes per node, the
// ladders', and of the second one some 80 bytes per message that is left; 8 bytes per node
// afterwards. Tested by: best_guess_test.cc.
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
