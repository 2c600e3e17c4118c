#include "live/character/local_meter.h"

#include "base/int128.h"

namespace syncline {
namespace {

constexpr int kReadingsPerBurst = 16;
constexpr int64_t kNsPerSecond = 1'000'000'000;

}  // namespace

std::string NameOf(ClockSource source, CounterKind counter) {
  switch (source) {
    case ClockSource::kCounter: return CounterName(counter);
    case ClockSource::kMonotonic: return "CLOCK_MONOTONIC";
    case ClockSource::kMonotonicRaw: return "CLOCK_MONOTONIC_RAW";
    case ClockSource::kRealtime: return "CLOCK_REALTIME";
    case ClockSource::kGetTimeOfDay: break;
  }
  return "gettimeofday";
}

ClockReader::ClockReader(ClockSource source, CounterKind counter, int64_t counter_hz)
    : source_(source),
      counter_(counter),
      hz_(counter_hz),
      origin_ticks_(source == ClockSource::kCounter ? ReadCounter(counter) : 0) {}

int64_t ClockReader::ReadNs() const {
  switch (source_) {
    case ClockSource::kCounter: {
      const Int128 ticks = static_cast<Int128>(ReadCounter(counter_)) - origin_ticks_;
      return Saturate(MulDivRound(ticks, kNsPerSecond, static_cast<UInt128>(hz_)));
    }
    case ClockSource::kMonotonic: return ReadSystemNs(CLOCK_MONOTONIC);
    case ClockSource::kMonotonicRaw: return ReadSystemNs(CLOCK_MONOTONIC_RAW);
    case ClockSource::kRealtime: return ReadSystemNs(CLOCK_REALTIME);
    case ClockSource::kGetTimeOfDay: break;
  }
  return GetTimeOfDayNs();
}

Resolution ResolutionOf(const ClockReader& clock, int readings) {
  const StepFigures steps = StepsOf([&clock] { return clock.ReadNs(); }, readings);
  return {steps.least, steps.common};
}

std::optional<OffsetSample> OffsetBetween(int64_t reference_before_ns, int64_t clock_ns,
                                          int64_t reference_after_ns, int64_t steps_ns) {
  if (reference_after_ns < reference_before_ns) return std::nullopt;
  const Int128 width = static_cast<Int128>(reference_after_ns) - reference_before_ns;
  OffsetSample sample;
  sample.at_ns = static_cast<int64_t>(reference_before_ns + width / 2);
  sample.offset_ns = Saturate(static_cast<Int128>(clock_ns) - sample.at_ns);
  sample.uncertainty_ns = Saturate((width + 1) / 2 + steps_ns);
  return sample;
}

std::optional<OffsetSample> LocalMeter::Measure() {
  std::optional<OffsetSample> best;
  for (int i = 0; i < kReadingsPerBurst; ++i) {
    const int64_t before = clocks_.reference.ReadNs();
    const int64_t clock = clocks_.clock.ReadNs();
    const int64_t after = clocks_.reference.ReadNs();
    readings_ += 3;
    const auto sample =
        OffsetBetween(before, clock, after, clocks_.clock_step_ns + clocks_.reference_step_ns);
    if (sample && (!best || sample->uncertainty_ns < best->uncertainty_ns)) best = sample;
  }
  return best;
}

}  // namespace syncline
