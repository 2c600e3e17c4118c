#include "read/pcap/time_scale.h"

#include "base/check.h"
#include "base/ticks.h"

namespace syncline {
namespace {

constexpr Int128 kMaxTicks = std::numeric_limits<uint64_t>::max();

// Of the ticks seen as exactly `ns`, the one nearest to as much after it as `previous` stood after
// its own whole nanosecond.
Int128 FineTick(Int128 ns, Int128 ticks_per_second, Int128 previous) {
  const Int128 first = CeilDiv(ns * ticks_per_second, kNsPerSecond);
  const Int128 last = CeilDiv((ns + 1) * ticks_per_second, kNsPerSecond) - 1;
  const Int128 rest =
      previous * kNsPerSecond - SeenNs(previous, ticks_per_second) * ticks_per_second;
  const Int128 wanted = FloorDiv(ns * ticks_per_second + rest + kNsPerSecond / 2, kNsPerSecond);
  return wanted < first ? first : wanted > last ? last : wanted;
}

}  // namespace

TimeScale::TimeScale(int64_t ticks_per_second, int64_t offset_seconds)
    : ticks_per_second_(ticks_per_second), offset_seconds_(offset_seconds) {
  SYNCLINE_CHECK(ticks_per_second > 0 && ticks_per_second <= int64_t{1} << 62);
  if (kNsPerSecond % ticks_per_second != 0 || offset_seconds != 0) return;
  ns_per_tick_ = static_cast<uint64_t>(kNsPerSecond / ticks_per_second);
  exact_below_ = static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) / ns_per_tick_ + 1;
}

Int128 TimeScale::NsByDivision(uint64_t ticks) const {
  return SeenNs(static_cast<Int128>(ticks), ticks_per_second_) +
         static_cast<Int128>(offset_seconds_) * kNsPerSecond;
}

std::optional<uint64_t> TimeScale::ToTicksByDivision(int64_t ns, uint64_t previous) const {
  const Int128 since_offset = ns - static_cast<Int128>(offset_seconds_) * kNsPerSecond;
  // Also keeps the products below 2^127: the field's last tick is before 2^94 ns.
  if (since_offset < 0 || since_offset > SeenNs(kMaxTicks, ticks_per_second_)) return std::nullopt;
  const Int128 ticks =
      ticks_per_second_ < kNsPerSecond
          ? NearestTick(since_offset, ticks_per_second_)
          : FineTick(since_offset, ticks_per_second_, static_cast<Int128>(previous));
  if (ticks > kMaxTicks || !ToNs(static_cast<uint64_t>(ticks))) return std::nullopt;
  return static_cast<uint64_t>(ticks);
}

}  // namespace syncline
