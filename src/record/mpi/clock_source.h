// The clock that stamps events: one of the system's, or the processor's counter.
//
// Units: ticks; nanoseconds but for the counter, whose rate is measured over the run. Cost: 20 to
// 30 ns where the system reads its clock without a system call, 10 ns the counter.
#pragma once

#include <cstdint>
#include <ctime>

#include "record/counter/counter.h"
#include "record/mpi/options.h"

namespace syncline::mpi {

inline constexpr uint64_t kNanosecondsPerSecond = 1'000'000'000;

inline uint64_t ReadSystemClock(clockid_t clock) {
  return static_cast<uint64_t>(ReadSystemNs(clock));
}

class ClockReader {
 public:
  ClockReader() = default;
  explicit ClockReader(ClockSource source)
      : clock_(source == ClockSource::kRealtime       ? CLOCK_REALTIME
               : source == ClockSource::kMonotonicRaw ? CLOCK_MONOTONIC_RAW
                                                      : CLOCK_MONOTONIC),
        is_counter_(source == ClockSource::kCounter) {}

  uint64_t Now() const {
    if (is_counter_) return static_cast<uint64_t>(ReadCounter(CounterKind::kRdtscp));
    return ReadSystemClock(clock_);
  }
  bool is_counter() const { return is_counter_; }

 private:
  clockid_t clock_ = CLOCK_MONOTONIC;
  bool is_counter_ = false;
};

}  // namespace syncline::mpi
