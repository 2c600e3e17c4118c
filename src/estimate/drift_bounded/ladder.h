// A guess inside the bounds: the middle of tighter bounds, from limits that go down as long as that
// pays.
//
// Definition (drift-bounded.md, "The guess"): in coordinates aligned by each clock's line, for
// ε = D, D/2, …  m_ε is the mean of the guesses from the even and from the odd ones of the messages
// that count by D, in order of their sends, each half by the middle of its L_ε and U_ε; noise(ε) is
// half of their RMS difference, step(ε, ε') the RMS of m_ε' − m_ε, ε' = ε/2. A clock goes down
// while step ≤ κ·noise(ε) and ε' is feasible (Lepski 1990). Means are weighted by how narrow bounds
// are: where a queue or a silence leaves them wide, their middle says little of the clock. Method:
// a clock's line is the line of least squares through m_ε, so it is found anew on each rung, as far
// as the limits of the rung before contain those of the next: what was implied stays implied, so
// each rung's graph is made of the one before. The first step is one to D/16, from the bounds that
// are known, if all clocks would take it by noise as it grows with the root of ε; the rungs that it
// passes over are those on which most messages count. Where limits contradict the messages, the
// clocks on the contradiction stop. Where very many messages count, a rung looks at stretches of
// the time (stretches.h), of which there are more as fewer count. The guess is the middle of L and
// U of all messages by the limits that were reached; where these contradict, clocks go back up.
// Guarantee: the guess inverts no message and lies within [L, U], but for rounding by a unit.
// Departure: the definition takes m_ε of all messages on every rung. Units: as graph.h. Errors:
// none. Cost: that of bounds by the last limits, and of rungs with some 10^5 messages at most, 10^6
// where clocks are many. Memory: four graphs. Tested by: ladder_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "estimate/drift_bounded/graph.h"
#include "estimate/drift_bounded/guess.h"
#include "estimate/drift_bounded/paths.h"
#include "estimate/drift_bounded/tracks.h"

namespace syncline::drift_bounded {

struct LadderInput {
  const TrackTable& tracks;
  std::span<const KeptDirection> directions;
  // Slopes − 1 by clock from elsewhere, to begin with larger steps where guesses agree; NaN:
  // unknown.
  std::span<const double> slopes;
  // The first rung: of all messages, with its paths, which have no cycle.
  const Graph& graph;
  const BothPaths& paths;
  // How many messages a rung looks at, if more count; none: so many that they tell the same.
  std::optional<size_t> enough = {};
};

Guess ClimbDown(const LadderInput& input);

}  // namespace syncline::drift_bounded
