#include "estimate/windows/joint_windows.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/int128.h"
#include "estimate/groups/contradiction.h"
#include "estimate/groups/tree_error.h"
#include "estimate/joint/clock_steps.h"
#include "estimate/windows/window_bounds.h"
#include "estimate/windows/window_centres.h"
#include "estimate/windows/window_problem.h"
#include "estimate/windows/window_repair.h"

namespace syncline {
namespace {

// Where most of the values are.
struct UsualRange {
  double median = 0;
  double deviation = 0;

  bool Contains(double value) const { return std::fabs(value - median) <= 10 * deviation + 1; }
};

UsualRange UsualOf(std::vector<double> values) {
  if (values.empty()) return {};
  const auto median_of = [](std::vector<double>& all) {
    const auto middle = all.begin() + static_cast<ptrdiff_t>(all.size() / 2);
    std::nth_element(all.begin(), middle, all.end());
    return *middle;
  };
  UsualRange range{.median = median_of(values)};
  for (double& value : values) value = std::fabs(value - range.median);
  range.deviation = median_of(values);
  return range;
}

class WindowSolver {
 public:
  WindowSolver(std::span<const ClockInput> clocks, std::span<const PairInput> pairs,
               const WindowHulls& hulls, GroupEstimate& group)
      : clocks_(clocks),
        pairs_(pairs),
        cells_(hulls.Cells()),
        part_ns_(hulls.part_ns()),
        group_(group) {}

  JointFinding Solve(size_t component) {
    const auto is_of = [&](const ClockEstimate& c) { return c.component == component; };
    if (std::count_if(group_.clocks.begin(), group_.clocks.end(), is_of) < 2) return {};
    auto problem = MakeWindowProblem(clocks_, pairs_, group_, component, cells_, part_ns_);
    if (!problem) return Fallback("its times are too far apart for windows of this length");
    const std::vector<FoundStep> steps = StepsIn(*problem);
    const WindowOutcome outcome = FitWindows(*problem);
    JointFinding finding = outcome.runs_forward
                               ? Describe(*problem, outcome, SetClocks(*problem, steps))
                               : Fallback("no increasing corrections follow its messages");
    finding.steps = steps;
    return finding;
  }

 private:
  static JointFinding Fallback(std::string reason) {
    return {JointFinding::State::kFallback, std::move(reason)};
  }

  // Of the straight guess, before corrections follow them. Its wrong slopes change the half-widths
  // of all parts alike; a part that holds a step has one like no other.
  static std::vector<FoundStep> StepsIn(const WindowProblem& problem) {
    const WindowCentres found = FindCentres(problem);
    std::vector<std::vector<double>> half_widths(problem.pairs.size());
    for (const WindowCentre& c : found.centres) half_widths[c.pair].push_back(c.half_width_us);
    std::vector<UsualRange> usual;
    usual.reserve(half_widths.size());
    for (std::vector<double>& of_pair : half_widths) usual.push_back(UsualOf(std::move(of_pair)));
    const int64_t origin = problem.knotted[0].knots.front().y;
    std::vector<StepCurve> curves;
    curves.reserve(problem.pairs.size());
    for (const PiecewisePair& pair : problem.pairs) curves.push_back({pair.a, pair.b, {}});
    for (const WindowCentre& centre : found.centres) {
      if (!usual[centre.pair].Contains(centre.half_width_us)) continue;
      const Int128 middle = (static_cast<Int128>(problem.GlobalAt(centre.times[0])) +
                             problem.GlobalAt(centre.times[2])) /
                            2;
      curves[centre.pair].samples.push_back(
          {static_cast<double>(middle - origin), centre.centre_us});
    }
    for (StepCurve& curve : curves) {
      std::sort(curve.samples.begin(), curve.samples.end(),
                [](const auto& x, const auto& y) { return x.at < y.at; });
    }
    std::vector<FoundStep> steps;
    for (const ClockStep& step : FindSteps(curves, problem.clocks.size())) {
      const auto global = [&](double at) {
        return GlobalTime{Saturate(static_cast<Int128>(origin) + std::llround(at))};
      };
      steps.push_back({ClockId(static_cast<uint32_t>(problem.clocks[step.clock])),
                       global(step.after), global(step.before),
                       std::llround(step.ahead_us * 1000)});
    }
    return steps;
  }

  // By clock of the problem.
  static std::vector<bool> SetClocks(const WindowProblem& problem,
                                     std::span<const FoundStep> steps) {
    std::vector<bool> was_set(problem.clocks.size());
    for (size_t i = 0; i < was_set.size(); ++i) {
      const ClockId id(static_cast<uint32_t>(problem.clocks[i]));
      was_set[i] = std::any_of(steps.begin(), steps.end(),
                               [id](const FoundStep& step) { return step.clock == id; });
    }
    return was_set;
  }

  // Clocks to blame for the messages that corrections could not be bent to satisfy, apart from
  // those that were set; by clock of the problem. A step that was not seen leaves some, and so do
  // wrong matches; clocks that wander leave none.
  static std::vector<bool> Contradicted(const WindowProblem& problem, const WindowOutcome& outcome,
                                        const std::vector<bool>& was_set) {
    std::vector<PairInput> pairs;
    for (size_t p = 0; p < problem.pairs.size(); ++p) {
      const auto& [a, b, delays] = problem.pairs[p];
      if (was_set[a] || was_set[b]) continue;
      PairInput pair{ClockId(static_cast<uint32_t>(a)), ClockId(static_cast<uint32_t>(b)), {}};
      pair.estimate.quality = outcome.contradicted[p] ? Quality::kApproximate : Quality::kAccurate;
      pairs.push_back(std::move(pair));
    }
    return ContradictedClocks(problem.clocks.size(), pairs, ClockId(0));
  }

  JointFinding Describe(const WindowProblem& problem, const WindowOutcome& outcome,
                        const std::vector<bool>& was_set) {
    const std::vector<bool> contradicted = Contradicted(problem, outcome, was_set);
    std::vector<bool> is_boundless = was_set;
    std::vector<Correction> corrections;
    JointFinding finding{.state = JointFinding::State::kPiecewise,
                         .reason = "it was asked for by --window",
                         .hull_points = outcome.vertices,
                         .violated = outcome.violated,
                         .worst_violation_ns = outcome.worst_violation_ns};
    for (size_t i = 0; i < problem.clocks.size(); ++i) {
      if (contradicted[i]) {
        is_boundless[i] = true;
        finding.contradicted.emplace_back(static_cast<uint32_t>(problem.clocks[i]));
      }
      auto correction = CorrectionOf(clocks_[problem.clocks[i]].clock, problem.knotted[i]);
      if (!correction) return Fallback(correction.error().message);
      corrections.push_back(*std::move(correction));
      if (i > 0) finding.knots += corrections.back().knots().size() - 2;
    }
    auto bounds = FindWindowBounds(clocks_, problem, corrections, is_boundless);
    if (bounds) finding.rate_error_ppm = bounds->rate_error_ppm;
    for (size_t i = 1; i < problem.clocks.size(); ++i) {
      DescribeClock(problem.clocks[i], std::move(corrections[i]),
                    bounds ? std::move(bounds->bounds[i]) : TimeBounds());
      if (was_set[i]) group_.clocks[problem.clocks[i]].reason += "; it was set";
      if (contradicted[i]) group_.clocks[problem.clocks[i]].reason += "; messages contradict it";
    }
    return finding;
  }

  static Result<Correction> CorrectionOf(const Clock& clock, const KnottedClock& knotted) {
    std::vector<Correction::Knot> knots;
    for (const Point knot : knotted.knots) {
      knots.push_back({clock.FromNominalNs(knot.x), GlobalTime{knot.y}});
    }
    return Correction::FromKnots(std::move(knots));
  }

  void DescribeClock(size_t clock, Correction correction, TimeBounds bounds) {
    ClockEstimate& estimate = group_.clocks[clock];
    const size_t component = estimate.component;
    const Quality quality = std::max(estimate.quality, Quality::kApproximate);
    const size_t pieces = correction.knots().size() - 1;
    estimate =
        syncline::DescribeClock(clocks_[clock], std::move(correction), std::move(bounds), quality);
    estimate.component = component;
    estimate.reason = fmt::format("followed by windows: {} straight pieces", pieces);
  }

  std::span<const ClockInput> clocks_;
  std::span<const PairInput> pairs_;
  std::vector<WindowHulls::Cell> cells_;
  int64_t part_ns_;
  GroupEstimate& group_;
};

}  // namespace

JointEstimate EstimateWindows(std::span<const ClockInput> clocks, std::span<const PairInput> pairs,
                              const WindowHulls& hulls, std::optional<ClockId> reference) {
  JointEstimate estimate{EstimateTree(clocks, pairs, {.reference = reference}), {}};
  WindowSolver solver(clocks, pairs, hulls, estimate.group);
  for (size_t c = 0; c < estimate.group.roots.size(); ++c) {
    estimate.components.push_back(solver.Solve(c));
  }
  return estimate;
}

}  // namespace syncline
