// Guesses of tracks that messages hardly bound: the clock went on there as far as they allow.
//
// Where a clock was set before or after it had but a few messages, one side of such a track's
// bounds is often its order with the clock's next messages alone, and the middle off by half of the
// silence. Of steps that explain the same the smallest one is the best guess.
// Definition: of the unsettled tracks (unsettled.h) one is wide if its narrowest bounds are more
// than 32 times those of another one of its clock. Its guesses are those of the nearest track
// that is not, gone on with at that one's mean rate, as far as its bounds and the guesses at the
// other ends of its messages allow. Units: as graph.h. Cost: O(n) for n messages where there are
// any. Tested by: wide_tracks_test.cc.
#pragma once

#include <vector>

#include "estimate/drift_bounded/graph.h"
#include "estimate/drift_bounded/guess.h"
#include "estimate/drift_bounded/paths.h"
#include "estimate/drift_bounded/tracks.h"

namespace syncline::drift_bounded {

void GoOnInWideTracks(const TrackTable& tracks, const std::vector<bool>& is_unsettled,
                      const Graph& graph, const BothPaths& paths, Guess& guess);

}  // namespace syncline::drift_bounded
