// What a `clock` block of CTF metadata says of its counter, and the times readers make of it.
//
// Units: a counter's value in cycles, its time in nanoseconds since the origin of the clock class.
// Method: time = offset_s · 10⁹ + (offset + cycles) · 10⁹ / freq. babeltrace2 (2.0 and 2.1,
// lib/trace-ir/utils.h) takes cycles of 1 GHz as they are, and else computes each of the two
// quotients in double precision and drops the fraction; counters beyond 2^53 so come out some
// hundred nanoseconds off. babeltrace 1.5 does the same. Other readers may round otherwise.
// Tested by: clock_setting_test.cc, against libbabeltrace2.
#pragma once

#include <cstdint>
#include <optional>

#include "base/int128.h"

namespace syncline::ctf_metadata {

struct ClockSetting {
  uint64_t freq = 1'000'000'000;  // > 0
  int64_t offset_s = 0;
  uint64_t offset = 0;  // cycles
  friend bool operator==(const ClockSetting&, const ClockSetting&) = default;
};

// Rounded down from the exact value.
Int128 ExactNs(const ClockSetting& setting, uint64_t cycles);

// The times that babeltrace2 computes from one clock block.
class BabeltraceClock {
 public:
  // None where babeltrace2 refuses the offset.
  static std::optional<BabeltraceClock> Make(const ClockSetting& setting);
  // None where babeltrace2 finds that the time has no 64 bits.
  std::optional<int64_t> Ns(uint64_t cycles) const;
  // The time of 0 cycles.
  int64_t base_ns() const { return base_ns_; }
  // How far Ns can be from the exact time that base_ns and freq give any counter up to `cycles`;
  // 0 at 1 GHz.
  static int64_t LargestError(uint64_t freq, uint64_t cycles);

 private:
  BabeltraceClock(uint64_t freq, int64_t base_ns) : freq_(freq), base_ns_(base_ns) {}
  uint64_t freq_;
  int64_t base_ns_;
};

}  // namespace syncline::ctf_metadata
