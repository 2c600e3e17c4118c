// Lines and bounds of many clocks, found by the processes of an MPI run: every one has the whole
// problem and finds the bounds of some clocks; the last one chooses the lines.
//
// The same as ChooseJointLines (joint_choice.h) and FindJointBounds (joint_bounds.h), to the bit.
// Cost: the problem travels to all, 16 bytes per hull point. Tested by: shared_lines_test.cc,
// src/cli/distributed_command_test.cc.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "base/parcel.h"
#include "estimate/hulls/bound_curve.h"
#include "estimate/joint/joint_bounds.h"
#include "estimate/joint/joint_choice.h"
#include "estimate/joint/joint_programme.h"
#include "match/team_messages.h"

namespace syncline {

struct JointLines {
  std::optional<JointChoice> choice;  // none where no lines satisfy all messages
  // By clock, as FindJointBounds, of a choice only; empty where no density is given.
  std::vector<std::optional<Bounds>> bounds;
};

// Asks the team where there are many clocks; without one, or for few, all is done here. The first
// process does `before`, if there is something, once others are asked, and then its share; where
// nobody is asked, it stays to be done.
JointLines FindLines(const JointProblem& problem, std::optional<BoundDensity> density,
                     const TeamMessages* team, std::function<void()>& before);

// What the process number `process` of `processes` does of such a task, but for its kind, which was
// read.
void FindShareOfLines(ParcelReader& task, size_t process, size_t processes, Parcel& outcome);

}  // namespace syncline
