// Where clocks change their rates, as the curves between the fastest messages show it.
//
// Model: the curve of a pair (a, b) is f_b − f_a and a constant, with f_i continuous and piecewise
// linear and f of clock 0 zero. Knots are added one by one, each where it explains most (least
// squares); it slides to where it fits best, its clock's other knots with it, and all coefficients
// are fitted anew. A knot has to explain more than `price` variances of the curves from bin to bin
// and to bend a curve by more than kLeastShare of its half width; at the end the least useful go
// again. So jitter gets no knots, and clocks of constant rate get none.
// Units: positions in bins. Cost: O(knots · (pairs · bins + (clocks + knots)³)). Method: segmented
// regression (Muggeo 2003) with greedy selection.
// Tested by: src/estimate/joint/knot_search_test.cc.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "estimate/joint/centre_curves.h"

namespace syncline {

// In variances of a curve from bin to bin.
inline constexpr double kKnotPrice = 40;

// How a clock's times run away from their guess: by `slope` first, bending at each knot.
struct ClockShape {
  struct Knot {
    double at = 0;    // bins
    double bend = 0;  // change of slope
  };
  bool is_known = false;    // some curve is about this clock
  double slope = 0;         // µs per bin
  std::vector<Knot> knots;  // ascending, strictly inside the bins

  double SlopeAt(double at) const;
};

// By clock; that of clock 0 is flat.
std::vector<ClockShape> FindShapes(std::span<const CentreCurve> curves, size_t clocks, size_t bins,
                                   double price = kKnotPrice);

// Solves matrix · x = right, the matrix symmetric and semidefinite, row by row; what it leaves
// undetermined is 0.
std::vector<double> SolveSymmetric(std::vector<double> matrix, std::vector<double> right);

}  // namespace syncline
