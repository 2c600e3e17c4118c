// The tightest bounds of every clock: the least and greatest global time that lines which satisfy
// all messages of all pairs can give an instant.
//
// Method: U_i(x), the maximum of g_i(x) over the rows of joint_programme.h, is convex in x, so the
// chord between two values lies above it; outside the values it stays below rays as steep or as
// flat as a line between L_i and U_i. L_i likewise below. The anchors and the ends of the trace are
// always among the values; more go to where chord and tangents (the optimal lines) are furthest
// apart. Above 24 clocks, only about 24 around the way from a clock to the root count
// (NearbyClocks); where that way alone has more than 48, as in long rings, nothing is optimised.
// Guarantee: independent of the solver. A value is the weak dual bound of the
// multipliers λ ≥ 0 it returns, Σ λ·constant + the greatest value of what λ leaves of the objective
// within the bounds of JointPaths, in extended precision, rounded outward; poor multipliers widen a
// bound, never falsify it. No value is wider than JointPaths. Units: nominal nanoseconds of a clock
// in, of the root out. Errors: none. Cost: 2·(values + points) simplex runs per clock,
// warm-started. Tested by: src/estimate/joint/joint_bounds_test.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "estimate/groups/shortest_paths.h"
#include "estimate/hulls/bound_curve.h"
#include "estimate/joint/joint_paths.h"
#include "estimate/joint/joint_programme.h"

namespace syncline {

// How many values to seek per clock and side.
struct BoundDensity {
  size_t values = 5;  // where the bound bends most; ≥ 2
  size_t points = 0;  // and at so many instants, evenly from anchor to anchor
};

// By clock. Of clocks that both sides of `paths` reach; none of others, of the root, and of clocks
// too far from it.
std::vector<std::optional<Bounds>> FindJointBounds(const JointProblem& problem,
                                                   const JointPaths& paths, BoundDensity density);

// Whether a clock's bounds rest on NearbyClocks alone, so that those of others need not be known.
bool HasManyClocks(const JointProblem& problem);
// The same of clocks number `first`, `first` + `step`, … only. Requires many clocks.
std::vector<std::optional<Bounds>> FindSomeBounds(const JointProblem& problem,
                                                  const JointPaths& paths, BoundDensity density,
                                                  size_t first, size_t step);

// Those of the paths alone, which are convex and concave as well. None where a curve would not
// rise. Requires a clock that both sides reach, not the root.
std::optional<Bounds> PathBounds(const JointProblem& problem, const JointPaths& paths, size_t clock,
                                 BoundDensity density);

// The part of a large problem that matters for one clock's bounds. Fewer constraints leave a bound
// valid, at most wider. What narrows the way from a clock to the root are clocks near that way, so
// the others are left out and the cost per clock stays the same however many clocks there are.
// Nearness: the sum of the distances to the clock and to the root along pairs, each as long as its
// bounds are wide. Clocks on the tree's path and on those of JointPaths are always part, so the
// bound is never wider than either. Cost: O(p log n) once, and per clock; O(n) for a way.
class NearbyClocks {
 public:
  // Ownership: both must outlive it.
  NearbyClocks(const JointProblem& problem, const JointPaths& paths);

  // The root, the clock, and what must be part besides.
  std::vector<size_t> WayOf(size_t clock) const;
  // The problem of about `count` clocks around `clock`, which has place 1 in it.
  JointProblem ProblemOf(size_t clock, size_t count) const;

 private:
  std::vector<size_t> Choose(size_t clock, size_t count) const;

  const JointProblem& problem_;
  const JointPaths& paths_;
  Graph graph_;
  std::vector<double> to_root_;
};

}  // namespace syncline
