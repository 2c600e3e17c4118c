// How far a line of least squares is to be trusted, by the statistics of its residuals.
//
// Units in names. Deviations are standard deviations; `student` and `chebyshev` are half-widths of
// two-sided confidence intervals. No guarantee: unlike bounds they take residuals for independent
// and, for Student's, normal, which delays are not. Method and tests: regression.h.
#pragma once

#include <cstdint>

namespace syncline {

struct RegressionFigures {
  uint64_t messages = 0;
  double residual_deviation_ns = 0;  // σ, with n − 2 degrees of freedom
  struct Parameter {
    double deviation = 0;
    double student = 0;
    double chebyshev = 0;
  };
  Parameter offset_ns;    // α: of the line at the first message's time
  Parameter drift_ppm;    // β
  double confidence = 0;  // the level of both intervals
};

}  // namespace syncline
