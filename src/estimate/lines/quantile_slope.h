// The slope of the fast messages of a pair, refined by quantile regression.
//
// The trimmed slope (trimmed_slope.h) rests on a quarter of the messages of each direction by
// itself; this one on all that are not slow, and on both directions at once. Where delays have no
// sharp floor it is several times as precise. It chooses a line and has no part in bounds.
// Units: drift = slope − 1. Errors: none where neither direction has kLeastPoints points, or all
// are at one instant. Cost: O(n) per step, some ten steps. Coordinates enter as differences from
// the first point. Method: quantile regression (Koenker and Bassett 1978) with one slope for
// several levels (Zou and Yuan 2008) and both directions: where delays rise from a sharp floor the
// low level tells most, where they do not the higher one. The loss is smoothed over a window about
// each level (Fernandes, Guerre and Horta 2021), so that Newton's method ends. Departure: messages
// far slower than the levels, by the slope so far, are left out; those of a loaded network, at one
// end of the trace, would tilt the slope. Tested by: src/estimate/lines/quantile_slope_test.cc.
#pragma once

#include <optional>
#include <span>

#include "estimate/point.h"

namespace syncline {

struct QuantileDrift {
  long double drift = 0;
  double error = 0;  // two standard deviations, of independent delays
};

// `above`: messages of the clock x to the clock y, slow ones have a larger y; `below`: those back.
// `start`: about the drift, by the fastest messages. A direction with fewer than kLeastPoints
// points does not count. Coordinates of the points of one direction differ by less than 2^62.
std::optional<QuantileDrift> RefineDrift(std::span<const Point> above, std::span<const Point> below,
                                         long double start);

}  // namespace syncline
