// Moves the lines of all clocks to the middle of what messages leave them: the analytic centre.
//
// The lines' rates stay; clock i moves by o_i. A pair (a, b) whose messages a → b keep at least
// s1 and whose messages b → a keep at least s2 then has s1 + o_b − o_a and s2 − o_b + o_a. The sum
// of the logarithms of all these is maximised: where pairs disagree about the middle, since ways
// there and back differ, the disagreement is spread over them, more of it over the wider ones, and
// none comes close to a contradiction. (For small differences d this is least squares of d/width.)
// How much more, nothing tells; among pairs of like widths hardly any: a pair's logarithms count by
// the power 1.5 of its width in geometric means of all, from half to twice.
// Method: Newton's, each step a weighted least-squares fit over the graph (potentials.h).
// Requires: unknowns in microseconds that leave every row a slack above its margin. Cost: up to 50
// fits. Tested by: src/estimate/joint/analytic_centre_test.cc.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "estimate/joint/joint_choice.h"
#include "estimate/joint/joint_programme.h"

namespace syncline {

// The least slacks of one pair, in microseconds; infinite where there are no messages.
struct PairSlack {
  size_t a = 0;
  size_t b = 0;
  double a_to_b_us = std::numeric_limits<double>::infinity();
  double b_to_a_us = std::numeric_limits<double>::infinity();
  double weight = 1;

  double BothUs() const { return a_to_b_us + b_to_a_us; }
};

// By clock: how far its times should move; 0 everywhere where a pair has no slack. Of clocks that
// pairs connect, the first one stays. As far as steps add more than `least_gain` per pair to the
// sum.
std::vector<double> MovesToCentre(size_t clocks, std::vector<PairSlack> pairs,
                                  double least_gain = 0);

// The unknowns after the move; unchanged where a row has no slack.
std::vector<double> AtAnalyticCentre(const JointProblem& problem, const JointRoles& roles,
                                     std::span<const JointRow> rows,
                                     std::span<const double> margins_ns,
                                     std::vector<double> unknowns_us);

}  // namespace syncline
