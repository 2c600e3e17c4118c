// Fractions of one in fixed point, and sums that stay within 64 bits.
//
// A fraction counts in units of 2^-62, so that its product with any difference of times fits in 128
// bits. Quotients of times go through one double division, which every platform rounds alike.
#pragma once

#include <algorithm>
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

constexpr int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b < 0 ? INT64_MIN : INT64_MAX;
}

constexpr int64_t SaturatingSubtract(int64_t a, int64_t b) {
  int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b < 0 ? INT64_MAX : INT64_MIN;
}

}  // namespace syncline
