// Certified upper bounds of linear functions of all clocks' unknowns.
//
// Maximises over the rows of joint_programme.h and turns whatever multipliers λ come back into a
// bound that holds (joint_bounds.h). The programme that is solved is the dual one: its columns are
// multipliers, its rows the unknowns, which are few. Of the rows of joint_programme.h few ever
// count, so it begins with the limits of JointPaths alone and takes in those that the solution
// violates until it violates none; what one objective needed is there for the next.
// Tested by: src/estimate/joint/joint_bounds_test.cc.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "estimate/joint/joint_paths.h"
#include "estimate/joint/joint_programme.h"
#include "estimate/joint/linear_programme.h"

namespace syncline {

class DualBound {
 public:
  DualBound(const JointProblem& problem, const JointPaths& paths);

  struct Maximum {
    long double at_most_ns = 0;              // certified
    std::array<double, 2> unknowns_ns = {};  // u and v of a line that about attains it
  };
  // The maximum of weights[0] · u + weights[1] · v of one clock.
  // Requires a clock that both sides of the paths reach, not the root.
  Maximum Of(size_t clock, std::array<long double, 2> weights);

 private:
  struct Interval {
    long double low = 0;
    long double high = 0;
  };

  // Takes in the worst violated row of each pair and direction; false where there is none.
  bool TakeInViolated();
  long double Certified(size_t clock, std::array<long double, 2> weights) const;

  std::vector<JointRow> rows_;  // those between clocks that both sides reach
  std::vector<size_t> group_;   // by row: the same for a pair's rows of one direction or kind
  size_t groups_ = 0;
  std::vector<bool> is_taken_;  // by row
  std::vector<size_t> taken_;   // rows, in the order of the solver's
  std::vector<Interval> box_;   // by unknown, in ns
  std::optional<LinearSolver> solver_;
};

}  // namespace syncline
