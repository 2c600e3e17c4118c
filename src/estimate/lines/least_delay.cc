#include "estimate/lines/least_delay.h"

#include <algorithm>

#include "base/check.h"

namespace syncline {
namespace {

// The slope nearest to 1 among those of lines that touch the hull at `x`: one on an edge, a range
// at a vertex.
Slope SlopeTouching(const std::vector<Point>& hull, int64_t x, bool is_upper) {
  const auto from = std::lower_bound(hull.begin(), hull.end(), x,
                                     [](const Point& p, int64_t v) { return p.x < v; });
  const auto after =
      std::upper_bound(from, hull.end(), x, [](int64_t v, const Point& p) { return v < p.x; });
  Slope s;  // 1
  if (from != hull.begin() && from != hull.end()) {
    const Slope left = SlopeOf(*std::prev(from), *from);
    s = is_upper ? std::max(s, left) : std::min(s, left);
  }
  if (after != hull.begin() && after != hull.end()) {
    const Slope right = SlopeOf(*std::prev(after), *after);
    s = is_upper ? std::min(s, right) : std::max(s, right);
  }
  return s;
}

}  // namespace

Line LeastDelayLine(const Hulls& hulls, int64_t centroid_x, SlopeRange prior) {
  SYNCLINE_CHECK(hulls.upper.empty() != hulls.lower.empty());
  const bool is_upper = hulls.lower.empty();
  const std::vector<Point>& hull = is_upper ? hulls.upper : hulls.lower;
  const Slope s = std::clamp(SlopeTouching(hull, centroid_x, is_upper), prior.min, prior.max);
  return {hull[is_upper ? SupportOfUpper(hull, s) : SupportOfLower(hull, s)], s};
}

}  // namespace syncline
