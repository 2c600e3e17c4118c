// The shortest path through a row of gates: of all continuous lines between two bounds the one of
// fewest bends.
//
// Method: the funnel of two chains from the last bend, the convex one below the upper ends of gates
// and the concave one above the lower ends; the path bends where they cross (Lee and Preparata
// 1984; Davies and Kovac 2001). Exact: 128-bit products. Cost: O(n). Requires: x strictly
// increasing, low ≤ high, differences below 2^62. Tested by: taut_string_test.cc, against
// relaxation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "estimate/point.h"

namespace syncline::drift_bounded {

struct Gate {
  int64_t x = 0;
  int64_t low = 0;
  int64_t high = 0;
};

// From the middle of the first gate to the middle of the last: the ends and every bend, by x.
// Gates are taken one by one, of which it keeps what the path may still bend about.
class TautString {
 public:
  void Add(const Gate& gate) {
    if (last_) Pass(*last_);
    last_ = gate;
  }
  // Requires a gate.
  std::vector<Point> Finish();

 private:
  // The ends of gates on one side that a path from the apex to the last gate bends about.
  class Chain {
   public:
    // Upper ends: +1, the chain turns left; lower ends: −1, right.
    explicit Chain(int turn) : turn_(turn) {}

    void StartAt(Point apex) {
      points_.assign(1, apex);
      first_ = 0;
    }
    void Add(Point p);
    // Of the edge that leaves the apex.
    Point next() const { return points_[first_ + 1]; }
    bool HasEdge() const { return points_.size() - first_ >= 2; }
    bool IsStraight() const { return points_.size() - first_ == 2; }
    Point TakeNext() { return points_[++first_]; }

   private:
    int turn_;
    std::vector<Point> points_;
    size_t first_ = 0;  // the apex
  };

  void Pass(const Gate& gate);
  // The chain that a new end of a gate on the other side passes: the path bends at its points. The
  // other side begins anew at the bend and leads straight to the new end.
  void Follow(Chain& passed, Chain& other, Point end, int side);

  std::optional<Gate> last_;
  std::vector<Point> path_;  // to the apex
  Chain upper_{1}, lower_{-1};
};

}  // namespace syncline::drift_bounded
