// The straight lines that pass through a series of vertical gaps: a convex polygon in the plane of
// slope and height.
//
// Units: none; x and y are differences from the caller's origin. Exactness: long double; lines
// closer to a gap's edge than 2^-20 are left out, so that rounding cannot push one across. Cost:
// O(vertices) per gap, and there are few. Tested by: clock_offset_fitter_test.cc.
#pragma once

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
  LinePolygon(long double x, long double y);
  // Keeps the lines that pass x between y − ½ and y + ½. When there are none, it stays as it was
  // and the result is false.
  bool Narrow(long double x, long double y);
  // A line well inside.
  Line Middle() const;

 private:
  struct Rough {
    double slope = 0;
    double height = 0;
  };
  bool SurelyPasses(double x, double y) const;

  std::vector<Line> corners_;
  std::vector<Rough> rough_;  // the same in doubles; empty before anything was cut off
};

}  // namespace syncline
