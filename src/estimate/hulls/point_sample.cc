#include "estimate/hulls/point_sample.h"

#include <algorithm>
#include <bit>

namespace syncline {
namespace {

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

}  // namespace syncline
