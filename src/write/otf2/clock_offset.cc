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

int64_t ReaderClock::operator()(int64_t time) {
  if (records_.size() < 2) return time;
  while (segment_ + 2 < records_.size() && time > records_[segment_ + 1].time) ++segment_;
  return time + OffsetOnLine(records_[segment_], records_[segment_ + 1], time);
}

}  // namespace syncline
