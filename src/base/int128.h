// 128-bit products and rounded quotients for time arithmetic.
#pragma once

#include <cstdint>
#include <limits>

namespace syncline {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

constexpr int64_t Saturate(Int128 v) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  return v > kMax ? kMax : v < kMin ? kMin : static_cast<int64_t>(v);
}

constexpr Int128 Minus(int64_t a, int64_t b) { return static_cast<Int128>(a) - b; }

// a·b / c rounded to nearest, ties away from zero. Requires |a|, |b| < 2^64, 0 < c < 2^64.
// Saturates to ±2^126, far beyond any int64.
constexpr Int128 MulDivRound(Int128 a, Int128 b, UInt128 c) {
  constexpr UInt128 kLimit = static_cast<UInt128>(1) << 126;
  const bool negative = (a < 0) != (b < 0);
  const UInt128 product =
      static_cast<UInt128>(a < 0 ? -a : a) * static_cast<UInt128>(b < 0 ? -b : b);
  UInt128 quotient = product / c;
  const UInt128 rest = product % c;
  if (rest >= c - rest) ++quotient;
  if (quotient > kLimit) quotient = kLimit;
  return negative ? -static_cast<Int128>(quotient) : static_cast<Int128>(quotient);
}

// Quotients rounded down and up, for bounds that must stay on the safe side. Requires b > 0.
constexpr Int128 FloorDiv(Int128 a, Int128 b) { return a / b - (a % b < 0 ? 1 : 0); }
constexpr Int128 CeilDiv(Int128 a, Int128 b) { return a / b + (a % b > 0 ? 1 : 0); }

}  // namespace syncline
