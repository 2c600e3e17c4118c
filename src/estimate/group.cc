#include "estimate/group.h"

#include <algorithm>
#include <utility>

#include "base/int128.h"

namespace syncline {
namespace {

struct Interval {
  LocalTime first;
  LocalTime last;
};

Interval Traced(const ClockInput& input) {
  return {std::min(input.first, input.last), std::max(input.first, input.last)};
}

// The interval, lengthened to one second where it is shorter.
Interval AtLeastOneSecond(Interval traced, int64_t ticks_per_second) {
  const Int128 length = static_cast<Int128>(traced.last.ticks) - traced.first.ticks;
  if (length >= ticks_per_second) return traced;
  traced.last = {Saturate(static_cast<Int128>(traced.first.ticks) + ticks_per_second)};
  traced.first = {Saturate(static_cast<Int128>(traced.last.ticks) - ticks_per_second)};
  return traced;
}

// Clock::NominalNs before rounding.
FineTime ExactNominal(const Clock& clock, LocalTime t) {
  if (clock.IsNanoseconds()) return {t.ticks, 0};
  const Int128 scaled = (static_cast<Int128>(t.ticks) + clock.offset_ticks) * 1'000'000'000;
  const Int128 whole = FloorDiv(scaled, clock.ticks_per_second);
  if (Saturate(whole) != whole) return {Saturate(whole), 0};
  const auto rest = static_cast<long double>(scaled - whole * clock.ticks_per_second);
  return {Saturate(whole), rest / static_cast<long double>(clock.ticks_per_second)};
}

Result<Correction> CorrectionOver(const ClockInput& input, const Affine& to_global) {
  const Interval ends = AtLeastOneSecond(Traced(input), input.clock.ticks_per_second);
  const auto knot = [&](LocalTime t) {
    return Correction::Knot{t, {to_global(ExactNominal(input.clock, t)).Nearest()}};
  };
  return Correction::FromKnots({knot(ends.first), knot(ends.last)});
}

// 257 readings evenly over the interval, and those at which the bounds or the correction bend;
// sorted, distinct.
std::vector<LocalTime> SamplesOver(Interval traced, const Correction& correction,
                                   const TimeBounds& bounds) {
  constexpr int kParts = 256;
  const Int128 length = static_cast<Int128>(traced.last.ticks) - traced.first.ticks;
  std::vector<LocalTime> samples = bounds.Bends();
  for (const Correction::Knot& knot : correction.knots()) samples.push_back(knot.local);
  std::erase_if(samples, [&](LocalTime t) { return t < traced.first || t > traced.last; });
  for (int i = 0; i <= kParts; ++i) {
    samples.push_back({static_cast<int64_t>(traced.first.ticks + length * i / kParts)});
  }
  std::sort(samples.begin(), samples.end());
  samples.erase(std::unique(samples.begin(), samples.end()), samples.end());
  return samples;
}

// The larger distance from the corrected time to its bounds. Where rounding has put the correction
// a nanosecond outside, that is the distance to the far side, which still holds the true time.
std::optional<int64_t> HalfWidthAt(LocalTime t, const Correction& correction,
                                   const TimeBounds& bounds) {
  const std::optional<GlobalTime> upper = bounds.Upper(t);
  const std::optional<GlobalTime> lower = bounds.Lower(t);
  if (!upper || !lower) return std::nullopt;
  const Int128 corrected = correction(t).ns;
  return Saturate(std::max(upper->ns - corrected, corrected - lower->ns));
}

std::optional<BoundSummary> Summarize(Interval traced, const Correction& correction,
                                      const TimeBounds& bounds) {
  const std::vector<LocalTime> samples = SamplesOver(traced, correction, bounds);
  BoundSummary summary;
  double area = 0;
  int64_t previous = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    const std::optional<int64_t> width = HalfWidthAt(samples[i], correction, bounds);
    if (!width) return std::nullopt;
    summary.best_ns = i == 0 ? *width : std::min(summary.best_ns, *width);
    summary.worst_ns = std::max(summary.worst_ns, *width);
    if (i > 0) {
      const Int128 ticks = static_cast<Int128>(samples[i].ticks) - samples[i - 1].ticks;
      area += (static_cast<double>(previous) + static_cast<double>(*width)) / 2 *
              static_cast<double>(ticks);
    }
    previous = *width;
  }
  const Int128 length = static_cast<Int128>(traced.last.ticks) - traced.first.ticks;
  summary.mean_ns = length > 0 ? area / static_cast<double>(length) : static_cast<double>(previous);
  return summary;
}

// Slope − 1 of the chord of the correction over the interval, 0 where that has no length.
long double ChordDrift(const Clock& clock, const Correction& correction, Interval ends) {
  const Int128 run = static_cast<Int128>(clock.NominalNs(ends.last)) - clock.NominalNs(ends.first);
  const Int128 rise = static_cast<Int128>(correction(ends.last).ns) - correction(ends.first).ns;
  return run > 0 ? static_cast<long double>(rise - run) / static_cast<long double>(run) : 0;
}

// rate = d(local)/d(global) is the inverse of the slope of local → global.
double DriftPpm(long double drift) { return static_cast<double>(0 - drift / (1 + drift) * 1e6L); }

LocalTime MiddleOf(Interval traced) {
  const Int128 sum = static_cast<Int128>(traced.first.ticks) + traced.last.ticks;
  return {static_cast<int64_t>(FloorDiv(sum, 2))};
}

}  // namespace

ClockEstimate DescribeClock(const ClockInput& input, const Affine& to_global, TimeBounds bounds,
                            Quality quality) {
  Result<Correction> correction = CorrectionOver(input, to_global);
  if (!correction) {
    ClockEstimate estimate;
    estimate.correction = Correction::Nominal(input.clock);
    estimate.reason = "the correction is not representable: " + correction.error().message;
    return estimate;
  }
  ClockEstimate estimate = DescribeClock(input, *std::move(correction), std::move(bounds), quality);
  estimate.drift_ppm = DriftPpm(to_global.drift());
  return estimate;
}

ClockEstimate DescribeClock(const ClockInput& input, Correction correction, TimeBounds bounds,
                            Quality quality) {
  const Interval traced = Traced(input);
  ClockEstimate estimate;
  estimate.correction = std::move(correction);
  estimate.quality = quality;
  estimate.bounds = std::move(bounds);
  const Interval ends = AtLeastOneSecond(traced, input.clock.ticks_per_second);
  estimate.drift_ppm = DriftPpm(ChordDrift(input.clock, estimate.correction, ends));
  const LocalTime middle = MiddleOf(traced);
  const Int128 local = input.clock.NominalNs(middle);
  estimate.offset_ns = Saturate(local - estimate.correction(middle).ns);
  estimate.bound = Summarize(traced, estimate.correction, estimate.bounds);
  return estimate;
}

}  // namespace syncline
