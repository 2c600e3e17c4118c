// What a time becomes where it is written in ticks, and what a reader sees of it.
//
// Units: whole nanoseconds; ticks of 1 / ticks_per_second. Reading rounds down to whole
// nanoseconds. Cost: a few 128-bit divisions. Tested by: src/read/pcap/time_scale_test.cc.
#pragma once

#include <cstdint>

#include "base/int128.h"

namespace syncline {

inline constexpr int64_t kNsPerSecond = 1'000'000'000;
inline constexpr int64_t kPpbInOne = 1'000'000'000;

// What a reader makes of `ticks`.
constexpr Int128 SeenNs(Int128 ticks, Int128 ticks_per_second) {
  return FloorDiv(ticks * kNsPerSecond, ticks_per_second);
}

// Of the tick at or before `ns` and the one after it, the one seen nearer; the later on a tie.
constexpr Int128 NearestTick(Int128 ns, Int128 ticks_per_second) {
  const Int128 before = FloorDiv(ns * ticks_per_second, kNsPerSecond);
  const Int128 late_by = SeenNs(before + 1, ticks_per_second) - ns;
  const Int128 early_by = ns - SeenNs(before, ticks_per_second);
  return late_by <= early_by ? before + 1 : before;
}

// The nanoseconds that a reader will see for `ns` written with this resolution: equal to `ns` for
// ticks of a nanosecond or less, idempotent, monotone. Saturates. Requires ticks_per_second > 0.
constexpr int64_t QuantizeNs(int64_t ns, int64_t ticks_per_second) {
  if (ticks_per_second >= kNsPerSecond) return ns;
  return Saturate(SeenNs(NearestTick(ns, ticks_per_second), ticks_per_second));
}

}  // namespace syncline
