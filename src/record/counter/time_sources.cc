#include "record/counter/time_sources.h"

#include <algorithm>
#include <cerrno>
#include <numeric>

namespace syncline {

MachineTime::MachineTime(CounterKind kind, clockid_t reference)
    : kind_(kind), reference_(reference) {
  timespec step = {};
  if (clock_getres(reference, &step) == 0) {
    steps_.ns = std::max<int64_t>(1, int64_t{step.tv_sec} * 1'000'000'000 + step.tv_nsec);
  }
  steps_.ticks = CounterStep(kind);
}

int64_t CounterStep(CounterKind kind) {
  constexpr int kReadings = 1000;
  uint64_t step = 0;
  uint64_t last = static_cast<uint64_t>(ReadCounter(kind));
  for (int i = 0; i < kReadings; ++i) {
    const uint64_t now = static_cast<uint64_t>(ReadCounter(kind));
    step = std::gcd(step, now - last);
    last = now;
  }
  return static_cast<int64_t>(std::clamp<uint64_t>(step, 1, INT32_MAX));
}

void MachineTime::Sleep(int64_t ns) {
  if (ns <= 0) return;
  timespec left = {static_cast<time_t>(ns / 1'000'000'000), ns % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR) {
  }
}

}  // namespace syncline
