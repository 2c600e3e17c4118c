// Half hulls of streams of points: the lower (or upper) chain of the convex hull, in bounded
// memory.
//
// Requires: coordinates differ by less than 2^62. Errors: none.
// Cost: memory O(chunk + h) for h hull points, whatever the number of points. Time per point: O(1)
// for points in nearly increasing x, O(log h) in random order.
// Method: points wait in a small batch. The lowest of it (on lines of slope 1) extends the chain as
// in Andrew's monotone chain; then all points that are not right of it are tested against the
// chain, and nearly all lie on its irrelevant side and are dropped. The few that do not are
// collected, sorted and merged. Only which points go first is a guess; the orientation tests are
// exact (128-bit products), so the chain is exact.
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

  void Add(int64_t x, int64_t y) {
    batch_.push_back({x, sign_ * y});
    if (batch_.size() >= full_batch_) ReduceBatch();
  }
  // The vertices of the half hull of all points so far, x strictly increasing, no three on a line.
  std::vector<Point> Points() const;
  // The largest number of points ever held, hull and chunk together.
  size_t peak_points() const;

 private:
  static constexpr size_t kBatch = 256;

  void ReduceBatch();
  bool IsCovered(Point p);
  void MergeSurvivors();

  int64_t sign_;                  // upper hulls are kept upside down
  std::vector<Point> chain_;      // a lower chain
  std::vector<Point> batch_;      // not tested yet
  size_t full_batch_ = kBatch;    // points carried over, and a batch of new ones
  std::vector<Point> survivors_;  // below or left of the chain, unsorted
  size_t hint_ = 0;               // the edge where the last tested point fell
  size_t peak_ = 0;
};

}  // namespace syncline
