// Sleeps until CLOCK_MONOTONIC shows a time, in nanoseconds; a signal may end it earlier.
#pragma once

#include <cstdint>
#include <ctime>

namespace syncline {

inline void SleepUntilSteady(int64_t steady_ns) {
  constexpr int64_t kNsPerSecond = 1'000'000'000;
  const timespec until = {.tv_sec = static_cast<time_t>(steady_ns / kNsPerSecond),
                          .tv_nsec = steady_ns % kNsPerSecond};
  ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
}

}  // namespace syncline
