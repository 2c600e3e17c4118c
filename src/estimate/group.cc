#include "estimate/group.h"

#include <algorithm>
#include <span>
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

using Distances = std::vector<int64_t>;

// From the corrected to the true time at every sample, at most; a side that is open anywhere has
// none. Rounding may put the correction a nanosecond outside: then the near side is 0, and the far
// one still holds the true time.
struct Sides {
  std::optional<Distances> below = Distances();
  std::optional<Distances> above = Distances();
};

Sides SidesAt(std::span<const LocalTime> samples, const Correction& correction,
              const TimeBounds& bounds) {
  const auto add = [](std::optional<Distances>& side, const std::optional<GlobalTime>& bound,
                      Int128 distance) {
    if (!bound) side.reset();
    if (side) side->push_back(Saturate(std::max<Int128>(distance, 0)));
  };
  Sides sides;
  for (const LocalTime t : samples) {
    if (!sides.below && !sides.above) break;
    const Int128 corrected = correction(t).ns;
    const std::optional<GlobalTime> lower = bounds.Lower(t);
    const std::optional<GlobalTime> upper = bounds.Upper(t);
    add(sides.below, lower, corrected - lower.value_or(GlobalTime{}).ns);
    add(sides.above, upper, upper.value_or(GlobalTime{}).ns - corrected);
  }
  return sides;
}

// The ± at every sample.
std::optional<Distances> LargerOf(const Sides& sides) {
  if (!sides.below || !sides.above) return std::nullopt;
  Distances larger;
  for (size_t i = 0; i < sides.below->size(); ++i) {
    larger.push_back(std::max((*sides.below)[i], (*sides.above)[i]));
  }
  return larger;
}

std::optional<BoundSummary> Summarize(std::span<const LocalTime> samples,
                                      const std::optional<Distances>& distances) {
  if (!distances) return std::nullopt;
  const auto [best, worst] = std::minmax_element(distances->begin(), distances->end());
  double area = 0;
  for (size_t i = 1; i < samples.size(); ++i) {
    const Int128 ticks = static_cast<Int128>(samples[i].ticks) - samples[i - 1].ticks;
    const double sum =
        static_cast<double>((*distances)[i - 1]) + static_cast<double>((*distances)[i]);
    area += sum / 2 * static_cast<double>(ticks);
  }
  const Int128 length = static_cast<Int128>(samples.back().ticks) - samples.front().ticks;
  const double mean =
      length > 0 ? area / static_cast<double>(length) : static_cast<double>(distances->back());
  return BoundSummary{*best, mean, *worst};
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

void ClockEstimate::WithdrawBounds() {
  bounds = TimeBounds();
  bound.reset();
  below.reset();
  above.reset();
}

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
  const std::vector<LocalTime> samples = SamplesOver(traced, estimate.correction, estimate.bounds);
  const Sides sides = SidesAt(samples, estimate.correction, estimate.bounds);
  estimate.bound = Summarize(samples, LargerOf(sides));
  estimate.below = Summarize(samples, sides.below);
  estimate.above = Summarize(samples, sides.above);
  return estimate;
}

}  // namespace syncline
