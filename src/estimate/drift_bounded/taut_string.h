// The shortest path through a row of gates: of all continuous lines between two bounds the one of
// fewest bends.
//
// Method: the funnel of two chains from the last bend, the convex one below the upper ends of gates
// and the concave one above the lower ends; the path bends where they cross (Lee and Preparata
// 1984; Davies and Kovac 2001). Exact: 128-bit products. Cost: O(n). Requires: x strictly
// increasing, low ≤ high, differences below 2^62. Tested by: taut_string_test.cc, against
// relaxation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "estimate/point.h"

namespace syncline::drift_bounded {

struct Gate {
  int64_t x = 0;
  int64_t low = 0;
  int64_t high = 0;
};

// From the middle of the first gate to the middle of the last: the ends and every bend, by x.
// Requires a gate.
std::vector<Point> TautString(std::span<const Gate> gates);

}  // namespace syncline::drift_bounded
