// What a simulated clock is like: its oscillator, who disciplines it, when it is set or sleeps.
//
// Units: nanoseconds of true time since the start of the run; ppm. Signs: an offset is
// local − true, positive = ahead; a rate is d(local)/d(true) − 1, positive = fast.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace syncline::sweep {

inline constexpr int64_t kNsPerSecond = 1'000'000'000;

// Every `step_ns` the rate changes by a normal draw, and is reflected at ±limit.
struct Walk {
  double ppm = 0;
  int64_t step_ns = 0;
  double limit_ppm = 0;
};

struct Sine {
  double ppm = 0;
  int64_t period_ns = 0;
};

// From `when_ns` on the rate approaches `ppm` more, exponentially.
struct Warming {
  double ppm = 0;
  int64_t tau_ns = 0;
  int64_t when_ns = 0;
};

// A daemon that asks for the time every `poll_ns`, errs by about `error_ns`, and corrects the clock
// with at most `slew_ppm`.
struct Daemon {
  enum class Kind { kNtp, kChrony };
  Kind kind = Kind::kNtp;
  int64_t poll_ns = 0;
  double error_ns = 0;
  double slew_ppm = 0;
};

struct Set {
  int64_t when_ns = 0;
  int64_t by_ns = 0;
};

// The clock stands still, and nothing is recorded.
struct Sleep {
  int64_t when_ns = 0;
  int64_t for_ns = 0;
};

struct ClockModel {
  double offset_ns = 0;
  double drift_ppm = 0;
  std::vector<Walk> walks;
  std::vector<Sine> sines;
  std::vector<Warming> warmings;
  std::optional<Daemon> daemon;
  std::vector<Set> sets;
  std::vector<Sleep> sleeps;
  int64_t ticks_per_second = kNsPerSecond;
};

}  // namespace syncline::sweep
