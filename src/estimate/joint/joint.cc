#include "estimate/joint/joint.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "estimate/groups/tree_error.h"
#include "estimate/joint/joint_bounds.h"
#include "estimate/joint/joint_choice.h"
#include "estimate/joint/joint_component.h"
#include "estimate/joint/joint_limits.h"
#include "estimate/joint/joint_paths.h"
#include "estimate/joint/joint_programme.h"

namespace syncline {
namespace {

constexpr char kContradiction[] =
    "no straight lines fit the messages of all pairs at once: a clock is not linear or messages "
    "are matched wrongly";
constexpr char kNoLine[] = "no line fits the messages of one of its pairs";
constexpr char kRelatedToNoLine[] = "no line fits the messages of a pair of clocks related to it";

// Where a time may be that is at most `distance` from both bounds, a nanosecond left for rounding;
// their middle where that is nowhere.
TimeLimit LimitedDistance(size_t clock, int64_t at_ns, GlobalTime lower, GlobalTime upper,
                          int64_t distance) {
  const Int128 least = static_cast<Int128>(upper.ns) - distance + 1;
  const Int128 greatest = static_cast<Int128>(lower.ns) + distance - 1;
  if (least <= greatest) return {clock, at_ns, Saturate(least), Saturate(greatest)};
  const auto middle =
      static_cast<int64_t>(FloorDiv(static_cast<Int128>(lower.ns) + upper.ns, Int128{2}));
  return {clock, at_ns, middle, middle};
}

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
      WithdrawClaims(problem, kRelatedToNoLine);
      return {JointFinding::State::kFallback, kNoLine};
    }
    if (IsTreeOfAccuratePairs(problem)) return KeepTree(problem);
    const std::optional<JointChoice> choice = ChooseJointLines(problem);
    if (!choice) {
      WithdrawClaims(problem, kContradiction);
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

  // Without circles no pair says anything of another: the tree's lines satisfy all messages, and
  // its composed bounds are tight.
  static bool IsTreeOfAccuratePairs(const JointProblem& problem) {
    const auto is_accurate = [](const JointPair& pair) {
      return pair.estimate->quality == Quality::kAccurate && pair.estimate->violated == 0;
    };
    return problem.pairs.size() + 1 == problem.clocks.size() &&
           std::all_of(problem.pairs.begin(), problem.pairs.end(), is_accurate);
  }

  JointFinding KeepTree(const JointProblem& problem) {
    JointFinding finding{.state = JointFinding::State::kJoint};
    for (const JointPair& pair : problem.pairs) {
      const Bounds& bounds = pair.estimate->bounds;
      finding.hull_points += bounds.upper->vertices().size() + bounds.lower->vertices().size();
    }
    for (const size_t i : problem.clocks) group_.clocks[i].parent.reset();
    return finding;
  }

  // One of the assumptions is false. Clocks that no pair contradicts need not keep to it either:
  // where all of them wander, some pairs' messages still let lines through.
  void WithdrawClaims(const JointProblem& problem, const char* reason) {
    for (size_t i = 1; i < problem.clocks.size(); ++i) {
      ClockEstimate& clock = group_.clocks[problem.clocks[i]];
      if (clock.quality != Quality::kApproximate) clock.reason = reason;
      clock.quality = std::max(clock.quality, Quality::kApproximate);
      clock.bounds = TimeBounds();
      clock.bound.reset();
    }
  }

  void Describe(const JointProblem& problem, const JointChoice& choice) {
    const JointPaths paths(problem);
    std::vector<TimeBounds> bounds = BoundsOf(problem, paths);
    const std::vector<Anchors> lines = NoFurtherFromBoundsThanTree(problem, choice.lines, bounds);
    for (size_t i = 1; i < problem.clocks.size(); ++i) {
      const ClockInput& input = clocks_[problem.clocks[i]];
      ClockEstimate& clock = group_.clocks[problem.clocks[i]];
      const size_t component = clock.component;
      Quality quality = paths.HasBoth(i) ? Quality::kAccurate : Quality::kIncomplete;
      std::string reason = paths.HasBoth(i) ? "" : "messages in one direction only";
      if (choice.inverted > 0) {
        quality = std::max(quality, Quality::kApproximate);
        reason = "no whole nanoseconds satisfy all messages";
      }
      clock = DescribeClock(input, Affine(lines[i].ToLine()), std::move(bounds[i]), quality);
      clock.component = component;
      if (clock.reason.empty()) clock.reason = std::move(reason);
    }
  }

  std::vector<TimeBounds> BoundsOf(const JointProblem& problem, const JointPaths& paths) const {
    const auto found = FindJointBounds(
        problem, paths, {.values = options_.bound_values, .points = options_.bound_points});
    std::vector<TimeBounds> bounds(problem.clocks.size());
    for (size_t i = 1; i < problem.clocks.size(); ++i) {
      const Clock& clock = clocks_[problem.clocks[i]].clock;
      if (found[i]) {
        bounds[i] = TimeBounds(clock, {std::make_shared<const Bounds>(*found[i])});
      } else if (!paths.HasBoth(i)) {
        bounds[i] = TimeBounds(clock, paths.OneSide(i));
      } else {
        bounds[i] = group_.clocks[problem.clocks[i]].bounds;  // the tree's, where it would not rise
      }
    }
    return bounds;
  }

  // The largest ± of the clocks that have one in `tree`; that of `other` where it is smaller and
  // has one for all of them.
  static int64_t SmallerWorst(const JointProblem& problem, const GroupEstimate& tree,
                              const GroupEstimate& other) {
    int64_t worst_ns = 0, other_ns = 0;
    for (const size_t clock : problem.clocks) {
      const std::optional<BoundSummary>& bound = tree.clocks[clock].bound;
      if (!bound) continue;
      const std::optional<BoundSummary>& others = other.clocks[clock].bound;
      worst_ns = std::max(worst_ns, bound->worst_ns);
      other_ns = std::max(other_ns, others ? others->worst_ns : INT64_MAX);
    }
    return std::min(worst_ns, other_ns);
  }

  // Limits stand at the ends of every trace, where the ± of a clock is largest.
  std::vector<Anchors> NoFurtherFromBoundsThanTree(const JointProblem& problem,
                                                   std::vector<Anchors> lines,
                                                   std::span<const TimeBounds> bounds) const {
    const ClockId root(static_cast<uint32_t>(problem.clocks[0]));
    const GroupEstimate by_hops =
        EstimateTree(clocks_, pairs_, {.reference = root, .weights = TreeOptions::Weights::kHops});
    const int64_t worst_ns = SmallerWorst(problem, group_, by_hops);
    std::vector<TimeLimit> limits;
    for (size_t i = 1; i < problem.clocks.size(); ++i) {
      const ClockInput& input = clocks_[problem.clocks[i]];
      if (!group_.clocks[problem.clocks[i]].bound) continue;
      for (const LocalTime t : {input.first, input.last}) {
        const auto lower = bounds[i].Lower(t);
        const auto upper = bounds[i].Upper(t);
        if (!lower || !upper) continue;
        limits.push_back(LimitedDistance(i, input.clock.NominalNs(t), *lower, *upper, worst_ns));
      }
    }
    // Bounds are rounded outward, once per side: nothing to move a line for.
    constexpr int64_t kRounding = 2;
    const bool is_within = std::all_of(limits.begin(), limits.end(), [&](const TimeLimit& limit) {
      const int64_t y = lines[limit.clock].ToLine().Nearest(limit.at_ns);
      return y >= limit.least_ns - kRounding && y <= limit.greatest_ns + kRounding;
    });
    if (is_within) return lines;
    JointProblem of_lines = problem;
    of_lines.anchors = std::move(lines);
    return WithinLimits(std::move(of_lines), limits);
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
