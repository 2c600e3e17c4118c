#include "estimate/joint/shared_lines.h"

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "estimate/joint/joint_paths.h"

namespace syncline {
namespace {

Parcel TaskOf(const JointProblem& problem, std::optional<BoundDensity> density) {
  Parcel task;
  task.Put(TeamTask::kLines, density, problem.clocks, problem.parents, problem.anchors,
           problem.ends, problem.prior);
  for (const auto& [a, b, estimate] : problem.pairs) {
    task.Put(a, b, estimate->line, estimate->drift_error, estimate->reading_a_ns,
             estimate->reading_b_ns, estimate->bounds);
  }
  return task;
}

void TakeShare(ParcelReader& outcome, JointLines& found) {
  if (outcome.Take<bool>()) {
    found.choice.emplace();
    outcome.Take(found.choice->lines, found.choice->inverted);
  }
  while (!outcome.is_at_end()) {
    const auto clock = outcome.Take<size_t>();
    found.bounds[clock] = outcome.Take<Bounds>();
  }
}

// A problem with the estimates that its pairs refer to.
struct OwnProblem {
  explicit OwnProblem(ParcelReader& task) {
    task.Take(problem.clocks, problem.parents, problem.anchors, problem.ends, problem.prior);
    while (!task.is_at_end()) {
      const auto a = task.Take<size_t>();
      const auto b = task.Take<size_t>();
      auto estimate = std::make_unique<PairEstimate>();
      task.Take(estimate->line, estimate->drift_error, estimate->reading_a_ns,
                estimate->reading_b_ns, estimate->bounds);
      problem.pairs.push_back({a, b, estimate.get()});
      estimates.push_back(std::move(estimate));
    }
  }

  JointProblem problem;
  std::vector<std::unique_ptr<PairEstimate>> estimates;
};

}  // namespace

JointLines FindLines(const JointProblem& problem, std::optional<BoundDensity> density,
                     const TeamMessages* team, std::function<void()>& before) {
  JointLines found;
  if (team != nullptr && HasManyClocks(problem)) {
    if (auto outcomes = team->Ask(TaskOf(problem, density), std::exchange(before, {}))) {
      if (density) found.bounds.resize(problem.clocks.size());
      for (ParcelReader& outcome : *outcomes) TakeShare(outcome, found);
      return found;
    }
  }
  found.choice = ChooseJointLines(problem);
  if (found.choice && density) {
    found.bounds = FindJointBounds(problem, JointPaths(problem), *density);
  }
  return found;
}

void FindShareOfLines(ParcelReader& task, size_t process, size_t processes, Parcel& outcome) {
  const auto density = task.Take<std::optional<BoundDensity>>();
  const bool chooses = process + 1 == processes;
  if (!chooses && !density) return outcome.Put(false);
  const OwnProblem own(task);
  const std::optional<JointChoice> choice = chooses ? ChooseJointLines(own.problem) : std::nullopt;
  outcome.Put(choice.has_value());
  if (choice) outcome.Put(choice->lines, choice->inverted);
  if (!density || (chooses && !choice)) return;
  const JointPaths paths(own.problem);
  const auto bounds = FindSomeBounds(own.problem, paths, *density, process, processes);
  for (size_t clock = 0; clock < bounds.size(); ++clock) {
    if (bounds[clock]) outcome.Put(clock, *bounds[clock]);
  }
}

}  // namespace syncline
