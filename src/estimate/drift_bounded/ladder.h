// The best guess inside the bounds: the middle of tighter bounds, from limits that go down as long
// as that pays.
//
// Definition (drift-bounded.md, 3b): in coordinates aligned by each clock's line, for ε = D, D/2, …
// L_ε, U_ε as L and U, m_ε = (L_ε + U_ε)/2. noise(ε) is half of the RMS difference of the guesses
// from the even and from the odd messages, step(ε, ε') the RMS of m_ε' − m_ε, ε' = ε/2. A clock
// goes down while step ≤ κ·noise(ε) and ε' is feasible (Lepski 1990). Method: a clock's line is the
// line of least squares through m_ε, so it is found anew on each rung, as far as the limits of the
// rung before contain those of the next: what envelopes imply then stays implied. Where limits
// contradict the messages, the clocks on the contradiction stop. Guarantee: the guess inverts no
// message and lies within [L, U], but for rounding by a unit. Units: as graph.h. Errors: none.
// Cost: the first rung three times, the others about as much together. Tested by: ladder_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "estimate/drift_bounded/graph.h"
#include "estimate/drift_bounded/paths.h"

namespace syncline::drift_bounded {

// What bounds need of one direction's messages: all of them, and each half.
struct HalvedDirection {
  uint32_t from = 0;
  uint32_t to = 0;
  int64_t least_delay_ns = 0;
  std::vector<Constraint> all, even, odd;
};

struct LadderInput {
  std::span<const Track> tracks;
  std::span<const uint32_t> clock_of;  // by track
  size_t clocks = 0;
  std::span<const HalvedDirection> directions;
  // The first rung: of all messages, with its paths, which have no cycle.
  const Graph& graph;
  const Paths& earliest;
  const Paths& latest;
};

struct Guess {
  std::vector<int64_t> value;     // by node of the graph; Paths::kNone where a side is open
  std::vector<double> limit_ppm;  // by clock: ε of the last rung
  std::vector<bool> is_line;      // by clock: whether it came all the way down, or had no way to go
};

Guess ClimbDown(const LadderInput& input);

}  // namespace syncline::drift_bounded
