#include "live/character/peer_meter.h"

#include "base/int128.h"
#include "live/character/steady_sleep.h"
#include "record/counter/counter.h"

namespace syncline {

std::optional<OffsetSample> PeerMeter::Measure() {
  if (error_) return std::nullopt;
  const auto burst = client_.Burst(exchanges_, 0);
  if (!burst) {
    error_ = burst.error();
    return std::nullopt;
  }
  std::optional<OffsetSample> best;
  for (const ClockExchange& e : *burst) {
    const auto offset = OffsetOf(e);
    if (!offset || (best && best->uncertainty_ns <= offset->bound_ns)) continue;
    const Int128 middle = (static_cast<Int128>(e.t1_ns) + e.t4_ns) / 2;
    best = OffsetSample{static_cast<int64_t>(middle), offset->offset_ns, offset->bound_ns};
  }
  return best;
}

Effort PeerMeter::GetEffort() const {
  const ClientCounts& counts = client_.counts();
  // Each exchange has two stamps of this machine.
  return {2 * counts.answered, counts.asked + counts.answered};
}

int64_t PeerMeter::SteadyNs() { return ReadSystemNs(CLOCK_MONOTONIC); }

void PeerMeter::SleepUntil(int64_t steady_ns) { SleepUntilSteady(steady_ns); }

}  // namespace syncline
