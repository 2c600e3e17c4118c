// One line per clock, all chosen at once: as far as possible from every message of every pair.
//
// Method: linear programmes over the rows of joint_programme.h, one after the other:
//   1. The greatest slack that every message of pairs with both ways can have at once; a pair with
//      messages one way counts where messages of others lead back.
//   2. With half of that slack kept, the rates nearest to those that fit the pairs' own lines best,
//      by least squares over all pairs. The greatest slack alone rests on few messages, and their
//      jitter would become drift (pairs.md).
//   3. With these rates, stage 1 again.
//   4. Offsets in the middle of what messages leave: analytic_centre.h.
//   5. Clocks that are related to the root in one direction only come as near as possible to their
//      pairs' lines of least delay.
// Departure: the objective Σ w(p) of the specification, the sum of the pairs' smaller widths. Where
// pairs disagree about the middle, since ways there and back differ, many solutions have the same
// sum, and a corner puts all of the disagreement on one pair; stages 3 and 4 spread it.
// Then anchors are rounded to integers. Rows keep a margin of 1 ns for that where they can.
// Guarantee: with `violated` = 0 no hull point is on the wrong side, checked in exact integers; so
// no message is, before its times are rounded to nanoseconds.
// Errors: nothing when no lines satisfy all messages. Cost: a few simplex runs of 2n + p columns
// and few more rows than bind.
// Tested by: src/estimate/joint/joint_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "estimate/joint/joint_programme.h"

namespace syncline {

// What a pair contributes to the choice.
enum class PairRole {
  kTwoWay,      // messages both ways
  kCircle,      // one way, but messages of other pairs lead back
  kLimit,       // the same, between clocks that pairs with both ways relate: they only forbid
  kLeastDelay,  // one way, and nothing leads back
};

struct JointRoles {
  std::vector<PairRole> of_pair;
  std::vector<bool> is_inside;  // by clock: messages lead to the root and back
  // By clock: the first of those that pairs with both ways connect it with, itself included.
  std::vector<size_t> leader;
};
JointRoles FindRoles(const JointProblem& problem);

struct JointChoice {
  std::vector<Anchors> lines;  // by clock of the problem
  size_t violated = 0;         // hull points on the wrong side, by less than rounding can repair
  size_t inverted = 0;  // of these, that stay there when corrected times are rounded to nanoseconds
  std::vector<int64_t> shortfalls_ns;  // by hull point: how far on the wrong side, rounded up
};

std::optional<JointChoice> ChooseJointLines(const JointProblem& problem);

}  // namespace syncline
