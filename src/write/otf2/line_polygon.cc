#include "write/otf2/line_polygon.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace syncline {
namespace {

// The part of a convex polygon where sign · (line(x) − limit) ≤ 0.
std::vector<Line> Clip(const std::vector<Line>& corners, long double x, long double limit,
                       long double sign) {
  std::vector<Line> kept;
  kept.reserve(corners.size() + 1);
  for (size_t i = 0; i < corners.size(); ++i) {
    const Line& from = corners[i];
    const Line& to = corners[i + 1 == corners.size() ? 0 : i + 1];
    const long double above_from = sign * (from.At(x) - limit);
    const long double above_to = sign * (to.At(x) - limit);
    if (above_from <= 0) kept.push_back(from);
    if ((above_from < 0 && above_to > 0) || (above_from > 0 && above_to < 0)) {
      const long double share = above_from / (above_from - above_to);
      kept.push_back({from.slope + share * (to.slope - from.slope),
                      from.height + share * (to.height - from.height)});
    }
  }
  return kept;
}

}  // namespace

LinePolygon::LinePolygon(int64_t x, int64_t y) {
  const auto run = static_cast<long double>(x);
  const auto rise = static_cast<long double>(y);
  corners_ = {{rise / run, -kHalf},
              {(rise + 2 * kHalf) / run, -kHalf},
              {rise / run, kHalf},
              {(rise - 2 * kHalf) / run, kHalf}};
}

bool LinePolygon::Cut(long double x, long double y) {
  std::vector<Line> kept = Clip(Clip(corners_, x, y + kHalf, 1), x, y - kHalf, -1);
  if (kept.empty()) return false;
  corners_ = std::move(kept);
  rough_.clear();
  for (const Line& corner : corners_) {
    rough_.push_back({static_cast<double>(corner.slope), static_cast<double>(corner.height)});
  }
  return true;
}

Line LinePolygon::Middle() const {
  Line sum;
  for (const Line& corner : corners_) {
    sum.slope += corner.slope;
    sum.height += corner.height;
  }
  const auto count = static_cast<long double>(corners_.size());
  return {sum.slope / count, sum.height / count};
}

}  // namespace syncline
