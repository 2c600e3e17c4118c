#include "write/otf2/clock_offset.h"

#include <cmath>

namespace syncline {

int64_t OffsetOnLine(const ClockOffset& a, const ClockOffset& b, int64_t time) {
  const double slope =
      static_cast<double>(b.offset - a.offset) / static_cast<double>(b.time - a.time);
  const double rise = std::rint(slope * static_cast<double>(time - a.time));
  constexpr int64_t kLimit = kMaxClockOffset;
  if (!(std::abs(rise) < static_cast<double>(kLimit))) return rise < 0 ? -kLimit : kLimit;
  return a.offset + static_cast<int64_t>(rise);
}

}  // namespace syncline
