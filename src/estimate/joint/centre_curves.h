// How the middle between the fastest messages there and back wanders, per pair of clocks.
//
// Time is cut into bins. The least slack of a bin's messages a → b is A, of those b → a is B, both
// against the guesses; were the ways equally long, b's guess would have to move by (B − A)/2
// against a's. A constant difference of the ways shifts a pair's whole curve; what bends it is one
// of the clocks. Cost: O(1) per message, memory pairs · bins. Tested by:
// src/estimate/joint/knot_search_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "estimate/joint/piecewise_problem.h"

namespace syncline {

struct CentreCurve {
  size_t a = 0;
  size_t b = 0;
  // By bin, in microseconds; weight 0 where a direction has no message. Weights are the reciprocal
  // of the variance: that of the curve from bin to bin, more where the slacks are large.
  std::vector<double> centres_us;
  std::vector<double> weights;
  std::vector<double> half_widths_us;  // (A + B)/2, where the weight is not 0
  double half_width_us = 0;            // their lower quartile

  // Less weight also where messages were faster than that: if a queue on one way was empty for
  // once, the centre moved by up to as much.
  void DoubtFasterBins();
};

class CentreCurves {
 public:
  explicit CentreCurves(const PiecewiseProblem& problem);

  // Several threads may add at the same time.
  void Add(const PlacedMessage& message);
  // Of pairs with messages both ways in enough bins that follow each other.
  std::vector<CentreCurve> Curves() const;

 private:
  struct Slacks {
    double a_to_b_us;
    double b_to_a_us;
  };

  int64_t GuessAt(size_t clock, int64_t x) const {
    const std::optional<Line>& line = straight_[clock];
    return line ? line->Nearest(x) : problem_.knotted[clock].GuessAt(x);
  }
  std::optional<CentreCurve> CurveOf(size_t pair) const;

  const PiecewiseProblem& problem_;
  std::vector<std::optional<Line>> straight_;  // guesses without knots between, by clock
  std::vector<Slacks> slacks_;                 // by pair, then bin
};

}  // namespace syncline
