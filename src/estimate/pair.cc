#include "estimate/pair.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "estimate/lines/fast_slope.h"
#include "estimate/lines/hull_lines.h"

namespace syncline {
namespace {

// Slopes to choose a line from. Without a prior the admissible ones may reach absurd rates where
// messages leave them open; those must count for bounds but not for a choice.
SlopeRange Plausible(SlopeRange admissible) {
  constexpr SlopeRange kDetermined{{1, 2}, {2, 1}};
  constexpr SlopeRange kCommon{{999, 1000}, {1001, 1000}};
  if (admissible.min >= kDetermined.min && admissible.max <= kDetermined.max) return admissible;
  if (admissible.min > kCommon.max || admissible.max < kCommon.min) return admissible;
  return {std::max(admissible.min, kCommon.min), std::min(admissible.max, kCommon.max)};
}

struct ChosenLine {
  Line line;
  double drift_error = 0;
};

// What the admissible slopes leave open; never 0.
double WidthOf(SlopeRange slopes) {
  constexpr double kLeast = 1e-12;
  return std::max(static_cast<double>(slopes.max.Drift() - slopes.min.Drift()), kLeast);
}

// The drift of the fast messages, where they tell it better than the corridor does.
std::optional<QuantileDrift> SteadyDrift(const PairPoints& points, SlopeRange slopes) {
  const PointSample above = points.SampleAToB();
  const PointSample below = points.SampleBToA();
  const auto found = FindTrimmedDrift(above.points(), below.points());
  if (!found || found->error() > WidthOf(slopes) / 4) return std::nullopt;
  const auto refined = RefineDrift(above.points(), below.points(), found->drift);
  return refined ? *refined : QuantileDrift{found->drift, found->error()};
}

// `method`, or the widest line where hulls are not enough for it.
ChosenLine ChooseLine(const PairPoints& points, const Hulls& hulls, const Corridor& corridor,
                      LineMethod method) {
  const SlopeRange slopes = Plausible(corridor.slopes);
  const double half_width = WidthOf(corridor.slopes) / 2;
  if (method == LineMethod::kBisector) return {BisectorLine(hulls, slopes), half_width};
  if (const auto found = SteadyDrift(points, slopes)) {
    return {WidestLine(hulls, slopes, found->drift),
            std::max(std::min(found->error, half_width), 1e-12)};
  }
  return {WidestLine(hulls, slopes), half_width};
}

constexpr int64_t kLargestDelay = int64_t{1} << 49;  // 6.5 days

// Minimum delays that cannot overflow. A smaller one is a weaker claim.
MinDelays Clamped(MinDelays delays) {
  return {std::clamp(delays.ab_ns, -kLargestDelay, kLargestDelay),
          std::clamp(delays.ba_ns, -kLargestDelay, kLargestDelay)};
}

// Half of 0.9 times the smallest sum of a delay there and a delay back.
MinDelays AutoMinDelays(const PairPoints& points, SlopeRange prior, LineMethod method) {
  const Hulls hulls = ShiftedHulls(points, {});
  const Corridor corridor = FindCorridor(hulls, prior);
  if (corridor.state != Corridor::State::kOpen) return {};
  const int64_t round_trip = GapAt(hulls, ChooseLine(points, hulls, corridor, method).line.slope);
  const int64_t delay = std::min(round_trip, kLargestDelay) * 9 / 20;
  return {delay, delay};
}

std::string ReasonForNoLine(const PairPoints& points, const PairEstimate& estimate,
                            SlopeRange prior, Corridor::State state) {
  if (estimate.min_delays != MinDelays{} &&
      FindCorridor(ShiftedHulls(points, {}), prior).state == Corridor::State::kOpen) {
    return "the given minimum delays are larger than the messages allow";
  }
  if (state == Corridor::State::kEmptyByPrior) {
    return "the clocks drift more than the prior allows, or messages are matched wrongly";
  }
  return "no straight line fits all messages: the clocks are not linear or messages are matched "
         "wrongly";
}

// The line through the readings as they stand, or, where none passes, as late as they can be.
ChosenLine ChooseLine(const PairPoints& points, const Hulls& hulls, const Hulls& wide,
                      const Corridor& wide_corridor, SlopeRange prior, const PairOptions& options) {
  if (options.reading_a_ns > 0 || options.reading_b_ns > 0) {
    const Corridor corridor = FindCorridor(hulls, prior);
    if (corridor.state == Corridor::State::kOpen) {
      return ChooseLine(points, hulls, corridor, options.method);
    }
  }
  return ChooseLine(points, wide, wide_corridor, options.method);
}

PairEstimate Approximate(PairEstimate estimate, const PairPoints& points, const Hulls& hulls,
                         SlopeRange prior, Corridor::State state) {
  estimate.quality = Quality::kApproximate;
  estimate.line = FallbackLine(hulls, prior);
  estimate.line_from = "fallback";
  estimate.violations = ViolationsOf(hulls, *estimate.line);
  estimate.reason = ReasonForNoLine(points, estimate, prior, state);
  return estimate;
}

}  // namespace

std::string_view QualityName(Quality quality) {
  constexpr std::string_view kNames[] = {"accurate", "approximate", "incomplete", "absent"};
  return kNames[static_cast<size_t>(quality)];
}

std::string_view LineMethodName(LineMethod method) {
  constexpr std::string_view kNames[] = {"widest", "bisector",  "regression",
                                         "robust", "two-point", "minmax"};
  return kNames[static_cast<size_t>(method)];
}

PairEstimate EstimatePair(const PairPoints& points, const PairOptions& options) {
  const SlopeRange prior = PriorRange(options.max_drift_ppm);
  PairEstimate estimate;
  estimate.messages_ab = points.messages_ab();
  estimate.messages_ba = points.messages_ba();
  estimate.out_of_range = points.out_of_range();
  estimate.reading_a_ns = options.reading_a_ns;
  estimate.reading_b_ns = options.reading_b_ns;
  estimate.min_delays = Clamped(options.min_delays);
  if (options.min_delay_source == PairOptions::MinDelaySource::kAuto) {
    estimate.min_delays = AutoMinDelays(points, prior, options.method);
    estimate.min_delays_assumed = true;
  }
  const Hulls hulls = ShiftedHulls(points, estimate.min_delays);
  estimate.hull_ab = hulls.upper.size();
  estimate.hull_ba = hulls.lower.size();

  const Hulls wide = WithReadings(hulls, options.reading_a_ns, options.reading_b_ns);
  Corridor corridor = FindCorridor(wide, prior);
  switch (corridor.state) {
    case Corridor::State::kNoMessages: estimate.reason = "no usable messages"; return estimate;
    case Corridor::State::kEmptyByPrior:
    case Corridor::State::kEmpty:
      return Approximate(std::move(estimate), points, hulls, prior, corridor.state);
    case Corridor::State::kOneSided: {
      const int64_t centroid = hulls.lower.empty() ? points.CentroidAToB() : points.CentroidBToA();
      estimate.quality = Quality::kIncomplete;
      estimate.line = LeastDelayLine(hulls, centroid, Plausible(prior));
      estimate.line_from = "least-delay";
      estimate.reason = "messages in one direction only";
      break;
    }
    case Corridor::State::kOpen: {
      const ChosenLine chosen = ChooseLine(points, hulls, wide, corridor, prior, options);
      estimate.quality = Quality::kAccurate;
      estimate.line = chosen.line;
      estimate.drift_error = chosen.drift_error;
      estimate.line_from =
          LineMethodName(IsOfHulls(options.method) ? options.method : LineMethod::kWidest);
      break;
    }
  }
  SYNCLINE_CHECK(IsAdmissible(wide, *estimate.line));
  estimate.slopes = corridor.slopes;
  estimate.bounds = std::move(corridor.bounds);
  return estimate;
}

}  // namespace syncline
