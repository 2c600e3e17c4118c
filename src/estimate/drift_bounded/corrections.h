// From the times of nodes to corrections that are written: lines with few bends.
//
// Definition (drift-bounded.md, "The correction"): the taut string of each track through [g − τ,
// g + τ] ∩ [L, U], g the best guess and τ its tolerance. Then all messages that count are checked
// on integers; where one is violated, the gates of its ends shrink to g, which violates none but
// for rounding by a nanosecond, and the strings are drawn anew. Beyond a track's nodes it goes on
// at the mean rate of the clock's guesses; towards the next track of the clock as far as readings
// are certain to be of this one, and from there for half of what lies between both. Units: as
// graph.h; knots in ticks and nanoseconds. Errors: none. Cost: O(n) per round, a few rounds. Tested
// by: corrections_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "syncline/correction.h"

#include "estimate/drift_bounded/best_guess.h"
#include "estimate/drift_bounded/graph.h"
#include "estimate/drift_bounded/message_works.h"
#include "estimate/drift_bounded/paths.h"
#include "estimate/drift_bounded/tracks.h"
#include "estimate/group.h"

namespace syncline::drift_bounded {

struct CorrectionInput {
  std::span<const ClockInput> clocks;
  const TrackTable& tracks;
  std::span<const int64_t> origins_ns;  // by clock
  int64_t reference_origin_ns = 0;
  const Graph& graph;
  const BothPaths& paths;           // the limits of the strings
  const BestGuess& guess;           // of the graph's nodes
  std::span<const Extent> certain;  // by track (step_windows.h)
};

// By clock and epoch; none where no message was guessed at: a side is open, or there is none.
using EpochCorrections = std::vector<std::vector<std::optional<Correction>>>;
EpochCorrections DrawCorrections(const CorrectionInput& input);

// Of clocks that messages relate to the reference in one direction only: the line of least delay.
// A clock that only sends, or only receives, is bounded on one side, and so is one that only such
// clocks answer. Its line is the one that all messages with clocks of known corrections allow and
// that makes them least long (LeastDelayLine). Clocks are taken in rounds, from known ones on.
// `corrections` by clock, of epoch 0; none for those sought. Only what was sought and found has
// one. Units: nominal nanoseconds. Cost: O(n log n). Tested by: drift_bounded_test.cc.
std::vector<std::optional<Correction>> FindOneSidedLines(
    std::span<const ClockInput> clocks, std::span<const KeptDirection> directions,
    const TrackTable& tracks, std::span<const int64_t> origins_ns,
    std::vector<std::optional<Correction>> corrections, std::optional<double> max_drift_ppm);

}  // namespace syncline::drift_bounded
