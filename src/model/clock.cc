#include "syncline/clock.h"

#include "base/int128.h"
#include "base/ticks.h"

namespace syncline {

int64_t Clock::NominalNs(LocalTime t) const {
  if (IsNanoseconds()) return t.ticks;
  const Int128 ticks = static_cast<Int128>(t.ticks) + offset_ticks;
  if (ticks_per_second == kNsPerSecond) return Saturate(ticks);
  return Saturate(MulDivRound(ticks, kNsPerSecond, static_cast<UInt128>(ticks_per_second)));
}

LocalTime Clock::FromNominalNs(int64_t ns) const {
  if (IsNanoseconds()) return {ns};
  if (ticks_per_second == kNsPerSecond) return {Saturate(static_cast<Int128>(ns) - offset_ticks)};
  const Int128 ticks = MulDivRound(ns, ticks_per_second, kNsPerSecond);
  return {Saturate(ticks - offset_ticks)};
}

}  // namespace syncline
