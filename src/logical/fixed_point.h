// Fractions of one in fixed point.
//
// A fraction counts in units of 2^-62, so that its product with any difference of times fits in 128
// bits. Quotients of times go through one double division, which every platform rounds alike.
#pragma once

#include <compare>
#include <cstdint>

#include "base/int128.h"

namespace syncline {

inline constexpr int kFractionBits = 62;

// A number in [0, 1].
struct Fraction {
  int64_t units = 0;

  static constexpr Fraction One() { return {int64_t{1} << kFractionBits}; }
  // Clamps to [0, 1]; not-a-number is 0.
  static Fraction FromDouble(double v) {
    if (!(v > 0)) return {};
    return v >= 1 ? One() : Fraction{static_cast<int64_t>(v * 0x1p62)};
  }
  double ToDouble() const { return static_cast<double>(units) * 0x1p-62; }
  friend constexpr auto operator<=>(Fraction, Fraction) = default;
  friend constexpr Fraction operator-(Fraction a, Fraction b) { return {a.units - b.units}; }
  // Rounded down.
  friend constexpr Fraction operator*(Fraction a, Fraction b) {
    return {static_cast<int64_t>(static_cast<Int128>(a.units) * b.units >> kFractionBits)};
  }
};

}  // namespace syncline
