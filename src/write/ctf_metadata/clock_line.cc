#include "write/ctf_metadata/clock_line.h"

#include <algorithm>
#include <limits>

#include "base/ticks.h"

namespace syncline::ctf_metadata {
namespace {

constexpr uint64_t kMostFreq = std::numeric_limits<int64_t>::max();

// The whole rate for which the span's length in time is nearest to the wanted one.
std::optional<uint64_t> NearestRate(UInt128 scaled_cycles, UInt128 length_ns) {
  const UInt128 below = scaled_cycles / length_ns;
  if (below >= kMostFreq) return std::nullopt;
  if (below == 0) return 1;
  const UInt128 too_long = scaled_cycles % length_ns;  // times `below`, of `below`
  const UInt128 too_short = length_ns - too_long;      // times `below + 1`, of `below + 1`
  const bool is_below = too_long * (below + 1) <= too_short * below;
  return static_cast<uint64_t>(is_below ? below : below + 1);
}

// |base + cycles · 10⁹ / freq − ns|, rounded up.
Int128 DistanceNs(const ClockLine& line, uint64_t cycles, int64_t ns) {
  const Int128 scaled = static_cast<Int128>(cycles) * kNsPerSecond -
                        (static_cast<Int128>(ns) - line.base_ns) * static_cast<Int128>(line.freq);
  return CeilDiv(scaled < 0 ? -scaled : scaled, static_cast<Int128>(line.freq));
}

}  // namespace

std::optional<ClockLine> NearestLine(const CorrectedSpan& span) {
  if (span.first >= span.last || span.first_ns >= span.last_ns) return std::nullopt;
  const UInt128 scaled = static_cast<UInt128>(span.last - span.first) * kNsPerSecond;
  const auto length = static_cast<UInt128>(static_cast<Int128>(span.last_ns) - span.first_ns);
  const auto freq = NearestRate(scaled, length);
  if (!freq) return std::nullopt;
  // Equal distances at both ends: the line passes through the middle. What the first quotient
  // drops is less than the half that the second one rounds.
  const UInt128 counted = (static_cast<UInt128>(span.first) + span.last) * kNsPerSecond / *freq;
  const Int128 base =
      FloorDiv(static_cast<Int128>(span.first_ns) + span.last_ns - static_cast<Int128>(counted), 2);
  if (Saturate(base) != base) return std::nullopt;
  return ClockLine{*freq, static_cast<int64_t>(base)};
}

std::optional<ClockSetting> SettingOf(const ClockLine& line) {
  const auto seconds = static_cast<int64_t>(FloorDiv(line.base_ns, kNsPerSecond));
  const auto rest = static_cast<Int128>(line.base_ns) - static_cast<Int128>(seconds) * kNsPerSecond;
  const auto guess =
      static_cast<uint64_t>(MulDivRound(rest, static_cast<Int128>(line.freq), kNsPerSecond));
  std::optional<ClockSetting> best;
  UInt128 least = 0;
  for (uint64_t offset = guess - std::min<uint64_t>(guess, 1); offset <= guess + 1; ++offset) {
    const ClockSetting setting = offset < line.freq
                                     ? ClockSetting{line.freq, seconds, offset}
                                     : ClockSetting{line.freq, seconds + 1, offset - line.freq};
    const auto clock = BabeltraceClock::Make(setting);
    if (!clock) continue;
    const Int128 difference = static_cast<Int128>(clock->base_ns()) - line.base_ns;
    const auto distance = static_cast<UInt128>(difference < 0 ? -difference : difference);
    if (best && distance >= least) continue;
    best = setting;
    least = distance;
  }
  return best;
}

int64_t DeviationNs(const CorrectedSpan& span, const ClockLine& line) {
  return Saturate(std::max(DistanceNs(line, span.first, span.first_ns),
                           DistanceNs(line, span.last, span.last_ns)));
}

}  // namespace syncline::ctf_metadata
