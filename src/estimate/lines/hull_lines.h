// The line of a pair by its two half hulls alone: the widest, the bisector, that of least delay,
// and the one to fall back on.
//
// Tested by: src/estimate/lines/lines_test.cc, against searches over all slopes.
#pragma once

#include <cstdint>

#include "estimate/hulls/corridor.h"

namespace syncline {

// The line in the middle of the widest vertical corridor between the hulls. Requires a corridor in
// state kOpen found for them. The result is exactly admissible: the slope is that of a hull edge,
// the height the middle to 1 ns. Cost: O(h).
// Method: Sirdey and Maurice (Poirier 2010, 3.2): maximise gap(s), concave in s. Departure: where
// the gap still grows at a limiting slope of the prior, the messages do not determine the slope,
// and the middle of the admissible slopes is taken (its gap is at least half the widest); the same
// within a stretch of equally wide slopes.
Line WidestLine(const Hulls& hulls, SlopeRange admissible);
// One almost as wide: the widest slope rests on two messages; where one direction has few, even on
// two of those. So this is the slope nearest to 1 + `wish` of those whose gap is at least half of
// the widest.
Line WidestLine(const Hulls& hulls, SlopeRange admissible, long double wish);

// The line that halves the angle between the two extreme admissible lines. Requires a corridor in
// state kOpen found for these hulls. The result is exactly admissible: a line that rounding has
// moved across a hull is moved back onto it. Cost: O(log h). Accuracy: slope to 10^-15, height to
// 1 ns; slopes enter as angles from 45° and heights as differences from an integer origin.
// Method: Duda's bisector through the intersection of the cross tangents (Poirier 2010, 3.2); of
// lines that the prior clipped, the middle of the gap at the limiting slope stands for the tangent.
Line BisectorLine(const Hulls& hulls, SlopeRange admissible);

// The admissible line of least summed delay, for messages that go one way only: exactly one of the
// hulls is empty. `centroid_x`: the mean time at clock a of the messages behind the hull. Exactly
// admissible. Cost: O(log h).
// Method: the summed delay of n messages is n times the height between their centroid and the line,
// so the hull edge over the centroid is best; its slope is clipped to the prior. Where a vertex
// stands at the centroid, the slope nearest to 1 among the equally good ones.
Line LeastDelayLine(const Hulls& hulls, int64_t centroid_x, SlopeRange prior);

// For clocks that admit no line: the one that does least violence to the hulls, each of which has a
// point. Cost: O(c²·h) with c = min(h, 64): of larger hulls every (h/64)th vertex and both ends are
// tried as points to pass through, but every vertex counts. At most 0.05 s for 2000 vertices.
// Method: Ashton (Poirier 2010, 3.2): among the lines through one point of each hull, slopes within
// the prior, the one with the smallest sum of vertical distances to hull points on its wrong side.
// Where no such pair has an allowed slope: the lines of limiting slope through one hull point.
Line FallbackLine(const Hulls& hulls, SlopeRange prior);

}  // namespace syncline
