// From integers to a double and back, whatever their size.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/int128.h"

namespace syncline {

// Rounded once.
inline double DifferenceOf(int64_t a, int64_t b) {
  int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return static_cast<double>(difference);
  return static_cast<double>(static_cast<Int128>(a) - b);
}

// The nearest integer; an end of the range for what lies beyond it, 0 for what is no number.
inline int64_t NearestInteger(double v) {
  if (std::isnan(v)) return 0;
  if (std::abs(v) < 0x1p63) return static_cast<int64_t>(std::llround(v));
  return v < 0 ? INT64_MIN : INT64_MAX;
}

}  // namespace syncline
