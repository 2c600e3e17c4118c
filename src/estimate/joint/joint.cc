#include "estimate/joint/joint.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "estimate/groups/tree_error.h"
#include "estimate/joint/joint_bounds.h"
#include "estimate/joint/joint_choice.h"
#include "estimate/joint/joint_component.h"
#include "estimate/joint/joint_paths.h"
#include "estimate/joint/joint_programme.h"

namespace syncline {
namespace {

constexpr char kContradiction[] =
    "no straight lines fit the messages of all pairs at once: a clock is not linear or messages "
    "are matched wrongly";

class ComponentSolver {
 public:
  ComponentSolver(std::span<const ClockInput> clocks, std::span<const PairInput> pairs,
                  const JointOptions& options, GroupEstimate& group)
      : clocks_(clocks), pairs_(pairs), options_(options), group_(group) {}

  JointFinding Solve(size_t component) {
    JointProblem problem =
        ClocksOfComponent(clocks_, group_, component, PriorRange(options_.max_drift_ppm));
    if (problem.clocks.size() == 1) return {};
    if (problem.anchors.size() < problem.clocks.size()) {
      return {JointFinding::State::kFallback, "its times are too far apart"};
    }
    if (!AddPairs(component, problem)) {
      return {JointFinding::State::kFallback, "no line fits the messages of one of its pairs"};
    }
    const std::optional<JointChoice> choice = ChooseJointLines(problem);
    if (!choice) {
      WithdrawClaims(problem);
      return {JointFinding::State::kFallback, kContradiction};
    }
    Describe(problem, *choice);
    return {.state = JointFinding::State::kJoint,
            .hull_points = choice->hull_points,
            .violated = choice->violated,
            .worst_violation_ns = choice->worst_violation_ns};
  }

 private:
  // False where a pair has no admissible line.
  bool AddPairs(size_t component, JointProblem& problem) const {
    std::vector<size_t> place(clocks_.size());
    for (size_t i = 0; i < problem.clocks.size(); ++i) place[problem.clocks[i]] = i;
    for (const PairInput& pair : pairs_) {
      if (!pair.estimate.line || group_.clocks[pair.a.index()].component != component) continue;
      if (pair.estimate.quality == Quality::kApproximate) return false;
      problem.pairs.push_back({place[pair.a.index()], place[pair.b.index()], &pair.estimate});
    }
    return true;
  }

  // One of the assumptions is false, and nothing says where.
  void WithdrawClaims(const JointProblem& problem) {
    for (size_t i = 1; i < problem.clocks.size(); ++i) {
      ClockEstimate& clock = group_.clocks[problem.clocks[i]];
      clock.quality = std::max(clock.quality, Quality::kApproximate);
      clock.reason = kContradiction;
      clock.bounds = TimeBounds();
      clock.bound.reset();
    }
  }

  void Describe(const JointProblem& problem, const JointChoice& choice) {
    const JointPaths paths(problem);
    const auto bounds = FindJointBounds(problem, paths, options_.bound_values);
    for (size_t i = 1; i < problem.clocks.size(); ++i) {
      const ClockInput& input = clocks_[problem.clocks[i]];
      ClockEstimate& clock = group_.clocks[problem.clocks[i]];
      const size_t component = clock.component;
      TimeBounds time_bounds = clock.bounds;  // the tree's, where the solver fails
      if (bounds[i]) {
        time_bounds = TimeBounds(input.clock, {std::make_shared<const Bounds>(*bounds[i])});
      } else if (!paths.HasBoth(i)) {
        time_bounds = TimeBounds(input.clock, paths.OneSide(i));
      }
      Quality quality = paths.HasBoth(i) ? Quality::kAccurate : Quality::kIncomplete;
      std::string reason = paths.HasBoth(i) ? "" : "messages in one direction only";
      if (choice.inverted > 0) {
        quality = std::max(quality, Quality::kApproximate);
        reason = "no whole nanoseconds satisfy all messages";
      }
      clock =
          DescribeClock(input, Affine(choice.lines[i].ToLine()), std::move(time_bounds), quality);
      clock.component = component;
      if (clock.reason.empty()) clock.reason = std::move(reason);
    }
  }

  std::span<const ClockInput> clocks_;
  std::span<const PairInput> pairs_;
  const JointOptions& options_;
  GroupEstimate& group_;
};

}  // namespace

JointEstimate EstimateJoint(std::span<const ClockInput> clocks, std::span<const PairInput> pairs,
                            const JointOptions& options) {
  JointEstimate estimate{EstimateTree(clocks, pairs, {.reference = options.reference}), {}};
  ComponentSolver solver(clocks, pairs, options, estimate.group);
  for (size_t c = 0; c < estimate.group.roots.size(); ++c) {
    estimate.components.push_back(solver.Solve(c));
  }
  return estimate;
}

}  // namespace syncline
