#include "estimate/group.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/check.h"
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

// All three summaries over a stretch of time.
struct Widths {
  std::optional<BoundSummary> bound, below, above;
  Int128 length = 0;  // ticks
};

Widths WidthsOver(Interval traced, const Correction& correction, const TimeBounds& bounds) {
  const std::vector<LocalTime> samples = SamplesOver(traced, correction, bounds);
  const Sides sides = SidesAt(samples, correction, bounds);
  return {Summarize(samples, LargerOf(sides)), Summarize(samples, sides.below),
          Summarize(samples, sides.above),
          static_cast<Int128>(traced.last.ticks) - traced.first.ticks};
}

// Over several stretches of time; each counts at least a tick.
void Include(const Widths& other, Widths& all) {
  const auto before = static_cast<double>(std::max<Int128>(all.length, 1));
  const auto more = static_cast<double>(std::max<Int128>(other.length, 1));
  for (const auto side : {&Widths::bound, &Widths::below, &Widths::above}) {
    if (!(all.*side) || !(other.*side)) {
      (all.*side).reset();
      continue;
    }
    BoundSummary& sum = *(all.*side);
    const BoundSummary& added = *(other.*side);
    sum.best_ns = std::min(sum.best_ns, added.best_ns);
    sum.worst_ns = std::max(sum.worst_ns, added.worst_ns);
    sum.mean_ns = (sum.mean_ns * before + added.mean_ns * more) / (before + more);
  }
  all.length += std::max<Int128>(other.length, 1);
}

void SetWidths(const Widths& widths, ClockEstimate& clock) {
  clock.bound = widths.bound;
  clock.below = widths.below;
  clock.above = widths.above;
}

uint32_t LongestOf(std::span<const ReadingSpan> epochs) {
  const auto length = [](const ReadingSpan& span) {
    return static_cast<Int128>(span.last.ticks) - span.first.ticks;
  };
  const auto longest =
      std::max_element(epochs.begin(), epochs.end(),
                       [&](const auto& a, const auto& b) { return length(a) < length(b); });
  return static_cast<uint32_t>(longest - epochs.begin());
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
  for (ClockEpoch& epoch : later_epochs) epoch.bounds = TimeBounds();
  bound.reset();
  below.reset();
  above.reset();
}

ClockEstimate DescribeClock(const ClockInput& input, const Affine& to_global, TimeBounds bounds,
                            Quality quality, std::string reason) {
  Result<Correction> correction = CorrectionOver(input, to_global);
  if (!correction) {
    ClockEstimate estimate;
    estimate.correction = Correction::Nominal(input.clock);
    estimate.reason = "the correction is not representable: " + correction.error().message;
    return estimate;
  }
  ClockEstimate estimate = DescribeClock(input, *std::move(correction), std::move(bounds), quality);
  estimate.drift_ppm = DriftPpm(to_global.drift());
  estimate.reason = std::move(reason);
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
  SetWidths(WidthsOver(traced, estimate.correction, estimate.bounds), estimate);
  return estimate;
}

ClockEstimate DescribeClock(const ClockInput& input, Correction correction, TimeBounds bounds,
                            std::vector<ClockEpoch> later, Quality quality) {
  if (later.empty()) {
    return DescribeClock(input, std::move(correction), std::move(bounds), quality);
  }
  SYNCLINE_CHECK(later.size() + 1 == input.epochs.size());
  const uint32_t longest = LongestOf(input.epochs);
  const ReadingSpan& span = input.epochs[longest];
  const ClockInput of_longest{input.clock, span.first, span.last, {}};
  ClockEstimate estimate = DescribeClock(
      of_longest, longest == 0 ? correction : later[longest - 1].correction, TimeBounds(), quality);
  estimate.correction = std::move(correction);
  estimate.bounds = std::move(bounds);
  estimate.later_epochs = std::move(later);
  Widths all;
  for (uint32_t k = 0; k < input.epochs.size(); ++k) {
    const Widths widths = WidthsOver({input.epochs[k].first, input.epochs[k].last},
                                     CorrectionOf(estimate, k), BoundsOf(estimate, k));
    k == 0 ? void(all = widths) : Include(widths, all);
  }
  SetWidths(all, estimate);
  return estimate;
}

const Correction& CorrectionOf(const ClockEstimate& clock, uint32_t epoch) {
  if (epoch == 0 || clock.later_epochs.empty()) return clock.correction;
  return clock.later_epochs[std::min<size_t>(epoch, clock.later_epochs.size()) - 1].correction;
}

const TimeBounds& BoundsOf(const ClockEstimate& clock, uint32_t epoch) {
  if (epoch == 0 || clock.later_epochs.empty()) return clock.bounds;
  return clock.later_epochs[std::min<size_t>(epoch, clock.later_epochs.size()) - 1].bounds;
}

uint32_t EpochNear(const ClockEstimate& clock, LocalTime t) {
  const auto last = static_cast<uint32_t>(clock.later_epochs.size());
  for (uint32_t k = 0; k < last; ++k) {
    if (CorrectionOf(clock, k).knots().back().local >= t) return k;
  }
  return last;
}

LocalTime ReadingAt(const ClockEstimate& clock, GlobalTime t) {
  auto k = static_cast<uint32_t>(clock.later_epochs.size());
  while (k > 0 && CorrectionOf(clock, k).knots().front().global > t) --k;
  return CorrectionOf(clock, k).Inverse(t);
}

}  // namespace syncline
