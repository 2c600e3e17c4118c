#include "record/counter/frequency.h"

#include <algorithm>
#include <limits>

#include "base/int128.h"

namespace syncline {
namespace {

constexpr int64_t kBillion = 1'000'000'000;

template <typename ReadClock>
Sighting Narrowest(TimeSources& sources, int readings, ReadClock read_clock) {
  Sighting best;
  for (int i = 0; i < readings; ++i) {
    Sighting seen;
    seen.ticks_before = sources.Counter();
    seen.clock_ns = read_clock();
    seen.ticks_after = sources.Counter();
    if (i == 0 || seen.Width() < best.Width()) best = seen;
  }
  return best;
}

}  // namespace

int64_t ElapsedNsFor(int64_t wanted_ppb, const Frequency& known) {
  // bound · elapsed stays the same, whatever the elapsed time.
  const Int128 product = static_cast<Int128>(known.BoundPpb()) * known.elapsed_ns;
  return Saturate(CeilDiv(product, std::max<int64_t>(1, wanted_ppb)));
}

Sighting SeeReference(TimeSources& sources, int readings) {
  return Narrowest(sources, readings, [&] { return sources.ReferenceNs(); });
}

Sighting SeeSystemClock(TimeSources& sources, int readings) {
  return Narrowest(sources, readings, [&] { return sources.SystemNs(); });
}

int64_t Frequency::BoundPpb() const {
  const Int128 error =
      std::max(static_cast<Int128>(high_hz) - hz, static_cast<Int128>(hz) - low_hz);
  return Saturate(CeilDiv(error * kBillion, low_hz));
}

std::optional<Frequency> FrequencyBetween(const Sighting& early, const Sighting& late,
                                          const Steps& steps) {
  const Int128 elapsed = static_cast<Int128>(late.clock_ns) - early.clock_ns;
  const Int128 least_ticks =
      static_cast<Int128>(late.ticks_before) - early.ticks_after - steps.ticks;
  const Int128 most_ticks =
      static_cast<Int128>(late.ticks_after) - early.ticks_before + steps.ticks;
  if (elapsed <= steps.ns || least_ticks <= 0) return std::nullopt;
  const Int128 low = FloorDiv(least_ticks * kBillion, elapsed + steps.ns);
  const Int128 high = CeilDiv(most_ticks * kBillion, elapsed - steps.ns);
  if (low <= 0 || high > std::numeric_limits<int64_t>::max()) return std::nullopt;
  return Frequency{.hz = Saturate((low + high + 1) / 2),
                   .low_hz = Saturate(low),
                   .high_hz = Saturate(high),
                   .elapsed_ns = Saturate(elapsed)};
}

std::optional<Frequency> FrequencyBetween(const Sighting& early, const Sighting& late,
                                          const TimeSources& sources) {
  if (!sources.CounterIsReference()) return FrequencyBetween(early, late, sources.GetSteps());
  const Int128 elapsed = static_cast<Int128>(late.clock_ns) - early.clock_ns;
  return Frequency{kBillion, kBillion, kBillion, Saturate(elapsed)};
}

Calibration Calibrate(TimeSources& sources, const Sighting& early, const Patience& patience) {
  constexpr int64_t kFirstWaitNs = 100'000;
  int64_t waited = 0;
  for (;;) {
    Calibration seen = {.late = SeeReference(sources), .frequency = {}};
    seen.frequency = FrequencyBetween(early, seen.late, sources);
    const std::optional<Frequency>& f = seen.frequency;
    if (f && f->BoundPpb() <= patience.wanted_bound_ppb) return seen;
    if (waited >= patience.max_wait_ns) return seen;
    int64_t wait = kFirstWaitNs;
    if (f) wait = ElapsedNsFor(patience.wanted_bound_ppb, *f) - f->elapsed_ns;
    // A wider last sighting may need a little more than the first guess.
    wait = std::clamp<int64_t>(wait, kFirstWaitNs, patience.max_wait_ns);
    wait = std::min(wait, patience.max_wait_ns - waited);
    sources.Sleep(wait);
    waited += wait;
  }
}

int64_t EpochLine::ToNs(int64_t counter) const {
  const Int128 ticks = static_cast<Int128>(counter) - anchor_ticks_;
  if (ticks == 0 || ticks_ <= 0) return anchor_ns_;
  return Saturate(anchor_ns_ + MulDivRound(ticks, ns_, static_cast<UInt128>(ticks_)));
}

}  // namespace syncline
