#include "estimate/joint/joint.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/parallel.h"
#include "estimate/groups/tree_error.h"
#include "estimate/joint/joint_paths.h"
#include "estimate/joint/joint_programme.h"
#include "estimate/joint/shared_lines.h"

namespace syncline {
namespace {

constexpr char kContradiction[] =
    "no straight lines fit the messages of all pairs at once: a clock is not linear or messages "
    "are matched wrongly";

constexpr char kNoLine[] = "no line fits the messages of one of its pairs";
constexpr char kRelatedToNoLine[] = "no line fits the messages of a pair of clocks related to it";

// The conversion of a correction; none where its times are too far apart.
std::optional<Anchors> AnchorsOf(const ClockInput& input, const ClockEstimate& estimate) {
  const auto point = [&](const Correction::Knot& knot) {
    return Point{input.clock.NominalNs(knot.local), knot.global.ns};
  };
  const Anchors anchors{point(estimate.correction.knots().front()),
                        point(estimate.correction.knots().back())};
  constexpr Int128 kLongest = Int128{1} << 61;
  const Int128 run = static_cast<Int128>(anchors.last.x) - anchors.first.x;
  const Int128 rise = static_cast<Int128>(anchors.last.y) - anchors.first.y;
  if (run <= 0 || rise <= 0 || run > kLongest || rise > kLongest) return std::nullopt;
  return anchors;
}

// Clocks by the component's root first. The guesses are the corrections of `group`. There are fewer
// anchors than clocks where one's times are further apart than exact arithmetic allows.
JointProblem ProblemOf(size_t component, std::span<const ClockInput> clocks,
                       std::span<const PairInput> pairs, const GroupEstimate& group,
                       SlopeRange prior) {
  JointProblem problem;
  problem.prior = prior;
  problem.clocks.push_back(group.roots[component].index());
  for (size_t i = 0; i < clocks.size(); ++i) {
    if (group.clocks[i].component != component || i == problem.clocks[0]) continue;
    problem.clocks.push_back(i);
  }
  std::vector<size_t> place(clocks.size());
  for (size_t i = 0; i < problem.clocks.size(); ++i) place[problem.clocks[i]] = i;
  for (const size_t i : problem.clocks) {
    const std::optional<ClockId>& parent = group.clocks[i].parent;
    problem.parents.push_back(parent ? place[parent->index()] : 0);
    if (const auto anchors = AnchorsOf(clocks[i], group.clocks[i])) {
      problem.anchors.push_back(*anchors);
      problem.ends.push_back(
          {clocks[i].clock.NominalNs(clocks[i].first), clocks[i].clock.NominalNs(clocks[i].last)});
    }
  }
  for (const PairInput& pair : pairs) {
    if (!pair.estimate.line || group.clocks[pair.a.index()].component != component) continue;
    problem.pairs.push_back({place[pair.a.index()], place[pair.b.index()], &pair.estimate});
  }
  return problem;
}

// Without circles no pair says anything of another: the tree's lines satisfy all messages, and its
// composed bounds are tight.
bool IsTreeOfAccuratePairs(const JointProblem& problem) {
  return problem.pairs.size() + 1 == problem.clocks.size() &&
         std::ranges::all_of(problem.pairs, [](const JointPair& pair) {
           return pair.estimate->quality == Quality::kAccurate &&
                  pair.estimate->violations.count == 0;
         });
}

class ComponentSolver {
 public:
  ComponentSolver(std::span<const ClockInput> clocks, std::span<const PairInput> pairs,
                  const JointOptions& options, std::function<void()> other, GroupEstimate& group)
      : clocks_(clocks),
        pairs_(pairs),
        options_(options),
        other_(std::move(other)),
        group_(group) {}

  std::vector<JointFinding> SolveAll() {
    std::vector<JointFinding> findings;
    for (size_t c = 0; c < group_.roots.size(); ++c) findings.push_back(Solve(c));
    if (other_) other_();
    return findings;
  }

 private:
  JointFinding Solve(size_t component) {
    using State = JointFinding::State;
    const JointProblem problem =
        ProblemOf(component, clocks_, pairs_, group_, PriorRange(options_.max_drift_ppm));
    if (problem.clocks.size() == 1) return {};
    if (problem.anchors.size() < problem.clocks.size()) {
      KeepTree(problem);
      return {State::kFallback, "its times are too far apart"};
    }
    const bool has_lines = std::ranges::none_of(problem.pairs, [](const JointPair& pair) {
      return pair.estimate->quality == Quality::kApproximate;
    });
    if (!has_lines) {
      WithdrawClaims(problem, kRelatedToNoLine);
      return {State::kFallback, kNoLine};
    }
    if (IsTreeOfAccuratePairs(problem)) {
      KeepTree(problem);
      for (const size_t i : problem.clocks) group_.clocks[i].parent.reset();
      return {State::kJoint, ""};
    }
    std::optional<BoundDensity> density;
    if (options_.measures_bounds) density = {.points = options_.bound_points};
    JointLines lines = FindLines(problem, density, options_.team, other_);
    const std::optional<JointChoice>& choice = lines.choice;
    if (!choice) {
      WithdrawClaims(problem, kContradiction);
      return {State::kFallback, kContradiction};
    }
    Describe(problem, density, *choice, lines.bounds);
    return {State::kJoint, ""};
  }

  void KeepTree(const JointProblem& problem) {
    if (!options_.measures_bounds) return;
    ForEachParallel(problem.clocks.size(), [&](size_t i) {
      MeasureBounds(clocks_[problem.clocks[i]], group_.clocks[problem.clocks[i]]);
    });
  }

  // One of the assumptions is false. Clocks that no pair contradicts need not keep to it either:
  // where all of them wander, some pairs' messages still let lines through.
  void WithdrawClaims(const JointProblem& problem, const char* reason) {
    for (const size_t i : std::span(problem.clocks).subspan(1)) {
      ClockEstimate& clock = group_.clocks[i];
      if (clock.quality != Quality::kApproximate) clock.reason = reason;
      clock.quality = std::max(clock.quality, Quality::kApproximate);
      clock.WithdrawBounds();
    }
  }

  // What is known of a clock besides its line: `found`, if there are any.
  TimeBounds BoundsOfOne(const JointProblem& problem, const JointPaths& paths, size_t i,
                         BoundDensity density, std::optional<Bounds> found) {
    const ClockInput& input = clocks_[problem.clocks[i]];
    TimeBounds& tree = group_.clocks[problem.clocks[i]].bounds;
    if (!paths.HasBoth(i)) return {input.clock, paths.OneSide(i)};
    // The tree's bounds where a curve would not rise, or the root is far.
    const auto is_bounded = [&](LocalTime t) { return tree.Lower(t) && tree.Upper(t); };
    if (!found && !(is_bounded(input.first) && is_bounded(input.last))) {
      found = PathBounds(problem, paths, i, density);
    }
    if (!found) return std::move(tree);
    return {input.clock, {std::make_shared<const Bounds>(*std::move(found))}};
  }

  void Describe(const JointProblem& problem, std::optional<BoundDensity> density,
                const JointChoice& choice, std::vector<std::optional<Bounds>>& bounds) {
    const JointPaths paths(problem);
    for (size_t i = 1; i < problem.clocks.size(); ++i) {
      const ClockInput& input = clocks_[problem.clocks[i]];
      ClockEstimate& clock = group_.clocks[problem.clocks[i]];
      const bool has_both = paths.HasBoth(i);
      TimeBounds of_clock;
      if (density) of_clock = BoundsOfOne(problem, paths, i, *density, std::move(bounds[i]));
      Quality quality = has_both ? Quality::kAccurate : Quality::kIncomplete;
      std::string reason = has_both ? "" : "messages in one direction only";
      if (choice.inverted > 0) {
        quality = std::max(quality, Quality::kApproximate);
        reason = "no whole nanoseconds satisfy all messages";
      }
      const size_t component = clock.component;
      clock = DescribeClock(input, Affine(choice.lines[i].ToLine()), std::move(of_clock), quality,
                            std::move(reason));
      clock.component = component;
    }
  }

  std::span<const ClockInput> clocks_;
  std::span<const PairInput> pairs_;
  const JointOptions& options_;
  std::function<void()> other_;  // none once it was done
  GroupEstimate& group_;
};

}  // namespace

JointEstimate EstimateJoint(std::span<const ClockInput> clocks, std::span<const PairInput> pairs,
                            const JointOptions& options) {
  return EstimateJoint(
      clocks, pairs, options,
      EstimateTree(clocks, pairs, {.reference = options.reference, .measures_bounds = false}), {});
}

JointEstimate EstimateJoint(std::span<const ClockInput> clocks, std::span<const PairInput> pairs,
                            const JointOptions& options, GroupEstimate tree,
                            const std::function<void()>& meanwhile) {
  JointEstimate estimate{std::move(tree), {}};
  const auto solve = [&](const std::function<void()>& other) {
    estimate.components = ComponentSolver(clocks, pairs, options, other, estimate.group).SolveAll();
  };
  if (options.team != nullptr || !meanwhile) {
    solve(meanwhile);
  } else {
    ForEachParallel(2, [&](size_t i) { i == 0 ? solve({}) : meanwhile(); });
  }
  return estimate;
}

}  // namespace syncline
