#include "estimate/hulls/pair_points.h"

#include <limits>

#include "base/check.h"

namespace syncline {
namespace {

constexpr int64_t kReach = (int64_t{1} << 61) - 1;
// Room at the ends of int64 for minimum delays, and for negation in upper hulls. A saturated time
// never becomes the origin.
constexpr int64_t kEnd = std::numeric_limits<int64_t>::max() - (int64_t{1} << 51);

bool IsFarFromEnds(Point p) { return p.x >= -kEnd && p.x <= kEnd && p.y >= -kEnd && p.y <= kEnd; }

int64_t Low(int64_t v) { return v < kReach - kEnd ? -kEnd : v - kReach; }
int64_t High(int64_t v) { return v > kEnd - kReach ? kEnd : v + kReach; }

uint64_t Width(int64_t v) { return static_cast<uint64_t>(High(v) - Low(v)) + 1; }

}  // namespace

bool PairPoints::BecomesOrigin(Point p) {
  if (has_origin_ || !IsFarFromEnds(p)) return false;
  has_origin_ = true;
  origin_ = p;
  low_ = {static_cast<uint64_t>(Low(p.x)), static_cast<uint64_t>(Low(p.y))};
  width_ = {Width(p.x), Width(p.y)};
  return true;
}

Int128 PairPoints::SumOfX(const std::vector<Point>& points) const {
  Int128 sum = 0;
  for (const Point& p : points) sum += p.x - origin_.x;
  return sum;
}

void PairPoints::Settle(Direction& direction) const {
  direction.hull.Add(direction.waiting);
  direction.sample.Add(direction.waiting, origin_);
  direction.sum_x += SumOfX(direction.waiting);
  direction.settled += direction.waiting.size();
  direction.waiting.clear();
}

std::vector<Point> PairPoints::HullOf(const Direction& direction) const {
  HalfHull hull = direction.hull;
  hull.Add(direction.waiting);
  return hull.Points();
}

PointSample PairPoints::SampleOf(const Direction& direction) const {
  PointSample sample = direction.sample;
  sample.Add(direction.waiting, origin_);
  return sample;
}

int64_t PairPoints::Centroid(const Direction& direction) const {
  const uint64_t count = direction.settled + direction.waiting.size();
  SYNCLINE_CHECK(count > 0);
  const Int128 sum = direction.sum_x + SumOfX(direction.waiting);
  return origin_.x + static_cast<int64_t>(FloorDiv(sum, static_cast<Int128>(count)));
}

size_t PairPoints::peak_points() const {
  return ab_.hull.peak_points() + ab_.waiting.capacity() + ba_.hull.peak_points() +
         ba_.waiting.capacity();
}

}  // namespace syncline
