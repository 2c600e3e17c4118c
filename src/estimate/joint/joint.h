// All clocks at once: every message of every pair is a constraint of one linear programme.
//
// Method: joint_choice.h for the lines, joint_bounds.h for the bounds; root, components and what is
// kept where there is no joint solution come from tree_error.h.
// Guarantee, given what pairs.md assumes: of clocks with quality kAccurate the true global time
// lies within `bounds`, and no message between any two clocks of a joint component is inverted once
// corrected, but for rounding to nanoseconds. The lines are the best guess, which need not be the
// middle of the bounds.
// Clocks that messages relate to the root in one direction only are kIncomplete, their bounds open
// on the other side. A component which no set of lines satisfies keeps the tree's lines, with
// quality kApproximate at best and no bounds, since one of the assumptions is then false somewhere
// in it, and says why.
// Units: as group.h.
// Errors: none.
// Cost: see docs/methods/joint.md.
// Tested by: src/estimate/joint/joint_test.cc, joint_sweep_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "syncline/id.h"

#include "estimate/group.h"
#include "match/team_messages.h"

namespace syncline {

struct JointOptions {
  // Root of its component; without it the root is chosen as in tree_error.h.
  std::optional<ClockId> reference;
  // The prior that the pairs were estimated with (PairOptions::max_drift_ppm).
  std::optional<double> max_drift_ppm = 200;
  // Whether clocks get bounds, which take most of the time where they are many.
  bool measures_bounds = true;
  // Who helps with the lines and bounds of many clocks; null: nobody.
  const TeamMessages* team = nullptr;
  // Besides, values at so many instants, evenly from the first to the last event; 0: none.
  size_t bound_points = 0;
};

// What became of one component.
struct JointFinding {
  enum class State {
    kJoint,     // its clocks' lines are a joint solution
    kSingle,    // one clock alone: nothing to do
    kFallback,  // they are the tree's
  } state = State::kSingle;
  std::string reason;  // why it is kFallback
};

struct JointEstimate {
  GroupEstimate group;
  std::vector<JointFinding> components;  // as GroupEstimate::roots
};

// Requires: as EstimateTree.
JointEstimate EstimateJoint(std::span<const ClockInput> clocks, std::span<const PairInput> pairs,
                            const JointOptions& options);
// The same, from what EstimateTree() made of them without bounds. Calls `meanwhile` once, in
// another thread or while others of the team find lines.
JointEstimate EstimateJoint(std::span<const ClockInput> clocks, std::span<const PairInput> pairs,
                            const JointOptions& options, GroupEstimate tree,
                            const std::function<void()>& meanwhile);

}  // namespace syncline
