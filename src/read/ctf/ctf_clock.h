// A clock class of a CTF trace, and how its cycles become local times.
//
// Units: cycles of the clock; LocalTime counts cycles less `origin`. Tested by: ctf_clock_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "syncline/clock.h"
#include "syncline/result.h"
#include "syncline/time.h"

namespace syncline {

// The epoch time that the clock claims for `cycles` is offset_s + (offset_cycles + cycles) /
// frequency seconds.
struct CtfClock {
  std::string name;
  std::string uuid;  // 32 hexadecimal digits; empty where there is none
  uint64_t frequency = 1'000'000'000;
  int64_t offset_s = 0;
  uint64_t offset_cycles = 0;  // below frequency
  uint64_t precision = 0;      // in cycles, as the trace claims
  // cycles = ticks of LocalTime + origin. Zero but for clocks of more than 4 GHz, whose epoch times
  // would not fit 63 bits, and for those whose offset does not.
  int64_t origin = 0;

  static auto Members(auto& self) {
    return std::tie(self.name, self.uuid, self.frequency, self.offset_s, self.offset_cycles,
                    self.precision, self.origin);
  }

  // Cycles beyond the range of LocalTime become its ends.
  LocalTime FromCycles(uint64_t cycles) const;
  bool Holds(uint64_t cycles) const;
  // Times beyond the range of cycles become its ends.
  uint64_t ToCycles(LocalTime time) const;
  // The clock of the same ticks, called `clock_name`.
  Clock ToClock(std::string clock_name) const;
  friend bool operator==(const CtfClock&, const CtfClock&) = default;
};

// The clock with its origin chosen. Errors: kUnsupported where no origin brings the clock's times
// into the range of 64-bit nanoseconds and ticks. `file` is for the error.
Result<CtfClock> WithOrigin(CtfClock clock, const std::string& file);

}  // namespace syncline
