// A line for clocks whose messages go one way only: the admissible one of least summed delay.
//
// Requires: exactly one of the hulls is empty. The result is exactly admissible. Its bound is open
// on the side without messages: nothing tells how long the fastest message really took.
// Cost: O(log h).
// Method: the summed delay of n messages is n times the height between their centroid and the line,
// so the hull edge over the centroid is best; its slope is clipped to the prior. Where a vertex
// stands at the centroid, the slope nearest to 1 among the equally good ones.
// Tested by: src/estimate/lines/lines_test.cc, against a search over all slopes.
#pragma once

#include <cstdint>

#include "estimate/hulls/corridor.h"

namespace syncline {

// `centroid_x` is the mean time at clock a of the messages behind the hull.
Line LeastDelayLine(const Hulls& hulls, int64_t centroid_x, SlopeRange prior);

}  // namespace syncline
