#include "estimate/hulls/bound_curve.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace syncline {

BoundCurve::BoundCurve(Slope left, std::vector<Point> vertices, Slope right)
    : left_(left), vertices_(std::move(vertices)), right_(right) {
  SYNCLINE_CHECK(!vertices_.empty() && left_.num > 0 && right_.num > 0);
}

Line BoundCurve::LineAt(int64_t x) const {
  const auto right = std::ranges::upper_bound(vertices_, x, {}, &Point::x);
  if (right == vertices_.begin()) return {*right, left_};
  const Point from = *std::prev(right);
  return {from, right == vertices_.end() ? right_ : SlopeOf(from, *right)};
}

int64_t BoundCurve::Preimage(int64_t y) const {
  const auto above = std::ranges::upper_bound(vertices_, y, {}, &Point::y);
  const Point from = above == vertices_.begin() ? *above : *std::prev(above);
  const Slope slope = above == vertices_.begin() ? left_
                      : above == vertices_.end() ? right_
                                                 : SlopeOf(from, *above);
  return Line{from, slope}.Inverted().Floor(y);
}

BoundCurve BoundCurve::Inverted() const {
  std::vector<Point> swapped;
  swapped.reserve(vertices_.size());
  for (const Point p : vertices_) swapped.push_back({p.y, p.x});
  return {{left_.den, left_.num}, std::move(swapped), {right_.den, right_.num}};
}

Bounds Bounds::Inverted() const {
  Bounds inverse;
  if (lower) inverse.upper = lower->Inverted();
  if (upper) inverse.lower = upper->Inverted();
  return inverse;
}

}  // namespace syncline
