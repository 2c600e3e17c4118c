#include "estimate/pair_fit.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "estimate/lines/min_max.h"
#include "estimate/lines/robust.h"
#include "estimate/lines/two_point.h"

namespace syncline {
namespace {

FitFrame FrameOf(const PairEstimate& estimate, const Hulls& hulls) {
  const int64_t first = std::min(hulls.upper.front().x, hulls.lower.front().x);
  const int64_t last = std::max(hulls.upper.back().x, hulls.lower.back().x);
  return {.origin = {first + (last - first) / 2, hulls.upper.front().y},
          .first_x = first,
          .last_x = last,
          .drift = estimate.line->slope.Drift(),
          .min_delays = estimate.min_delays,
          .fewer_points = std::min(estimate.messages_ab, estimate.messages_ba)};
}

// None: the method does without a pass over the messages.
std::unique_ptr<LineFit> MakeFit(LineMethod method, const FitFrame& frame, double confidence) {
  switch (method) {
    case LineMethod::kWidest:
    case LineMethod::kBisector:
    case LineMethod::kRobust: return nullptr;
    case LineMethod::kRegression: return std::make_unique<RegressionFit>(frame, confidence);
    case LineMethod::kTwoPoint: return std::make_unique<TwoPointFit>(frame);
    case LineMethod::kMinMax: return std::make_unique<MinMaxFit>(frame);
  }
  return nullptr;
}

std::optional<FittedLine> RobustLine(const PairPoints& points, const FitFrame& frame,
                                     SlopeRange allowed) {
  const auto shifted = [](const PointSample& sample, int64_t by_ns) {
    std::vector<Point> moved(sample.points().begin(), sample.points().end());
    for (Point& p : moved) p.y += by_ns;
    return moved;
  };
  const auto line =
      TrimmedSquaresLine(shifted(points.SampleAToB(), -frame.min_delays.ab_ns),
                         shifted(points.SampleBToA(), frame.min_delays.ba_ns), frame, allowed);
  return line ? std::optional(FittedLine{*line, std::nullopt}) : std::nullopt;
}

bool IsTwoWay(const PairPoints& points) {
  return points.messages_ab() > 0 && points.messages_ba() > 0;
}

}  // namespace

PairFit::PairFit(const PairPoints& points, PairEstimate estimate, const PairOptions& options,
                 double confidence)
    : points_(points), estimate_(std::move(estimate)), options_(options) {
  if (!IsTwoWay(points)) return;
  const Hulls hulls = ShiftedHulls(points, estimate_.min_delays);
  fit_ = MakeFit(options.method, FrameOf(estimate_, hulls), confidence);
}

PairEstimate PairFit::Finish() && {
  if (!IsTwoWay(points_) || IsOfHulls(options_.method)) return std::move(estimate_);
  const SlopeRange allowed = PriorRange(options_.max_drift_ppm);
  const Hulls hulls = ShiftedHulls(points_, estimate_.min_delays);
  const auto fitted =
      fit_ ? fit_->Fit(allowed) : RobustLine(points_, FrameOf(estimate_, hulls), allowed);
  if (!fitted) return std::move(estimate_);
  const Violations violations =
      ViolationsOf(WithReadings(hulls, options_.reading_a_ns, options_.reading_b_ns), fitted->line);
  estimate_.line = fitted->line;
  estimate_.line_from = LineMethodName(options_.method);
  estimate_.regression = fitted->regression;
  estimate_.violations = violations;
  if (estimate_.quality == Quality::kAccurate && violations.count > 0) {
    estimate_.reason =
        fmt::format("the {} line has {} hull point{} on its wrong side, by up to {:.3f} µs",
                    estimate_.line_from, violations.count, violations.count == 1 ? "" : "s",
                    violations.worst_ns / 1000);
  }
  return std::move(estimate_);
}

}  // namespace syncline
