// From guesses at nodes to corrections that are written: lines with few bends.
//
// Definition (drift-bounded.md, "The correction"): the taut string through [m − τ, m + τ] ∩ [L, U],
// τ a share of half of the width that the guess is the middle of, in coordinates aligned by the
// line of the track's guesses. Departure: where that width is more than the track's lower quartile,
// τ takes all that is beyond, since in a queue one bound is off and the other as tight as ever.
// Then all messages that count are checked on integers; where one is violated, the gates of its
// ends shrink to m, which violates none but for rounding by a nanosecond, and the strings are drawn
// anew. Beyond a track's nodes the line goes on. Units: as graph.h; knots in ticks and nanoseconds.
// Errors: none. Cost: O(n) per round, a few rounds. Tested by: corrections_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "syncline/correction.h"

#include "estimate/drift_bounded/graph.h"
#include "estimate/drift_bounded/ladder.h"
#include "estimate/drift_bounded/paths.h"
#include "estimate/drift_bounded/tracks.h"
#include "estimate/group.h"

namespace syncline::drift_bounded {

// τ, of the half-width.
inline constexpr double kShare = 0.1;

struct CorrectionInput {
  std::span<const ClockInput> clocks;
  const TrackTable& tracks;
  std::span<const int64_t> origins_ns;            // by clock
  std::span<const int64_t> reference_origins_ns;  // by clock: of the reference of its component
  const Graph& graph;                             // whose nodes have guesses
  std::span<const int64_t> guess, width;          // by node (ladder.h)
  // By node; the limits of the strings.
  std::span<const int64_t> earliest, latest;
};

// By clock and epoch; none where no message was guessed at: a side is open, or there is none.
using EpochCorrections = std::vector<std::vector<std::optional<Correction>>>;
EpochCorrections DrawCorrections(const CorrectionInput& input);

}  // namespace syncline::drift_bounded
