// The part of a large problem that matters for one clock's bounds.
//
// Fewer constraints leave a bound valid, at most wider. What narrows the way from a clock to the
// root are clocks near that way, so the others are left out and the cost per clock stays the same
// however many clocks there are. Nearness: the sum of the distances to the clock and to the root
// along pairs, each as long as its bounds are wide. Clocks on the tree's path and on those of
// JointPaths are always part, so the bound is never wider than either.
// Cost: O(p log n) once, and per clock. Tested by: src/estimate/joint/joint_bounds_test.cc.
#pragma once

#include <cstddef>
#include <vector>

#include "estimate/groups/shortest_paths.h"
#include "estimate/joint/joint_paths.h"
#include "estimate/joint/joint_programme.h"

namespace syncline {

class NearbyClocks {
 public:
  // Ownership: both must outlive it.
  NearbyClocks(const JointProblem& problem, const JointPaths& paths);

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
