// Half hulls of streams of points: the lower (or upper) chain of the convex hull, in bounded
// memory.
//
// Requires: coordinates differ by less than 2^62. Errors: none.
// Cost: memory O(chunk + h) for h hull points, whatever the number of points. Time per point: O(1)
// when x grows; a point that comes late costs O(log h) to be dropped, and O(log chunk) amortized
// when it survives. About 5 ns in order, 20 ns in random order.
// Method: a point right of all others extends the chain (Andrew's monotone chain). Any other is
// tested against the chain so far; those on its irrelevant side are dropped, survivors wait until a
// chunk of them is sorted and merged. Orientation by 128-bit products, so the chain is exact.
// Tested by: src/estimate/half_hull_test.cc, against a naive O(n³) definition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "estimate/point.h"

namespace syncline {

class HalfHull {
 public:
  enum class Side { kLower, kUpper };

  explicit HalfHull(Side side) : sign_(side == Side::kLower ? 1 : -1) {}

  void Add(int64_t x, int64_t y);
  // The vertices of the half hull of all points so far, x strictly increasing, no three on a line.
  std::vector<Point> Points() const;
  // The largest number of points ever held, hull and chunk together.
  size_t peak_points() const;

 private:
  bool IsCovered(Point p);
  void MergePending();

  int64_t sign_;                // upper hulls are kept upside down
  std::vector<Point> chain_;    // a lower chain
  std::vector<Point> pending_;  // below or left of the chain, unsorted
  size_t hint_ = 0;             // the edge where the last late point fell
  size_t peak_ = 0;
};

}  // namespace syncline
