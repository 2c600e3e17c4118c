// Moves lines towards the middle of their bounds, as little as need be, until no corrected time is
// further from its farther bound than it may be.
//
// Why: what all pairs together make most plausible is not the middle of what is possible. Without a
// limit the worst ± of all clocks could be larger than a tree's, though every interval of true
// times is narrower.
// Method: a linear programme over the rows of joint_programme.h. Lines move as a whole rather than
// turn, since their rates are well known; limits that messages do not allow are kept as nearly as
// possible. No row gets less than 1 ns of room, unless it has less already.
// Units: nominal nanoseconds in, nanoseconds out.
// Errors: lines stay where the solver fails, or where rounding would put a hull point on the wrong
// side.
// Cost: a simplex run of 4n columns, none where every line is within its limits.
// Tested by: src/estimate/joint/joint_limits_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "estimate/joint/joint_programme.h"

namespace syncline {

// g_clock(at_ns) shall lie in [least_ns, greatest_ns].
struct TimeLimit {
  size_t clock = 0;
  int64_t at_ns = 0;
  int64_t least_ns = 0;
  int64_t greatest_ns = 0;  // ≥ least_ns
};

// `problem` with the lines as its anchors.
std::vector<Anchors> WithinLimits(JointProblem problem, std::span<const TimeLimit> limits);

}  // namespace syncline
