#include "estimate/hulls/pair_points.h"

#include <algorithm>
#include <bit>
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

uint64_t Hash(Point p, Point origin) {
  // Differences may wrap around: equal ones do so equally.
  const uint64_t x = static_cast<uint64_t>(p.x) - static_cast<uint64_t>(origin.x);
  const uint64_t y = static_cast<uint64_t>(p.y) - static_cast<uint64_t>(origin.y);
  const uint64_t mixed = (x ^ std::rotl(y, 32)) * 0x9E3779B97F4A7C15;
  return (mixed ^ (mixed >> 32)) * 0xD6E8FEB86659FD93;
}

// Writes the points with a hash below `limit` to `kept`, which has room for all and may be their
// own place; returns how many there are. No branch on the hash: it could not be predicted.
size_t Keep(std::span<const Point> points, Point origin, uint64_t limit, Point* kept) {
  size_t count = 0;
  for (const Point p : points) {
    kept[count] = p;
    count += Hash(p, origin) < limit ? 1 : 0;
  }
  return count;
}

}  // namespace

void PointSample::Add(std::span<const Point> points, Point origin) {
  while (!points.empty()) {
    if (count_ == buffer_.size()) MakeRoom(origin);
    const size_t some = std::min(points.size(), buffer_.size() - count_);
    count_ += Keep(points.first(some), origin, limit_, buffer_.data() + count_);
    points = points.subspan(some);
  }
}

void PointSample::MakeRoom(Point origin) {
  constexpr size_t kFirst = 16;
  if (count_ < kCapacity) {
    buffer_.resize(std::clamp(2 * buffer_.size(), kFirst, kCapacity));
    return;
  }
  while (count_ == kCapacity) {
    limit_ /= 2;
    count_ = Keep(this->points(), origin, limit_, buffer_.data());
  }
}

void PointSample::Put(Parcel& parcel) const { parcel.Put(limit_, points()); }

PointSample PointSample::Take(ParcelReader& parcel) {
  PointSample sample;
  parcel.Take(sample.limit_, sample.buffer_);
  sample.count_ = sample.buffer_.size();
  return sample;
}

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

void PairPoints::PutDirection(Direction direction, Parcel& parcel) const {
  Settle(direction);
  parcel.Put(direction.hull.Points(), direction.sample, direction.settled, direction.sum_x);
}

void PairPoints::TakeDirection(ParcelReader& parcel, HalfHull::Side side, Direction& direction) {
  direction.hull = HalfHull(side, parcel.TakeAll<Point>());
  parcel.Take(direction.sample, direction.settled, direction.sum_x);
}

void PairPoints::Put(Parcel& parcel) const {
  PutDirection(ab_, parcel);
  PutDirection(ba_, parcel);
  parcel.Put(has_origin_, origin_, low_, width_, out_of_range_);
}

PairPoints PairPoints::Take(ParcelReader& parcel) {
  PairPoints points;
  TakeDirection(parcel, HalfHull::Side::kLower, points.ab_);
  TakeDirection(parcel, HalfHull::Side::kUpper, points.ba_);
  parcel.Take(points.has_origin_, points.origin_, points.low_, points.width_, points.out_of_range_);
  return points;
}

size_t PairPoints::peak_points() const {
  return ab_.hull.peak_points() + ab_.waiting.capacity() + ba_.hull.peak_points() +
         ba_.waiting.capacity();
}

}  // namespace syncline
