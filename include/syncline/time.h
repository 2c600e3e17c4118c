// Instants and durations as distinct types, so that readings of different clocks never mix.
//
// Units: LocalTime counts ticks of one clock since that clock's own origin; GlobalTime and Duration
// count nanoseconds, GlobalTime since the epoch of the reference clock.
// Only a Correction (correction.h) turns a LocalTime into a GlobalTime. Sums and differences
// saturate: times near both ends of the range are further apart than a Duration can say.
#pragma once

#include <compare>
#include <cstdint>

namespace syncline {

constexpr int64_t SaturatedSum(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b < 0 ? INT64_MIN : INT64_MAX;
}

constexpr int64_t SaturatedDifference(int64_t a, int64_t b) {
  int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b < 0 ? INT64_MAX : INT64_MIN;
}

// A span of time in nanoseconds; positive is later.
struct Duration {
  int64_t ns = 0;
  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) { return {SaturatedSum(a.ns, b.ns)}; }
  friend constexpr Duration operator-(Duration a, Duration b) {
    return {SaturatedDifference(a.ns, b.ns)};
  }
  friend constexpr Duration operator-(Duration a) { return {SaturatedDifference(0, a.ns)}; }
};

// A reading of one clock, in that clock's ticks.
struct LocalTime {
  int64_t ticks = 0;
  friend constexpr auto operator<=>(LocalTime, LocalTime) = default;
};

// Nanoseconds on the common time line that corrected traces carry.
struct GlobalTime {
  int64_t ns = 0;
  friend constexpr auto operator<=>(GlobalTime, GlobalTime) = default;
  friend constexpr GlobalTime operator+(GlobalTime t, Duration d) {
    return {SaturatedSum(t.ns, d.ns)};
  }
  friend constexpr GlobalTime operator-(GlobalTime t, Duration d) {
    return {SaturatedDifference(t.ns, d.ns)};
  }
  friend constexpr Duration operator-(GlobalTime a, GlobalTime b) {
    return {SaturatedDifference(a.ns, b.ns)};
  }
};

}  // namespace syncline
