// Smooth times of nodes: the taut strings of tracks near a guess.
//
// Definition (drift-bounded.md, "The guess"): the taut string through [m − τ, m + τ] ∩ [L, U], m
// the guess, τ a share of half of the width that it is the middle of, but no more than its noise.
// Departure: where that width is more than what is usual, τ takes half of all that is beyond: in a
// queue, and between quick messages, one bound is off and the other one as tight as ever. From
// guess to guess at the ends: the middle of an end's gate can lie beside, which would bend what is
// straight. Units: as graph.h. Errors: none. Cost: O(n). Tested by: strings_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "estimate/drift_bounded/graph.h"
#include "estimate/drift_bounded/guess.h"
#include "estimate/drift_bounded/paths.h"
#include "estimate/drift_bounded/taut_string.h"
#include "estimate/drift_bounded/tracks.h"

namespace syncline::drift_bounded {

struct StringInput {
  const TrackTable& tracks;
  const Graph& graph;
  const BothPaths& paths;  // L and U
  const Guess& guess;
  double usual;  // which share of a track's widths are no more than the usual one
};

struct Strings {
  std::vector<int64_t> at;   // by node, within its bounds; Paths::kNone where there is no guess
  std::vector<int64_t> tau;  // by track, where the width is usual
};
Strings DrawStrings(const StringInput& input);

// For a string of what times are ahead of readings: at this one, so far from the guess at most, and
// within bounds as far as the guess is.
inline Gate GateAbout(int64_t reading, int64_t guess, int64_t slack, int64_t earliest,
                      int64_t latest) {
  return {reading, std::min(guess, std::max(guess - slack, earliest)) - reading,
          std::max(guess, std::min(guess + slack, latest)) - reading};
}

}  // namespace syncline::drift_bounded
