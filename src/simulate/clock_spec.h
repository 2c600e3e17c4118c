// What a simulated clock is made of, and the little language that says it (docs/simulate.md).
//
//   WHICH:PART[+PART…]     WHICH: * | PROCESS | FIRST-LAST
//   offset=T               ahead by T; ~T: drawn uniformly from ±T
//   drift=PPM              fast by PPM; ~PPM: drawn; then PPM@T,… from elapsed time T on
//   steps=PPM/T            another drift every T, drawn from ±PPM
//   walk=PPM/T             the drift changes by up to ±PPM every T, reflected at ±100·PPM
//   sine=T/PERIOD          ahead by T·sin(2π·elapsed/PERIOD), linear between 64 points a period
//   slew=PPM/T             fast by PPM, and slewed back to 0 at 500 ppm every T, as NTP does
//   jump=T@WHEN            from WHEN on ahead by T (behind where negative)
//   tick=T[@PHASE]         shows only the multiples of T (plus PHASE), rounded down
//   hz=N                   counts N ticks per second
// Units: nanoseconds and parts in 10^12. Errors: kUsage, with the character. Tested by:
// clock_spec_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "syncline/result.h"

namespace syncline {

// A given value, or one drawn from ±value.
struct Amount {
  int64_t value = 0;
  bool is_drawn = false;
};

struct OffsetPart {
  Amount ns;
};
struct DriftPart {
  struct Step {
    Amount ppt;
    int64_t from_ns = 0;
  };
  std::vector<Step> steps;  // the first from 0, then increasing
};
struct StepsPart {
  int64_t ppt = 0;
  int64_t every_ns = 0;
};
struct WalkPart {
  int64_t ppt = 0;
  int64_t every_ns = 0;
};
struct SinePart {
  int64_t amplitude_ns = 0;
  int64_t period_ns = 0;
};
struct SlewPart {
  int64_t ppt = 0;
  int64_t every_ns = 0;
};
struct JumpPart {
  int64_t ns = 0;
  int64_t at_ns = 0;
};
using ClockPart =
    std::variant<OffsetPart, DriftPart, StepsPart, WalkPart, SinePart, SlewPart, JumpPart>;

struct ClockSpec {
  std::vector<ClockPart> parts;  // their offsets add up
  int64_t tick_ns = 0;           // 0: none
  int64_t tick_phase_ns = 0;
  int64_t ticks_per_second = 1'000'000'000;
};

// One --clock option: these processes' clocks get these parts in addition.
struct ClockAssignment {
  uint32_t first = 0;
  uint32_t last = UINT32_MAX;
  ClockSpec spec;
};

Result<ClockAssignment> ParseClockAssignment(std::string_view text);
// The sum of what is assigned to the process, added to what it has.
// Errors: kUsage where two ticks or rates meet, drifts may add up to more than ±50 %, or offsets to
// more than 2^60 ns (36 years).
Result<ClockSpec> SpecOf(uint32_t process, ClockSpec own,
                         std::span<const ClockAssignment> assignments);

inline constexpr int64_t kMaxDriftPpt = 500'000'000'000;
inline constexpr int64_t kSlewPpt = 500'000'000;
inline constexpr int64_t kWalkLimit = 100;  // times the step

}  // namespace syncline
