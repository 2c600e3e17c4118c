// Moves guesses of clocks against each other, by what the least slacks of messages say: to where
// both ways between clocks are alike.
//
// Definitions (drift-bounded.md, "The guess"): the slack of a message is what a guess leaves above
// its least delay. A *stretch* is one of many parts of the time, of equal length: as many as leave
// each way between two clocks 16 messages in each, on average, 1000 at most; but 64, if there are
// as many messages of each way.
//   Level: the *excess* of a way in a stretch is its least slack there less its least one anywhere.
//     Where a guess is off for some time, the ways there have too much of it and the ways back too
//     little. Moves x of clocks, stretch by stretch, minimise
//       Σ (x_b − x_a − wished)² / (max(q_a, q_b)² + e²) + Σ x² / f²
//     over pairs of clocks and over clocks: wished is what makes a pair's excess the same both
//     ways, e its excess of both, which is noise of its messages, q the lower quartile of what e a
//     clock's pairs have, and f a clock's freedom: 2q of the beginning, or four times what its
//     limit leaves over all of the time, if that is less. As e depends on the moves, four times.
//     In between moves are linear, also across stretches in which no pair says anything of a clock.
//   Centre: all times of a clock move by as much, so that the least slacks come to the analytic
//     centre (joint/analytic_centre.h): ways there and back differ, and where several lead to a
//     clock, the middle of its bounds rests on the quickest messages of one of them.
// Guarantee: within [L, U]. Messages can be contradicted afterwards (MakeFeasible). Units: as
// graph.h; of slacks microseconds. Errors: none. Cost: a pass over all messages each, and four fits
// (joint/potentials.h) of each stretch. Memory: some 32 bytes per pair or clock and stretch, which
// is 16 bytes per message at most. Tested by: levelling_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "estimate/drift_bounded/graph.h"
#include "estimate/drift_bounded/paths.h"
#include "estimate/drift_bounded/tracks.h"

namespace syncline::drift_bounded {

struct LevelInput {
  const TrackTable& tracks;
  const Graph& graph;
  const BothPaths& paths;
  const std::vector<bool>& is_unsettled;  // by track: they say nothing (unsettled.h); empty: none
  std::span<const double> limit_ppm;      // by clock: ε about its line, as the ladder left it
};

// `at` by node; Paths::kNone: unknown, for whole tracks.
void Level(const LevelInput& input, std::vector<int64_t>& at);
void Centre(const LevelInput& input, std::vector<int64_t>& at);

}  // namespace syncline::drift_bounded
