// The messages that can bind clocks with knots: half hulls, where both clocks run straight.
//
// Within a cell (a pair, a direction, a segment of either clock, a bin of time) a message's slack
// is linear in its two times, so the least is at a vertex of the cell's hull. Vertices that only
// lines of rates beyond 1 ± 10^-2 would touch are left out. Memory: O(cells · h), whatever the
// number of messages. Tested by: src/estimate/joint/piecewise_programme_test.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "estimate/joint/piecewise_problem.h"

namespace syncline {

// What one vertex demands: constant + Σ weight · unknown ≥ 0 in nanoseconds.
struct PiecewiseRow {
  size_t pair = 0;
  size_t bin = 0;
  bool is_a_to_b = false;
  size_t earlier = 0;  // clock
  size_t later = 0;
  size_t earlier_segment = 0;
  size_t later_segment = 0;
  int64_t earlier_ns = 0;
  int64_t later_ns = 0;
  double constant_ns = 0;
  // Of the unknowns at the two knots of the segment; sums are −1 and 1.
  std::array<double, 2> earlier_weights = {};
  std::array<double, 2> later_weights = {};
};

class SegmentHulls {
 public:
  explicit SegmentHulls(const PiecewiseProblem& problem) : problem_(problem) {}

  void Add(const PlacedMessage& message);
  // In a fixed order.
  std::vector<PiecewiseRow> Rows() const;

 private:
  struct Cell {
    size_t pair = 0;
    bool is_a_to_b = false;
    size_t earlier_segment = 0;
    size_t later_segment = 0;
    size_t bin = 0;
    friend auto operator<=>(const Cell&, const Cell&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Cell& c) {
      return H::combine(std::move(h), c.pair, c.is_a_to_b, c.earlier_segment, c.later_segment,
                        c.bin);
    }
  };

  PiecewiseRow RowOf(const Cell& cell, Point message) const;

  const PiecewiseProblem& problem_;
  // Points of a cell: earlier_ns, later_ns; reduced to their hull whenever they become many.
  absl::flat_hash_map<Cell, std::vector<Point>> cells_;
};

}  // namespace syncline
