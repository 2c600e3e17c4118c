// A bounded sample of points, for estimates that need more than a hull and less than all.
//
// The sample is the points with the smallest hashes: all of them up to kCapacity, then at least
// half as many, the same whatever order they come in, and without regard to any period in the
// traffic. What is hashed is the distance from an origin that moves with the clocks, so that
// clocks that show other years get the same sample. Cost: a hash per point. Tested by:
// src/estimate/lines/trimmed_slope_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "estimate/point.h"

namespace syncline {

class PointSample {
 public:
  static constexpr size_t kCapacity = 1024;

  // `origin`: the same each time.
  void Add(std::span<const Point> points, Point origin);
  std::span<const Point> points() const { return std::span(buffer_).first(count_); }

 private:
  void MakeRoom(Point origin);

  uint64_t limit_ = UINT64_MAX;
  size_t count_ = 0;
  std::vector<Point> buffer_;
};

}  // namespace syncline
