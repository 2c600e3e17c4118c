// A conversion between clocks that can be composed along a path without losing nanoseconds.
//
// Units: nominal nanoseconds. value(x) = y0 + fraction + (x − x0) + drift · (x − x0).
// Accuracy: the origin is integer and only the drift term is floating point: over a year and ten
// compositions the error stays below 10^-3 ns. Beyond int64 values saturate. Cost: O(1).
// Tested by: src/estimate/affine_test.cc.
#pragma once

#include <cstdint>

#include "estimate/point.h"

namespace syncline {

// An instant between two nanoseconds: ns + fraction.
struct FineTime {
  int64_t ns = 0;
  long double fraction = 0;

  int64_t Nearest() const;
};

class Affine {
 public:
  Affine() = default;  // the identity
  explicit Affine(const Line& line) : x0_(line.at.x), y0_{line.at.y}, drift_(line.slope.Drift()) {}

  FineTime operator()(FineTime x) const;
  // The conversion x → after(this(x)).
  Affine Then(const Affine& after) const;
  // Slope − 1.
  long double drift() const { return drift_; }

 private:
  int64_t x0_ = 0;
  FineTime y0_;
  long double drift_ = 0;
};

}  // namespace syncline
