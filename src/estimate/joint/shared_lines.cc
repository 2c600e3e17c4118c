#include "estimate/joint/shared_bounds.h"

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

namespace syncline {
namespace {

void PutCurve(const std::optional<BoundCurve>& curve, Parcel& parcel) {
  parcel.Put(curve.has_value());
  if (!curve) return;
  parcel.PutEach(curve->left(), curve->vertices(), curve->right());
}

std::optional<BoundCurve> TakeCurve(ParcelReader& parcel) {
  if (!parcel.Take<bool>()) return std::nullopt;
  const auto left = parcel.Take<Slope>();
  auto vertices = parcel.TakeAll<Point>();
  return BoundCurve(left, std::move(vertices), parcel.Take<Slope>());
}

void PutBounds(const Bounds& bounds, Parcel& parcel) {
  PutCurve(bounds.upper, parcel);
  PutCurve(bounds.lower, parcel);
}

Bounds TakeBounds(ParcelReader& parcel) {
  auto upper = TakeCurve(parcel);
  return {std::move(upper), TakeCurve(parcel)};
}

Parcel TaskOf(const JointProblem& problem, BoundDensity density) {
  Parcel task;
  task.PutEach(TeamTask::kBounds, density, problem.clocks, problem.parents, problem.anchors,
               problem.ends, problem.prior);
  for (const auto& [a, b, estimate] : problem.pairs) {
    task.PutEach(a, b);
    PutBounds(estimate->bounds, task);
  }
  return task;
}

// A problem with the estimates that its pairs refer to.
struct OwnProblem {
  explicit OwnProblem(ParcelReader& task) {
    task.TakeEach(problem.clocks, problem.parents, problem.anchors, problem.ends, problem.prior);
    while (!task.is_at_end()) {
      const auto a = task.Take<size_t>();
      const auto b = task.Take<size_t>();
      auto estimate = std::make_unique<PairEstimate>();
      estimate->bounds = TakeBounds(task);
      problem.pairs.push_back({a, b, estimate.get()});
      estimates.push_back(std::move(estimate));
    }
  }

  JointProblem problem;
  std::vector<std::unique_ptr<PairEstimate>> estimates;
};

}  // namespace

std::vector<std::optional<Bounds>> FindBounds(const JointProblem& problem, const JointPaths& paths,
                                              BoundDensity density, const TeamMessages* team) {
  if (team == nullptr || !HasManyClocks(problem)) return FindJointBounds(problem, paths, density);
  auto outcomes = team->Ask(TaskOf(problem, density));
  if (!outcomes) return FindJointBounds(problem, paths, density);
  std::vector<std::optional<Bounds>> bounds(problem.clocks.size());
  for (ParcelReader& outcome : *outcomes) {
    while (!outcome.is_at_end()) {
      const auto clock = outcome.Take<size_t>();
      bounds[clock] = TakeBounds(outcome);
    }
  }
  return bounds;
}

void FindShareOfBounds(ParcelReader& task, size_t process, size_t processes, Parcel& outcome) {
  const auto density = task.Take<BoundDensity>();
  const OwnProblem own(task);
  const JointPaths paths(own.problem);
  const auto bounds = FindSomeBounds(own.problem, paths, density, process, processes);
  for (size_t clock = 0; clock < bounds.size(); ++clock) {
    if (!bounds[clock]) continue;
    outcome.Put(clock);
    PutBounds(*bounds[clock], outcome);
  }
}

}  // namespace syncline
