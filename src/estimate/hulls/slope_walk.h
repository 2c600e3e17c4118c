// Walks the slopes of all lines that can pass between two half hulls, smallest first, and names for
// each stretch of slopes the two vertices that bind.
//
// Symbols as in the method's description: H(AB) = `upper`, the convex lower half hull of the upper
// points; H(BA) = `lower`, the concave upper half hull of the lower points. A line of slope s has
// room between its support u on H(AB) and its support l on H(BA):
//     gap(s) = (y_u − y_l) − s · (x_u − x_l),   concave in s.
// As s grows u moves right and l moves left, so all supports are seen in O(h).
// Requires: both hulls non-empty, x strictly increasing; range.min ≤ range.max. Exact.
// Tested by: src/estimate/hulls/corridor_test.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "estimate/point.h"

namespace syncline {

struct Hulls {
  std::vector<Point> upper;  // H(AB), minimum delay already subtracted
  std::vector<Point> lower;  // H(BA), minimum delay already added
};

struct SlopeRange {
  Slope min;
  Slope max;
};

// For all slopes in [from, to], upper[u] and lower[l] support.
struct SlopeStretch {
  Slope from;
  Slope to;
  size_t u = 0;
  size_t l = 0;
};

class SlopeWalk {
 public:
  // Ownership: `hulls` must outlive the walk.
  SlopeWalk(const Hulls& hulls, SlopeRange range);
  // The next stretch; the first begins at range.min, the last ends at range.max.
  std::optional<SlopeStretch> Next();

 private:
  void SkipEdgesUpTo(Slope s);

  const Hulls& hulls_;
  SlopeRange range_;
  Slope from_;
  size_t u_ = 0;
  size_t l_ = 0;
  bool done_ = false;
};

// The supports of one slope: where H(AB) is lowest above, H(BA) highest below lines of slope s.
// Requires a non-empty hull. Cost O(log h).
size_t SupportOfUpper(const std::vector<Point>& upper, Slope s);
size_t SupportOfLower(const std::vector<Point>& lower, Slope s);

}  // namespace syncline
