#include "syncline/estimate.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "estimate/drift_bounded/rate_limits.h"
#include "library/estimate_state.h"
#include "library/refusals.h"
#include "model/correct_all.h"

namespace syncline {
namespace {

ClockFigures FiguresOf(const LoadedTraces& loaded, const GroupEstimate& group, size_t clock) {
  const ClockEstimate& estimate = group.clocks[clock];
  const ClockId root = group.roots[estimate.component];
  ClockFigures figures{.name = loaded.traces.clocks[clock].name,
                       .quality = std::string(QualityName(estimate.quality)),
                       .reason = estimate.reason,
                       .reference = loaded.traces.clocks[root.index()].name,
                       .drift_ppm = estimate.drift_ppm,
                       .offset_ns = estimate.offset_ns};
  if (estimate.bound) figures.worst_bound_ns = estimate.bound->worst_ns;
  return figures;
}

}  // namespace

Result<SolveOptions> SolveOptionsOf(const EstimateOptions& options) {
  // As --max-drift-ppm and the others.
  const auto is_ppm = [](const std::optional<double>& ppm) {
    return !ppm || (*ppm >= 0 && *ppm <= drift_bounded::RateLimits::kMostPpm);
  };
  for (const auto& ppm : {options.max_drift_ppm, options.max_slew_ppm, options.max_wander_ppm}) {
    if (!is_ppm(ppm)) return Fail(ErrorCode::kUsage, fmt::format("{} is no limit of a rate", *ppm));
  }
  if (options.min_delay_ns < 0 || options.min_delay_ns > kLongestMinimumDelayNs) {
    return Fail(ErrorCode::kUsage,
                fmt::format("min_delay_ns: {} is not from 0 to 2^50", options.min_delay_ns));
  }
  if (!(options.max_outliers >= 0 && options.max_outliers <= 1)) {
    return Fail(ErrorCode::kUsage,
                fmt::format("max_outliers: {} is not from 0 to 1", options.max_outliers));
  }
  SolveOptions solve;
  solve.group = options.method == EstimateOptions::Method::kJoint ? GroupMethod::kJoint
                                                                  : GroupMethod::kDriftBounded;
  solve.max_drift_ppm = options.max_drift_ppm;
  if (options.max_drift_ppm) {
    solve.max_slew_ppm = std::max(options.max_slew_ppm.value_or(1000), *options.max_drift_ppm);
  } else {
    solve.max_slew_ppm = options.max_slew_ppm;
  }
  solve.max_wander_ppm = options.max_wander_ppm;
  solve.minimum_delay.all_ns = options.min_delay_ns;
  solve.max_suspects = options.max_outliers;
  solve.reference = options.reference;
  solve.for_json = true;
  return solve;
}

namespace {

Result<Estimate> EstimateTraces(const Traces& traces, const EstimateOptions& options) {
  auto state = std::make_shared<EstimateState>();
  state->loaded = traces.shared();
  SYNCLINE_ASSIGN(state->solve, SolveOptionsOf(options));
  SYNCLINE_ASSIGN(state->solution, Solve(traces.loaded(), state->solve));
  const GroupEstimate& group = state->solution.group;
  for (size_t i = 0; i < group.clocks.size(); ++i) {
    state->clocks.push_back(FiguresOf(traces.loaded(), group, i));
  }
  for (const ClockJump& jump : group.steps) {
    state->steps.push_back({jump.clock, jump.ahead_ns, jump.after_local, jump.before_local});
  }
  return Estimate(std::move(state));
}

}  // namespace

const std::vector<ClockFigures>& Estimate::clocks() const { return state_->clocks; }
const std::vector<ClockStep>& Estimate::steps() const { return state_->steps; }
ClockId Estimate::reference() const { return state_->solution.group.roots.front(); }
std::span<const Message> Estimate::outliers() const { return state_->solution.suspects; }
const Diagnostics& Estimate::diagnostics() const { return state_->solution.diagnostics; }

const Correction& Estimate::CorrectionOf(ClockId clock, uint32_t epoch) const {
  return syncline::CorrectionOf(state_->solution.group.clocks[clock.index()], epoch);
}

GlobalTime Estimate::Correct(ClockId clock, LocalTime reading, uint32_t epoch) const {
  return CorrectionOf(clock, epoch)(reading);
}

Interval Estimate::Bounds(ClockId clock, LocalTime reading, uint32_t epoch) const {
  const TimeBounds& bounds = BoundsOf(state_->solution.group.clocks[clock.index()], epoch);
  return {bounds.Lower(reading), bounds.Upper(reading)};
}

void Estimate::Correct(ClockId clock, std::span<const LocalTime> readings,
                       std::span<GlobalTime> corrected, uint32_t epoch) const {
  CorrectAll(CorrectionOf(clock, epoch), readings, corrected);
}

void Estimate::Bounds(ClockId clock, std::span<const LocalTime> readings,
                      std::span<GlobalTime> earliest, std::span<GlobalTime> latest,
                      uint32_t epoch) const {
  const TimeBounds& bounds = BoundsOf(state_->solution.group.clocks[clock.index()], epoch);
  const size_t count = std::min({readings.size(), earliest.size(), latest.size()});
  for (size_t i = 0; i < count; ++i) {
    earliest[i] = bounds.Lower(readings[i]).value_or(kOpenBefore);
    latest[i] = bounds.Upper(readings[i]).value_or(kOpenAfter);
  }
}

uint32_t Estimate::EpochsOf(ClockId clock) const {
  const ClockEstimate& estimate = state_->solution.group.clocks[clock.index()];
  return static_cast<uint32_t>(estimate.later_epochs.size()) + 1;
}

uint32_t Estimate::EpochOf(const EventRef& event) const {
  return state_->loaded->epochs.EpochOf(event);
}

GlobalTime Estimate::Correct(const EventRef& event) const {
  return Correct(state_->loaded->traces.processes[event.process.index()].clock, event.time,
                 EpochOf(event));
}

Interval Estimate::Bounds(const EventRef& event) const {
  return Bounds(state_->loaded->traces.processes[event.process.index()].clock, event.time,
                EpochOf(event));
}

Result<Estimate> EstimateClocks(const Traces& traces, const EstimateOptions& options) {
  return WithRefusals([&] { return EstimateTraces(traces, options); });
}

Result<Estimate> EstimateClocks(TraceSet set, std::span<const Message> messages,
                                const EstimateOptions& options) {
  SYNCLINE_ASSIGN(const Traces traces, FromMessages(std::move(set), messages));
  return EstimateClocks(traces, options);
}

}  // namespace syncline
