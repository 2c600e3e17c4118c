// The line of least squares through all messages of both directions: `regression`.
//
// Units: nominal nanoseconds. Errors: none. Cost: one pass, O(1) per message and pair; sums are
// exact integers (least_squares.h). Guarantee: none. The line passes through the middle of the two
// clouds as their numbers weigh them: with n upper and m lower points it is off by about
// (n · mean delay there − m · mean delay back) / (n + m).
// Method: Duda, Harrus, Haddad and Bernard 1987 (Poirier 2010, 2.10 to 2.18). Departures: slopes
// are limited to the prior, within which the line is then best; α and its intervals are stated at
// the first message's time, since those at time 0 of an epoch say nothing.
// Tested by: src/estimate/lines/regression_test.cc.
#pragma once

#include <optional>

#include "estimate/lines/least_squares.h"
#include "estimate/lines/line_fit.h"

namespace syncline {

inline constexpr double kConfidence = 0.95;  // unless another is asked for

class RegressionFit : public LineFit {
 public:
  // Requires 0 < confidence < 1.
  explicit RegressionFit(const FitFrame& frame, double confidence = kConfidence)
      : frame_(frame), confidence_(confidence), sums_(frame.origin) {}

  void AddUpper(Point p) override { sums_.Add(p.x - frame_.origin.x, frame_.Difference(p)); }
  void AddLower(Point p) override { AddUpper(p); }
  // Figures where there are three messages or more, at two instants or more.
  std::optional<FittedLine> Fit(SlopeRange allowed) const override;

 private:
  std::optional<RegressionFigures> FiguresOf(Slope s) const;

  FitFrame frame_;
  double confidence_;
  LeastSquares sums_;
};

}  // namespace syncline
