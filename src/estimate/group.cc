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

struct Summed {
  BoundSummary bound;
  Int128 length = 0;  // ticks
};

std::optional<Summed> Summarize(Interval traced, const Correction& correction,
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
  return Summed{summary, length};
}

// Over several stretches of time; each counts at least a tick.
void Include(const Summed& other, std::optional<Summed>& all) {
  if (!all) {
    all = other;
    return;
  }
  BoundSummary& sum = all->bound;
  sum.best_ns = std::min(sum.best_ns, other.bound.best_ns);
  sum.worst_ns = std::max(sum.worst_ns, other.bound.worst_ns);
  const auto before = static_cast<double>(std::max<Int128>(all->length, 1));
  const auto more = static_cast<double>(std::max<Int128>(other.length, 1));
  sum.mean_ns = (sum.mean_ns * before + other.bound.mean_ns * more) / (before + more);
  all->length += std::max<Int128>(other.length, 1);
}

std::optional<BoundSummary> SummarizeEpochs(std::span<const ReadingSpan> epochs,
                                            const ClockEstimate& clock) {
  std::optional<Summed> all;
  for (uint32_t k = 0; k < epochs.size(); ++k) {
    const auto summed =
        Summarize({epochs[k].first, epochs[k].last}, CorrectionOf(clock, k), BoundsOf(clock, k));
    if (!summed) return std::nullopt;
    Include(*summed, all);
  }
  return all ? std::optional(all->bound) : std::nullopt;
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
  const auto summed = Summarize(traced, estimate.correction, estimate.bounds);
  if (summed) estimate.bound = summed->bound;
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
  estimate.bound = SummarizeEpochs(input.epochs, estimate);
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
