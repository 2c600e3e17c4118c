// One component of a group as a problem for all of its clocks at once.
//
// Units, exactness: as joint_programme.h. Errors: none. Cost: O(n) for n clocks of the group.
// Tested by: src/estimate/joint/joint_test.cc.
#pragma once

#include <cstddef>
#include <span>

#include "estimate/group.h"
#include "estimate/joint/joint_programme.h"

namespace syncline {

// The clocks of a component, the root first, without pairs. The guesses are the corrections of
// `group`. There are fewer anchors than clocks where one's times are further apart than exact
// arithmetic allows.
JointProblem ClocksOfComponent(std::span<const ClockInput> clocks, const GroupEstimate& group,
                               size_t component, SlopeRange prior);

}  // namespace syncline
