// The straight lines that pass through a series of vertical gaps: a convex polygon in the plane of
// slope and height.
//
// Units: none; x and y are differences from the caller's origin. Exactness: long double; lines
// closer to a gap's edge than 2^-20 are left out, so that rounding cannot push one across. Cost:
// O(vertices) per gap, and there are few. Tested by: clock_offset_fitter_test.cc.
#pragma once

#include <cstdint>
#include <vector>

namespace syncline {

struct Line {
  long double slope = 0;
  long double height = 0;  // at x = 0
  long double At(long double x) const { return slope * x + height; }
};

class LinePolygon {
 public:
  LinePolygon() = default;  // no line at all
  // The lines that pass 0 between −½ and ½, and x between y − ½ and y + ½. Requires x > 0.
  LinePolygon(int64_t x, int64_t y);
  // Keeps the lines that pass x between y − ½ and y + ½. When there are none, it stays as it was
  // and the result is false.
  bool Narrow(int64_t x, int64_t y) {
    // After a few gaps, hardly one cuts anything off.
    return SurelyPasses(static_cast<double>(x), static_cast<double>(y)) || Cut(x, y);
  }
  // A line well inside.
  Line Middle() const;

 private:
  struct Rough {
    double slope = 0;
    double height = 0;
  };
  // A gap reaches so far up and down; less than a half, by more than rounding.
  static constexpr long double kHalf = 0.5L - 0x1p-20L;

  // Whether all corners pass the gap, with a margin for the rounding of doubles: numbers below 2^28
  // are off by less than 2^-22.
  bool SurelyPasses(double x, double y) const {
    constexpr double kMargin = 0x1p-19;
    constexpr double kLargest = 0x1p28;
    constexpr double kReach = static_cast<double>(kHalf) - kMargin;
    bool passes = !rough_.empty() && y < kLargest && y > -kLargest;
    for (const Rough& corner : rough_) {
      const double above = corner.slope * x + corner.height - y;
      passes &= above < kReach && above > -kReach;
    }
    return passes;
  }
  bool Cut(long double x, long double y);

  std::vector<Line> corners_;
  std::vector<Rough> rough_;  // the same in doubles; empty before anything was cut off
};

}  // namespace syncline
