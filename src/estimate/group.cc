#include "estimate/group.h"

#include <algorithm>
#include <span>
#include <utility>

#include "syncline/time.h"

#include "base/check.h"
#include "base/int128.h"
#include "model/correct_all.h"

namespace syncline {
namespace {

ReadingSpan Traced(const ClockInput& input) {
  return {std::min(input.first, input.last), std::max(input.first, input.last)};
}

Int128 LengthOf(const ReadingSpan& span) { return Minus(span.last.ticks, span.first.ticks); }

// The span, lengthened to one second where it is shorter.
ReadingSpan AtLeastOneSecond(ReadingSpan span, int64_t ticks_per_second) {
  if (LengthOf(span) >= ticks_per_second) return span;
  span.last = {SaturatedSum(span.first.ticks, ticks_per_second)};
  span.first = {SaturatedSum(span.last.ticks, -ticks_per_second)};
  return span;
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
  const ReadingSpan ends = AtLeastOneSecond(Traced(input), input.clock.ticks_per_second);
  const auto knot = [&](LocalTime t) {
    return Correction::Knot{t, {to_global(ExactNominal(input.clock, t)).Nearest()}};
  };
  return Correction::FromKnots({knot(ends.first), knot(ends.last)});
}

// 257 readings evenly over the span, and those at which the correction bends.
std::vector<LocalTime> SamplesOver(const ReadingSpan& span, const Correction& correction) {
  constexpr int kParts = 256;
  std::vector<LocalTime> samples;
  for (const Correction::Knot& knot : correction.knots()) samples.push_back(knot.local);
  for (int i = 0; i <= kParts; ++i) {
    samples.push_back({static_cast<int64_t>(span.first.ticks + LengthOf(span) * i / kParts)});
  }
  return samples;
}

// Where a side is known, and for how long it is and is not, in ticks.
struct Width {
  std::optional<BoundSummary> summary;
  double known = 0, unknown = 0;

  // Of other stretches of time.
  void Include(const Width& other) {
    unknown += other.unknown;
    if (!other.summary) return;
    if (!summary) {
      summary = other.summary;
      known = other.known;
      return;
    }
    summary->best_ns = std::min(summary->best_ns, other.summary->best_ns);
    summary->worst_ns = std::max(summary->worst_ns, other.summary->worst_ns);
    summary->mean_ns =
        (summary->mean_ns * known + other.summary->mean_ns * other.known) / (known + other.known);
    known += other.known;
  }
};

// Of a side's distances at samples, in order; none where that side is open.
class WidthMeter {
 public:
  void Add(LocalTime t, std::optional<int64_t> ns) {
    if (ns) {
      if (!width_.summary) width_.summary = {*ns, 0, *ns};
      width_.summary->best_ns = std::min(width_.summary->best_ns, *ns);
      width_.summary->worst_ns = std::max(width_.summary->worst_ns, *ns);
    }
    if (last_) {
      const auto ticks = static_cast<double>(Minus(t.ticks, last_->ticks));
      (last_ns_ && ns ? width_.known : width_.unknown) += ticks;
      if (last_ns_ && ns) {
        area_ += (static_cast<double>(*last_ns_) + static_cast<double>(*ns)) / 2 * ticks;
      }
    }
    last_ = t;
    last_ns_ = ns;
  }

  Width Finish() {
    if (!width_.summary) {
      width_.unknown = std::max(width_.unknown, 1.0);
      return width_;
    }
    // Each stretch counts at least a tick.
    width_.summary->mean_ns =
        width_.known > 0 ? area_ / width_.known : static_cast<double>(width_.summary->worst_ns);
    width_.known = std::max(width_.known, 1.0);
    return width_;
  }

 private:
  Width width_;
  double area_ = 0;
  std::optional<LocalTime> last_;
  std::optional<int64_t> last_ns_;
};

// Over a stretch of time; last, of the sides where both are known.
struct Widths {
  Width bound, below, above, below_of_both, above_of_both;
  bool is_within = true;  // the correction, at the samples

  void Include(const Widths& other) {
    is_within &= other.is_within;
    for (const auto width : {&Widths::bound, &Widths::below, &Widths::above, &Widths::below_of_both,
                             &Widths::above_of_both}) {
      (this->*width).Include(other.*width);
    }
  }
};

// From the corrected to the true time, at most; none where that side is open. Rounding may put the
// correction a nanosecond outside: then the near side is 0, and the far one still holds the true
// time.
std::optional<int64_t> DistanceTo(const std::optional<GlobalTime>& bound, GlobalTime corrected,
                                  int sign) {
  if (!bound) return std::nullopt;
  const Int128 distance = (static_cast<Int128>(bound->ns) - corrected.ns) * sign;
  return Saturate(std::max<Int128>(distance, 0));
}

Widths WidthsOver(const ReadingSpan& span, const Correction& correction, const TimeBounds& bounds) {
  WidthMeter bound, below, above, below_of_both, above_of_both;
  const auto add = [&](LocalTime t, GlobalTime corrected, const TimeBounds::Interval& around) {
    const auto to_lower = DistanceTo(around.lower, corrected, -1);
    const auto to_upper = DistanceTo(around.upper, corrected, 1);
    const bool has_both = to_lower && to_upper;
    below.Add(t, to_lower);
    above.Add(t, to_upper);
    below_of_both.Add(t, has_both ? to_lower : std::nullopt);
    above_of_both.Add(t, has_both ? to_upper : std::nullopt);
    bound.Add(t, has_both ? std::optional(std::max(*to_lower, *to_upper)) : std::nullopt);
  };
  bool is_within = true;
  std::vector<GlobalTime> corrected;
  std::vector<TimeBounds::Interval> around;
  const auto add_some = [&](std::span<const LocalTime> some) {
    corrected.resize(some.size());
    around.resize(some.size());
    CorrectAll(correction, some, corrected);
    bounds.At(some, around);
    for (size_t i = 0; i < some.size(); ++i) {
      const auto& [lower, upper] = around[i];
      is_within &= !(lower && corrected[i] < *lower) && !(upper && corrected[i] > *upper);
      if (some[i] >= span.first && some[i] <= span.last) add(some[i], corrected[i], around[i]);
    }
  };
  bounds.VisitBends(SamplesOver(span, correction), add_some);
  return {bound.Finish(),         below.Finish(),         above.Finish(),
          below_of_both.Finish(), above_of_both.Finish(), is_within};
}

// Slope − 1 of the chord of the correction over the span, 0 where that has no length.
long double ChordDrift(const Clock& clock, const Correction& correction, const ReadingSpan& ends) {
  const Int128 run = static_cast<Int128>(clock.NominalNs(ends.last)) - clock.NominalNs(ends.first);
  const Int128 rise = static_cast<Int128>(correction(ends.last).ns) - correction(ends.first).ns;
  return run > 0 ? static_cast<long double>(rise - run) / static_cast<long double>(run) : 0;
}

// rate = d(local)/d(global) is the inverse of the slope of local → global.
double DriftPpm(long double drift) { return static_cast<double>(0 - drift / (1 + drift) * 1e6L); }

LocalTime MiddleOf(const ReadingSpan& span) {
  const Int128 sum = static_cast<Int128>(span.first.ticks) + span.last.ticks;
  return {static_cast<int64_t>(FloorDiv(sum, 2))};
}

// By epoch.
std::vector<ReadingSpan> SpansOf(const ClockInput& input, const ClockEstimate& estimate) {
  if (!estimate.later_epochs.empty()) return input.epochs;
  return {Traced(input)};
}

}  // namespace

void ClockEstimate::WithdrawBounds() {
  bounds = TimeBounds();
  for (ClockEpoch& epoch : later_epochs) epoch.bounds = TimeBounds();
  bound.reset();
  below.reset();
  above.reset();
  where_bounded.reset();
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
                            Quality quality, std::vector<ClockEpoch> later) {
  ClockEstimate estimate;
  estimate.quality = quality;
  estimate.correction = std::move(correction);
  estimate.bounds = std::move(bounds);
  estimate.later_epochs = std::move(later);
  const std::vector<ReadingSpan> spans = SpansOf(input, estimate);
  SYNCLINE_CHECK(spans.size() == estimate.later_epochs.size() + 1);
  const auto longest = std::ranges::max_element(
      spans, [](const auto& a, const auto& b) { return LengthOf(a) < LengthOf(b); });
  const Correction& main = CorrectionOf(estimate, static_cast<uint32_t>(longest - spans.begin()));
  const ReadingSpan ends = AtLeastOneSecond(*longest, input.clock.ticks_per_second);
  estimate.drift_ppm = DriftPpm(ChordDrift(input.clock, main, ends));
  const LocalTime middle = MiddleOf(*longest);
  estimate.offset_ns = Saturate(Minus(input.clock.NominalNs(middle), main(middle).ns));
  MeasureBounds(input, estimate);
  return estimate;
}

void MeasureBounds(const ClockInput& input, ClockEstimate& estimate) {
  const std::vector<ReadingSpan> spans = SpansOf(input, estimate);
  Widths all = WidthsOver(spans[0], estimate.correction, estimate.bounds);
  for (uint32_t k = 1; k < spans.size(); ++k) {
    all.Include(WidthsOver(spans[k], CorrectionOf(estimate, k), BoundsOf(estimate, k)));
  }
  const auto everywhere = [](const Width& width) {
    return width.unknown > 0 ? std::nullopt : width.summary;
  };
  estimate.is_within_bounds = all.is_within;
  estimate.bound = everywhere(all.bound);
  estimate.below = everywhere(all.below);
  estimate.above = everywhere(all.above);
  if (all.bound.summary) {
    estimate.where_bounded = {*all.bound.summary, all.below_of_both.summary.value(),
                              all.above_of_both.summary.value(),
                              all.bound.unknown / (all.bound.unknown + all.bound.known)};
  }
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
