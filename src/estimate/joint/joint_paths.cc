#include "estimate/joint/joint_paths.h"

#include <limits>

#include "base/check.h"

namespace syncline {
JointPaths::JointPaths(const JointProblem& problem) {
  const size_t n = problem.clocks.size();
  std::vector<std::vector<size_t>> pairs_of(n);
  for (size_t p = 0; p < problem.pairs.size(); ++p) {
    pairs_of[problem.pairs[p].a].push_back(p);
    pairs_of[problem.pairs[p].b].push_back(p);
  }
  const auto search = [&](std::optional<BoundCurve> Bounds::*side) {
    Hops hops(n);
    std::vector<size_t> queue = {0};
    for (size_t head = 0; head < queue.size(); ++head) {
      for (const size_t p : pairs_of[queue[head]]) {
        const JointPair& pair = problem.pairs[p];
        const bool from_a = pair.b == queue[head];
        const size_t clock = from_a ? pair.a : pair.b;
        if (Has(hops, clock)) continue;
        // a's upper bounds come from its messages to b, b's from its messages to a.
        const bool is_upper = side == &Bounds::upper;
        if (!(from_a == is_upper ? pair.HasAToB() : pair.HasBToA())) continue;
        const Bounds& bounds = pair.estimate->bounds;
        hops[clock] = {std::make_shared<const Bounds>(from_a ? bounds : bounds.Inverted()),
                       queue[head]};
        queue.push_back(clock);
      }
    }
    return hops;
  };
  upper_ = search(&Bounds::upper);
  lower_ = search(&Bounds::lower);
}

std::optional<int64_t> JointPaths::Upper(size_t clock, int64_t x) const {
  if (!Has(upper_, clock)) return std::nullopt;
  for (; clock != 0; clock = upper_[clock]->next) x = upper_[clock]->towards_root->upper->Ceil(x);
  if (x == std::numeric_limits<int64_t>::max()) return std::nullopt;
  return x;
}

std::optional<int64_t> JointPaths::Lower(size_t clock, int64_t x) const {
  if (!Has(lower_, clock)) return std::nullopt;
  for (; clock != 0; clock = lower_[clock]->next) x = lower_[clock]->towards_root->lower->Floor(x);
  if (x == std::numeric_limits<int64_t>::min()) return std::nullopt;
  return x;
}

std::vector<size_t> JointPaths::ClocksOn(size_t clock) const {
  std::vector<size_t> clocks;
  for (const Hops* hops : {&upper_, &lower_}) {
    if (!Has(*hops, clock)) continue;
    for (size_t i = clock; i != 0; i = (*hops)[i]->next) clocks.push_back(i);
  }
  return clocks;
}

std::vector<TimeBounds::Step> JointPaths::OneSide(size_t clock) const {
  SYNCLINE_CHECK(!HasBoth(clock));
  const bool is_upper = Has(upper_, clock);
  const Hops& hops = is_upper ? upper_ : lower_;
  std::vector<TimeBounds::Step> steps;
  if (!Has(hops, clock)) return {std::make_shared<const Bounds>()};
  for (; clock != 0; clock = hops[clock]->next) {
    Bounds step = *hops[clock]->towards_root;
    (is_upper ? step.lower : step.upper).reset();
    steps.push_back(std::make_shared<const Bounds>(std::move(step)));
  }
  return steps;
}

}  // namespace syncline
