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
  parcel.Put(curve->left());
  parcel.PutAll(curve->vertices());
  parcel.Put(curve->right());
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
  task.Put(TeamTask::kBounds);
  task.Put(density);
  task.PutAll(problem.clocks);
  task.PutAll(problem.parents);
  task.PutAll(problem.anchors);
  task.PutAll(problem.readings_ns);
  task.PutAll(problem.ends);
  task.Put(problem.prior);
  for (const auto& [a, b, estimate] : problem.pairs) {
    task.Put(a);
    task.Put(b);
    PutBounds(estimate->bounds, task);
  }
  return task;
}

// A problem with the estimates that its pairs refer to.
struct OwnProblem {
  explicit OwnProblem(ParcelReader& task) {
    problem.clocks = task.TakeAll<size_t>();
    problem.parents = task.TakeAll<size_t>();
    problem.anchors = task.TakeAll<Anchors>();
    problem.readings_ns = task.TakeAll<int64_t>();
    problem.ends = task.TakeAll<std::array<int64_t, 2>>();
    problem.prior = task.Take<SlopeRange>();
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
