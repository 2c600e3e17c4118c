// The line in the middle of the widest vertical corridor between two half hulls.
//
// Requires: a corridor in state kOpen found for these hulls. The result is exactly admissible.
// Cost: O(h). Exact: the slope is that of a hull edge; the height is the middle to 1 ns.
// Method: Sirdey and Maurice (Poirier 2010, 3.2): maximise gap(s), concave in s. Departures:
// - Where the gap still grows at a limiting slope of the prior, the messages do not determine the
//   slope, and the middle of the admissible slopes is taken (its gap is at least half the widest);
//   the same within a stretch of equally wide slopes.
// - The widest slope is that of one hull edge, which rests on two messages; where one direction has
//   few, even on two of those. With a `wish`, the slope is the one nearest to it of those whose gap
//   is at least half of the widest. Poirier's literal line is the one without a wish.
// Tested by: src/estimate/lines/lines_test.cc, against a search over all slopes.
#pragma once

#include "estimate/hulls/corridor.h"

namespace syncline {

// The widest line.
Line WidestLine(const Hulls& hulls, SlopeRange admissible);
// One almost as wide, of a slope near 1 + `wish`.
Line WidestLine(const Hulls& hulls, SlopeRange admissible, long double wish);

}  // namespace syncline
