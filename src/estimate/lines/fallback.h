// A line for clocks that admit none: the one that does least violence to the two half hulls.
//
// Requires: at least one point in each hull. Errors: none.
// Cost: O(c²·h) with c = min(h, 64): of larger hulls every (h/64)th vertex and both ends are tried
// as points to pass through, but every vertex counts in the sum. At most 0.05 s for 2000 vertices.
// Method: Ashton (Poirier 2010, 3.2): among the lines through one point of each hull, slopes within
// the prior, the one with the smallest sum of vertical distances to hull points on its wrong side.
// Where no such pair has an allowed slope: the lines of limiting slope through one hull point.
// Sums are in long double and only choose; violations are then counted exactly.
// Tested by: src/estimate/lines/lines_test.cc.
#pragma once

#include <cstddef>

#include "estimate/hulls/corridor.h"

namespace syncline {

struct FallbackLine {
  Line line;
  size_t violated = 0;            // hull points on the wrong side
  double worst_violation_ns = 0;  // the largest vertical distance among them
};

FallbackLine FindFallbackLine(const Hulls& hulls, SlopeRange prior);

}  // namespace syncline
