#include "estimate/hulls/slope_walk.h"

#include <algorithm>

namespace syncline {
namespace {

// The first vertex of a hull whose edge to the right does not satisfy `is_before`.
template <typename Predicate>
size_t FirstVertex(const std::vector<Point>& hull, Predicate is_before) {
  size_t low = 0;
  size_t high = hull.size() - 1;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (is_before(SlopeOf(hull[middle], hull[middle + 1]))) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

size_t SupportOfUpper(const std::vector<Point>& upper, Slope s) {
  return FirstVertex(upper, [s](Slope edge) { return edge < s; });
}

size_t SupportOfLower(const std::vector<Point>& lower, Slope s) {
  return FirstVertex(lower, [s](Slope edge) { return edge > s; });
}

SlopeWalk::SlopeWalk(const Hulls& hulls, SlopeRange range)
    : hulls_(hulls), range_(range), from_(range.min) {
  u_ = SupportOfUpper(hulls.upper, range.min);
  l_ = SupportOfLower(hulls.lower, range.min);
  SkipEdgesUpTo(range.min);
}

void SlopeWalk::SkipEdgesUpTo(Slope s) {
  const std::vector<Point>& upper = hulls_.upper;
  const std::vector<Point>& lower = hulls_.lower;
  while (u_ + 1 < upper.size() && SlopeOf(upper[u_], upper[u_ + 1]) <= s) ++u_;
  while (l_ > 0 && SlopeOf(lower[l_ - 1], lower[l_]) <= s) --l_;
}

std::optional<SlopeStretch> SlopeWalk::Next() {
  if (done_) return std::nullopt;
  Slope to = range_.max;
  if (u_ + 1 < hulls_.upper.size()) {
    to = std::min(to, SlopeOf(hulls_.upper[u_], hulls_.upper[u_ + 1]));
  }
  if (l_ > 0) to = std::min(to, SlopeOf(hulls_.lower[l_ - 1], hulls_.lower[l_]));
  const SlopeStretch stretch{from_, to, u_, l_};
  from_ = to;
  done_ = to == range_.max;
  SkipEdgesUpTo(to);
  return stretch;
}

}  // namespace syncline
