#include "record/mpi/overhead.h"

#include <algorithm>
#include <vector>

#include "record/mpi/raw_event.h"

namespace syncline::mpi {
namespace {

constexpr int kRounds = 20;
constexpr int kMeasuredCalls = 5000;
constexpr double kEventsPerCall = 3;

template <typename Function>
double FastestNs(const Function& function) {
  uint64_t fastest = UINT64_MAX;
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t begin = ReadSystemClock(CLOCK_MONOTONIC_RAW);
    for (int i = 0; i < kMeasuredCalls; ++i) function(static_cast<size_t>(i));
    fastest = std::min(fastest, ReadSystemClock(CLOCK_MONOTONIC_RAW) - begin);
  }
  return static_cast<double>(fastest) / kMeasuredCalls;
}

}  // namespace

Overhead MeasureOverhead(const ClockReader& clock) {
  std::vector<RawEvent> log(3 * kMeasuredCalls);
  volatile uint64_t sum = 0;
  Overhead overhead;
  overhead.clock_ns = FastestNs([&](size_t) { sum = sum + clock.Now(); });
  overhead.call_ns = FastestNs([&](size_t i) {
    const uint64_t entered = clock.Now();
    log[3 * i] = {.time = entered, .kind = RawKind::kEnter};
    log[3 * i + 1] = {.time = entered, .bytes = i, .kind = RawKind::kSend};
    log[3 * i + 2] = {.time = clock.Now(), .kind = RawKind::kLeave};
  });
  overhead.event_ns = overhead.call_ns / kEventsPerCall;
  return overhead;
}

}  // namespace syncline::mpi
