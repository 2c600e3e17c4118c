#include "estimate/pair_fit.h"

#include <algorithm>
#include <utility>

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

std::unique_ptr<LineFit> MakeFit(LineMethod method, const FitFrame& frame, const PairPoints& points,
                                 double confidence) {
  switch (method) {
    case LineMethod::kWidest:
    case LineMethod::kBisector:
      return nullptr;
    case LineMethod::kRegression:
      return std::make_unique<RegressionFit>(frame, confidence);
    case LineMethod::kRobust:
      return std::make_unique<RobustFit>(frame, points.SampleAToB(), points.SampleBToA());
    case LineMethod::kTwoPoint:
      return std::make_unique<TwoPointFit>(frame);
    case LineMethod::kMinMax:
      return std::make_unique<MinMaxFit>(frame);
  }
  return nullptr;
}

std::string ReasonOf(LineMethod method, const Violations& violations) {
  return fmt::format("the {} line has {} hull point{} on its wrong side, by up to {:.3f} µs",
                     LineMethodName(method), violations.count, violations.count == 1 ? "" : "s",
                     violations.worst_ns / 1000);
}

}  // namespace

PairFit::PairFit(const PairPoints& points, PairEstimate estimate, const PairOptions& options,
                 double confidence)
    : points_(points), estimate_(std::move(estimate)), options_(options) {
  if (points.messages_ab() == 0 || points.messages_ba() == 0) return;
  const Hulls hulls = ShiftedHulls(points, estimate_.min_delays);
  fit_ = MakeFit(options.method, FrameOf(estimate_, hulls), points, confidence);
}

PairEstimate PairFit::Finish() && {
  if (!fit_) return std::move(estimate_);
  const auto fitted = fit_->Fit(PriorRange(options_.max_drift_ppm));
  if (!fitted) return std::move(estimate_);
  const Hulls hulls = WithReadings(ShiftedHulls(points_, estimate_.min_delays),
                                   options_.reading_a_ns, options_.reading_b_ns);
  const Violations violations = ViolationsOf(hulls, fitted->line);
  estimate_.line = fitted->line;
  estimate_.line_from = LineMethodName(options_.method);
  estimate_.regression = fitted->regression;
  estimate_.violated = violations.count;
  estimate_.worst_violation_ns = violations.worst_ns;
  if (estimate_.quality == Quality::kAccurate && violations.count > 0) {
    estimate_.reason = ReasonOf(options_.method, violations);
  }
  return std::move(estimate_);
}

}  // namespace syncline
