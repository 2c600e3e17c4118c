// A bounded sample of points, for estimates that need more than a hull and less than all.
//
// The sample is the points with the smallest hashes: all of them up to kCapacity, then at least
// half as many, the same whatever order they come in, and without regard to any period in the
// traffic. Cost: a hash per point. Tested by: src/estimate/trimmed_slope_test.cc.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "estimate/point.h"

namespace syncline {

class PointSample {
 public:
  static constexpr size_t kCapacity = 1024;

  void Add(Point p) {
    if (count_ == buffer_.size()) MakeRoom();
    // No branch on the hash: it could not be predicted.
    buffer_[count_] = p;
    count_ += Hash(p) < limit_ ? 1 : 0;
  }
  std::span<const Point> points() const { return std::span(buffer_).first(count_); }

 private:
  static uint64_t Hash(Point p) {
    const uint64_t mixed =
        (static_cast<uint64_t>(p.x) ^ std::rotl(static_cast<uint64_t>(p.y), 32)) *
        0x9E3779B97F4A7C15;
    return (mixed ^ (mixed >> 32)) * 0xD6E8FEB86659FD93;
  }
  void MakeRoom();

  uint64_t limit_ = UINT64_MAX;
  size_t count_ = 0;
  std::vector<Point> buffer_;
};

}  // namespace syncline
