#include "write/otf2/line_polygon.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace syncline {
namespace {

constexpr long double kHalf = 0.5L - 0x1p-20L;

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

LinePolygon::LinePolygon(long double x, long double y)
    : corners_{{y / x, -kHalf},
               {(y + 2 * kHalf) / x, -kHalf},
               {y / x, kHalf},
               {(y - 2 * kHalf) / x, kHalf}} {}

bool LinePolygon::Narrow(long double x, long double y) {
  // After a few gaps, hardly one cuts anything off.
  if (SurelyPasses(static_cast<double>(x), static_cast<double>(y))) return true;
  std::vector<Line> kept = Clip(Clip(corners_, x, y + kHalf, 1), x, y - kHalf, -1);
  if (kept.empty()) return false;
  corners_ = std::move(kept);
  rough_.clear();
  for (const Line& corner : corners_) {
    rough_.push_back({static_cast<double>(corner.slope), static_cast<double>(corner.height)});
  }
  return true;
}

// Whether all corners pass the gap, with a margin for the rounding of doubles: numbers below 2^28
// are off by less than 2^-22.
bool LinePolygon::SurelyPasses(double x, double y) const {
  constexpr double kMargin = 0x1p-19;
  constexpr double kLargest = 0x1p28;
  const double reach = static_cast<double>(kHalf) - kMargin;
  bool passes = !rough_.empty() && y < kLargest && y > -kLargest;
  for (const Rough& corner : rough_) {
    const double above = corner.slope * x + corner.height - y;
    passes &= above < reach && above > -reach;
  }
  return passes;
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
