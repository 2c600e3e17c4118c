// Instants and durations as distinct types, so that readings of different clocks never mix.
//
// Units: LocalTime counts ticks of one clock since that clock's own origin; GlobalTime and Duration
// count nanoseconds, GlobalTime since the epoch of the reference clock.
// Only a Correction (correction.h) turns a LocalTime into a GlobalTime.
#pragma once

#include <compare>
#include <cstdint>

namespace syncline {

// A span of time in nanoseconds; positive is later.
struct Duration {
  int64_t ns = 0;
  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) { return {a.ns + b.ns}; }
  friend constexpr Duration operator-(Duration a, Duration b) { return {a.ns - b.ns}; }
  friend constexpr Duration operator-(Duration a) { return {-a.ns}; }
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
  friend constexpr GlobalTime operator+(GlobalTime t, Duration d) { return {t.ns + d.ns}; }
  friend constexpr GlobalTime operator-(GlobalTime t, Duration d) { return {t.ns - d.ns}; }
  // Saturates: times near both ends of the range are further apart than a Duration can say.
  friend constexpr Duration operator-(GlobalTime a, GlobalTime b) {
    Duration difference;
    if (!__builtin_sub_overflow(a.ns, b.ns, &difference.ns)) return difference;
    return {a.ns < b.ns ? INT64_MIN : INT64_MAX};
  }
};

}  // namespace syncline
