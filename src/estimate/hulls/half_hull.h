// Half hulls of streams of points: the lower (or upper) chain of the convex hull, in bounded
// memory.
//
// Requires: coordinates differ by less than 2^62. Errors: none.
// Cost: memory O(batch + h) for h hull points, whatever the number of points. Time per point: O(1)
// in nearly increasing x and mostly in random order, O(log h) where many edges crowd in one place.
// Points should come in batches of a hundred or more.
// Method: of points right of the chain, the lowest of every few extend it as in Andrew's monotone
// chain. Then all points are tested against the edge above or below them, and nearly all lie on the
// chain's irrelevant side and are dropped. The few that do not are collected, tested again, sorted
// and merged. Only which points go first is a guess; the orientation tests are exact (128-bit
// products), so the chain is exact.
// Tested by: src/estimate/hulls/half_hull_test.cc, against a naive O(n³) definition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "estimate/point.h"

namespace syncline {

class HalfHull {
 public:
  enum class Side { kLower, kUpper };

  explicit HalfHull(Side side) : sign_(side == Side::kLower ? 1 : -1) {}
  // That has had the points of which another one, of the same side, gave these vertices.
  HalfHull(Side side, std::vector<Point> vertices);

  void Add(std::span<const Point> points);
  // The vertices of the half hull of all points so far, x strictly increasing, no three on a line.
  std::vector<Point> Points() const;
  // The largest number of points ever held.
  size_t peak_points() const { return peak_; }

 private:
  static constexpr size_t kBatch = 256;

  void AddBatch(std::span<const Point> points);
  void AddRightOfChain(std::span<const Point> points);
  void MergeSurvivors();
  bool IsCovered(Point p);
  size_t EdgeAt(int64_t x);
  void IndexEdges();
  void OnChainChanged();

  int64_t sign_;                  // upper hulls are kept upside down
  std::vector<Point> chain_;      // a lower chain
  std::vector<Point> survivors_;  // below or beside the chain, unsorted
  std::vector<Point> right_;      // the part of a batch that is right of the chain
  size_t peak_ = 0;

  // Where edges are found: the edge of the point before, for points in order; after some misses an
  // index of equal stretches of the chain's width, each with the edge at its left end.
  size_t hint_ = 0;
  size_t misses_ = 0;
  bool is_indexed_ = false;
  int stretch_bits_ = 0;  // a stretch is 2^stretch_bits_ ns wide
  std::vector<uint32_t> edge_of_stretch_;
};

}  // namespace syncline
