// How far events are moved, as straight lines in fixed point that add up exactly.
//
// Units: abscissae x in nanoseconds since some origin, 0 ≤ x < 2^64; rises in 2^-60 ns.
// Requires: rises in [0, 2^124]. Cost: O(1).
// Method: a line's slope is rounded down to a multiple of 2^-60, so it lies below the exact line by
// less than 2^-60 of its length. Slope and offset are kept modulo 2^128: they may exceed that, but
// what they give at an abscissa where the sum of lines is a rise does not, so it is exact.
// Tested by: src/logical/amortizer_test.cc.
#pragma once

#include <compare>
#include <cstdint>

#include "base/int128.h"

namespace syncline {

inline constexpr int kRiseBits = 60;
inline constexpr Int128 kNanosecondRise = static_cast<Int128>(1) << kRiseBits;

// Rounded down to nanoseconds, but up where less than 2^-10 ns is missing: that much may be lost to
// slopes rounded down. Never above a whole number that `rise` is not above.
constexpr uint64_t WholeNs(UInt128 rise) {
  return static_cast<uint64_t>((rise + (kNanosecondRise >> 10)) >> kRiseBits);
}

struct RisePoint {
  uint64_t x = 0;
  Int128 rise = 0;
};

struct RiseLine {
  UInt128 slope = 0;
  UInt128 offset = 0;

  UInt128 At(uint64_t x) const { return slope * x + offset; }
  bool IsZero() const { return slope == 0 && offset == 0; }
  RiseLine& operator+=(const RiseLine& other) {
    slope += other.slope;
    offset += other.offset;
    return *this;
  }
  RiseLine& operator-=(const RiseLine& other) {
    slope -= other.slope;
    offset -= other.offset;
    return *this;
  }
  friend RiseLine operator-(RiseLine a, const RiseLine& b) { return a -= b; }
};

// Through `from` and, rounded down, `to`; constant where they have the same abscissa.
// Requires: from.x ≤ to.x, from.rise ≤ to.rise.
constexpr RiseLine LineThrough(RisePoint from, RisePoint to) {
  const uint64_t run = to.x - from.x;
  if (run == 0) return {0, static_cast<UInt128>(from.rise)};
  const UInt128 slope = static_cast<UInt128>(to.rise - from.rise) / run;
  return {slope, static_cast<UInt128>(from.rise) - slope * from.x};
}

// An edge of a hull. Requires: rise ≥ 0.
struct RiseEdge {
  Int128 rise = 0;
  uint64_t run = 0;
};

// A product of 192 bits.
struct WideProduct {
  UInt128 high = 0;
  uint64_t low = 0;
  friend constexpr auto operator<=>(const WideProduct&, const WideProduct&) = default;
};

constexpr WideProduct Multiply(UInt128 a, uint64_t b) {
  const UInt128 low = static_cast<UInt128>(static_cast<uint64_t>(a)) * b;
  const UInt128 high = (a >> 64) * b + (low >> 64);
  return {high, static_cast<uint64_t>(low)};
}

// Which of two edges is steeper, exactly; of two vertical ones the higher.
constexpr std::strong_ordering CompareSlopes(RiseEdge a, RiseEdge b) {
  if (a.run == 0 && b.run == 0) return a.rise <=> b.rise;
  return Multiply(static_cast<UInt128>(a.rise), b.run) <=>
         Multiply(static_cast<UInt128>(b.rise), a.run);
}

}  // namespace syncline
