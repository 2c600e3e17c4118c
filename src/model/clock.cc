#include "syncline/clock.h"

#include "base/int128.h"
#include "base/ticks.h"

namespace syncline {

int64_t Clock::ScaledNs(LocalTime t) const {
  const Int128 ticks = static_cast<Int128>(t.ticks) + offset_ticks;
  return Saturate(MulDivRound(ticks, kNsPerSecond, static_cast<UInt128>(ticks_per_second)));
}

LocalTime Clock::ScaledTicks(int64_t ns) const {
  const Int128 ticks = MulDivRound(ns, ticks_per_second, kNsPerSecond);
  return {Saturate(ticks - offset_ticks)};
}

}  // namespace syncline
