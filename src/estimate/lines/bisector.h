// The line that halves the angle between the two extreme admissible lines.
//
// Requires: a corridor in state kOpen found for these hulls. The result is exactly admissible: a
// line that rounding has moved across a hull is moved back onto it.
// Cost: O(log h). Accuracy: slope to 10^-15, height to 1 ns; no cancellation, since slopes enter as
// angles from 45° and heights as differences from an integer origin.
// Method: Duda's bisector through the intersection of the cross tangents (Poirier 2010, 3.2); of
// lines that the prior clipped, the middle of the gap at the limiting slope stands for the tangent.
// Tested by: src/estimate/lines/lines_test.cc.
#pragma once

#include "estimate/hulls/corridor.h"

namespace syncline {

Line BisectorLine(const Hulls& hulls, SlopeRange admissible);

}  // namespace syncline
