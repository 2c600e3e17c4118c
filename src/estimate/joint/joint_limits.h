// Moves lines towards the middle of their bounds, as little as need be, until no corrected time is
// further from its farther bound than a given distance.
//
// Why: what all pairs together make most plausible is not the middle of what is possible. Without a
// limit the worst ± of all clocks could be larger than a tree's, though every interval of true
// times is narrower.
// Method: a linear programme over the rows of joint_programme.h. Lines move as a whole; one end
// moves alone as far as that hardly changes the rate, by half of its standard deviation; they turn
// only where nothing else does. Where messages do not allow the distance, they keep the least that
// they do. No row gets less than 3 ns of room, which rounding takes, unless it has less already.
// Units: nominal nanoseconds in, nanoseconds out.
// Errors: lines stay where the solver fails, or where rounding would put a hull point on the wrong
// side.
// Cost: a simplex run of 8n columns, none where every line is within the distance.
// Tested by: src/estimate/joint/joint_limits_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "estimate/joint/joint_programme.h"

namespace syncline {

// The true g_clock(at_ns) lies in [lower_ns, upper_ns].
struct BoundedTime {
  size_t clock = 0;
  int64_t at_ns = 0;
  int64_t lower_ns = 0;
  int64_t upper_ns = 0;
};

// `problem` with the lines as its anchors.
std::vector<Anchors> WithinDistance(JointProblem problem, std::span<const BoundedTime> times,
                                    int64_t distance_ns);

}  // namespace syncline
