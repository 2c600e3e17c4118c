// What is guaranteed about two clocks whose rates may change, but never differ by more than a
// limit.
//
// A message from a to b, sent at x and received at y, bounds the conversion f at x: f(x) ≤ y. With
// slopes within [min, max] it bounds it everywhere: f(x + h) ≤ y + max · h and f(x − h) ≤ y − min ·
// h. The least of all messages is U; L likewise. Here U is kept at the edges of bins of time, which
// makes it wider by up to (max − min) times a bin's length.
// Units: nominal nanoseconds. Exact: integers, rounded outward. Memory: 32 bytes per pair and bin.
// Cost: O(1) per message with four divisions of 128 bits. Errors: none; bounds that contradict each
// other say so. Tested by: src/estimate/joint/rate_bounds_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/int128.h"
#include "estimate/hulls/bound_curve.h"
#include "estimate/hulls/slope_walk.h"

namespace syncline {

// Of one pair: from a's nominal time to b's.
class RateBounds {
 public:
  // Bins of equal length over a's times [first, last]. Requires last − first ≥ bins ≥ 1, slopes >
  // 0.
  RateBounds(int64_t first, int64_t last, size_t bins, SlopeRange slopes);

  void AddAToB(int64_t send_a_ns, int64_t receive_b_ns);
  void AddBToA(int64_t send_b_ns, int64_t receive_a_ns);

  // The bounds that all messages leave; nothing on a side without messages. None where they
  // contradict each other: then the rates differ by more than the limit at some time.
  std::optional<Bounds> Find() const;

 private:
  using Times = Int128 (*)(Int128 run, Slope slope);

  int64_t EdgeAt(size_t edge) const;
  std::vector<Point> WithCorners(std::span<const int64_t> at, Slope from_left, Slope to_right,
                                 Times times) const;
  // The edges around x; x may lie outside all bins.
  size_t LeftEdge(int64_t x) const;

  int64_t first_;
  int64_t last_;
  size_t bins_;
  SlopeRange slopes_;
  // By edge: the bound there of messages left and right of it, in the bins that touch it.
  std::vector<int64_t> upper_;
  std::vector<int64_t> lower_;
};

}  // namespace syncline
