#include "record/stamp/system_anchor.h"

#include <algorithm>

#include "base/int128.h"

namespace syncline {

SystemReading OnSystemClock(const SystemAnchor& anchor, int64_t ticks) {
  constexpr int64_t kBillion = 1'000'000'000;
  constexpr int64_t kSlewPpb = 500'000;
  const Frequency& f = anchor.frequency;
  const Int128 passed = static_cast<Int128>(ticks) - anchor.sighting.Middle();
  const Int128 passed_ns = MulDivRound(passed, kBillion, static_cast<UInt128>(f.hz));
  const Int128 width_ns =
      CeilDiv(static_cast<Int128>(anchor.sighting.Width()) * kBillion, f.low_hz);
  const Int128 drift_ppb = static_cast<Int128>(f.BoundPpb()) + kSlewPpb;
  const Int128 away_ns = std::min<Int128>(passed_ns < 0 ? -passed_ns : passed_ns, INT64_MAX);
  // Roundings, and the step of the system's clock, take up to 3 ns.
  const Int128 bound = width_ns / 2 + CeilDiv(away_ns * drift_ppb, kBillion) + 3;
  return {Saturate(anchor.sighting.clock_ns + passed_ns), Saturate(bound)};
}

}  // namespace syncline
