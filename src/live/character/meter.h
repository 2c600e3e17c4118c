// What a clock is characterized with: something that measures its offset when asked, and time to
// wait between measurements. This machine's clocks, a peer over the network, or a simulation.
//
// Units: nanoseconds. Sign: offset = clock − reference. Tested by: character_test.cc.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>

#include "record/counter/counter.h"

namespace syncline {

struct OffsetSample {
  int64_t at_ns = 0;  // by the reference
  int64_t offset_ns = 0;
  int64_t uncertainty_ns = 0;  // the true offset at that time is at most so far away
};

// What measuring took so far.
struct Effort {
  uint64_t readings = 0;  // of clocks of this machine
  uint64_t messages = 0;  // sent and received
};

class OffsetMeter {
 public:
  virtual ~OffsetMeter() = default;
  // Nothing where there was no answer, or a clock was set meanwhile.
  virtual std::optional<OffsetSample> Measure() = 0;
  virtual Effort GetEffort() const = 0;
  // A clock that is never set, and sleeping by it; a signal may end that earlier.
  virtual int64_t SteadyNs() { return syncline::SteadyNs(); }
  virtual void SleepUntil(int64_t steady_ns) {
    constexpr int64_t kNsPerSecond = 1'000'000'000;
    const timespec until = {.tv_sec = static_cast<time_t>(steady_ns / kNsPerSecond),
                            .tv_nsec = steady_ns % kNsPerSecond};
    ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  }
};

}  // namespace syncline
