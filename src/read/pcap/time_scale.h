// How the timestamp field of a capture counts: ticks of any length ↔ whole nanoseconds.
//
// Units: ticks since `offset_seconds` after the epoch; nanoseconds since the epoch.
// Reading rounds down to whole nanoseconds. Writing picks the tick that a reader sees nearest to
// the wanted nanosecond, the later one of two equally near; ticks finer than a nanosecond are seen
// exactly, and a rewritten time keeps what its old ticks held below the nanosecond.
// Errors: nullopt where the result does not fit its type. Cost: a multiplication or 64-bit
// division for the usual resolutions, else 128-bit divisions. Tested by: time_scale_test.cc.
#pragma once

#include <cstdint>
#include <optional>

#include "base/int128.h"

namespace syncline {

class TimeScale {
 public:
  TimeScale() : TimeScale(1'000'000, 0) {}
  // Requires 0 < ticks_per_second ≤ 2^62.
  TimeScale(int64_t ticks_per_second, int64_t offset_seconds);

  int64_t ticks_per_second() const { return ticks_per_second_; }

  std::optional<int64_t> ToNs(uint64_t ticks) const {
    if (ticks < exact_below_) [[likely]]
      return static_cast<int64_t>(ticks * ns_per_tick_);
    const Int128 ns = NsByDivision(ticks);
    if (ns != Saturate(ns)) return std::nullopt;
    return static_cast<int64_t>(ns);
  }
  // The ticks to write for `ns` in place of `previous`; gives `previous` for its own time. Only
  // ticks that ToNs() can read.
  std::optional<uint64_t> ToTicks(int64_t ns, uint64_t previous) const {
    if (ns < 0 || ns_per_tick_ == 0) [[unlikely]]
      return ToTicksByDivision(ns, previous);
    const uint64_t rest = static_cast<uint64_t>(ns) % ns_per_tick_;
    const uint64_t ticks =
        static_cast<uint64_t>(ns) / ns_per_tick_ + (2 * rest >= ns_per_tick_ ? 1 : 0);
    return ticks < exact_below_ ? std::optional(ticks) : std::nullopt;
  }

 private:
  Int128 NsByDivision(uint64_t ticks) const;
  std::optional<uint64_t> ToTicksByDivision(int64_t ns, uint64_t previous) const;

  int64_t ticks_per_second_ = 0;
  int64_t offset_seconds_ = 0;
  // Ticks below exact_below_ are worth ns_per_tick_ each, without offset or overflow.
  uint64_t ns_per_tick_ = 0;
  uint64_t exact_below_ = 0;
};

}  // namespace syncline
