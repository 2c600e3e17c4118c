// The slope of the fast messages of a pair: quantile regression.
//
// A hull edge rests on two messages, however many there are; this slope rests on those near the
// levels that 5 % and 25 % of the messages are faster than, and how slow a slow one is does not
// count. It chooses a line and has no part in bounds.
// Units: drift = slope − 1. Errors: none where there are fewer than kLeastPoints points, or all at
// one instant. Cost: O(n) per step, some ten steps. Coordinates enter as differences from the first
// point. Method: quantile regression (Koenker and Bassett 1978) with one slope for several levels
// (Zou and Yuan 2008) and both directions: where delays rise from a sharp floor the low level tells
// most, where they do not the higher one. The loss is smoothed over a window about each level
// (Fernandes, Guerre and Horta 2021), so that Newton's method ends; windows narrow to the scatter
// of the messages below their level. Tested by: src/estimate/lines/quantile_slope_test.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "estimate/point.h"

namespace syncline {

inline constexpr size_t kLeastPoints = 8;

struct QuantileDrift {
  long double drift = 0;
  double error = 0;  // two standard deviations, of independent delays
};

// `above`: messages of the clock x to the clock y, slow ones have a larger y; `below`: those back.
// A direction with fewer than kLeastPoints points does not count. Coordinates of the points of one
// direction differ by less than 2^62.
std::optional<QuantileDrift> FindQuantileDrift(std::span<const Point> above,
                                               std::span<const Point> below);

}  // namespace syncline
