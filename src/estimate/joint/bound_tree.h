// Bounds of all clocks of a component to one of them, composed of pairs' bounds along the tree of
// the narrowest.
//
// Valid, not tight. Units: those of the bounds. Cost: O(p log p) for p pairs. Tested by:
// src/estimate/joint/joint_piecewise_test.cc, src/estimate/windows/joint_windows_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "estimate/hulls/bound_curve.h"
#include "estimate/time_bounds.h"

namespace syncline {

struct BoundedPair {
  size_t a = 0;
  size_t b = 0;
  Bounds bounds;  // from a's time to b's
  // The stretch of a's time over which their mean width counts; first < last.
  int64_t first = 0;
  int64_t last = 0;
};

// By clock: the steps to the root's time; none for the root and for clocks that no pairs lead to.
std::vector<std::vector<TimeBounds::Step>> StepsToRoot(size_t clocks, size_t root,
                                                       std::span<const BoundedPair> pairs);

}  // namespace syncline
