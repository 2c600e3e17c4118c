// Quantiles of Student's t distribution.
//
// Requires: 0 < confidence < 1, degrees ≥ 1. Errors: none. Cost: O(degrees), at most about 400
// terms, times a bisection. Accuracy: 10^-9 of the value.
// Method: the finite series for whole degrees (Abramowitz and Stegun 26.7.3 and 26.7.4), inverted
// by bisection; above 200 degrees the expansion about the normal quantile (26.7.5).
// Tested by: src/estimate/lines/regression_test.cc.
#pragma once

#include <cstdint>

namespace syncline {

// The t that a Student variable stays within, |T| ≤ t, with probability `confidence`.
double StudentQuantile(double confidence, uint64_t degrees);

}  // namespace syncline
