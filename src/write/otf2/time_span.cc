#include "write/otf2/time_span.h"

#include <fmt/format.h>

#include "base/int128.h"
#include "base/ticks.h"
#include "write/otf2/clock_offset.h"

namespace syncline::otf2_write {
namespace {

// The instant of the new global offset; unknown where the old one is, or before 1970.
uint64_t Realtime(const ClockProperties& old, int64_t new_offset, int64_t shift) {
  if (old.realtime == OTF2_UNDEFINED_TIMESTAMP) return OTF2_UNDEFINED_TIMESTAMP;
  const Int128 ticks = static_cast<Int128>(new_offset) - shift - old.global_offset;
  const Int128 ns = MulDivRound(ticks, kNsPerSecond, old.resolution) + old.realtime;
  if (ns < 0 || ns >= static_cast<Int128>(OTF2_UNDEFINED_TIMESTAMP)) {
    return OTF2_UNDEFINED_TIMESTAMP;
  }
  return static_cast<uint64_t>(ns);
}

}  // namespace

Result<int64_t> ToTicks(const Clock& clock, GlobalTime time) {
  const int64_t ticks = clock.FromNominalNs(time.ns).ticks;
  if (ticks >= -kMaxOtf2Ticks && ticks <= kMaxOtf2Ticks) return ticks;
  return Fail(ErrorCode::kUnsupported,
              fmt::format("a corrected time of {} ns is out of the range of OTF2", time.ns));
}

Result<Clock> ArchiveClock(const ArchiveSource& source, int64_t offset_ticks) {
  if (!source.facts().clock) {
    return Fail(ErrorCode::kMalformed, "does not say how long a tick is (no ClockProperties)",
                source.global_definitions_path());
  }
  return Clock{.name = {},
               .ticks_per_second = static_cast<int64_t>(source.facts().clock->resolution),
               .offset_ticks = offset_ticks};
}

std::optional<ClockProperties> Enclosing(const ClockProperties& old, const TimeSpan& span,
                                         int64_t shift) {
  if (span.empty()) return std::nullopt;
  const auto first = static_cast<uint64_t>(span.first + shift);
  const auto last = static_cast<uint64_t>(span.last + shift);
  if (shift == 0 && old.global_offset <= first && last - old.global_offset <= old.length) {
    return std::nullopt;
  }
  ClockProperties clock = old;
  clock.global_offset = shift > 0 ? first : std::min(first, old.global_offset);
  clock.length = last - clock.global_offset + 1;
  clock.realtime = Realtime(old, static_cast<int64_t>(clock.global_offset), shift);
  return clock;
}

}  // namespace syncline::otf2_write
