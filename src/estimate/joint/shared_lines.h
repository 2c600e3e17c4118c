// The bounds of many clocks, found by all processes of an MPI run: every one has the whole problem,
// and finds those of some clocks.
//
// The same bounds as FindJointBounds (joint_bounds.h), to the bit. Cost: the problem travels to
// all, 16 bytes per hull point. Tested by: shared_bounds_test.cc,
// src/cli/distributed_command_test.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/parcel.h"
#include "estimate/hulls/bound_curve.h"
#include "estimate/joint/joint_bounds.h"
#include "estimate/joint/joint_paths.h"
#include "estimate/joint/joint_programme.h"
#include "match/team_messages.h"

namespace syncline {

// Asks the team where there are many clocks; without one, or for few, all is done here.
std::vector<std::optional<Bounds>> FindBounds(const JointProblem& problem, const JointPaths& paths,
                                              BoundDensity density, const TeamMessages* team);

// What the process number `process` of `processes` does of such a task, but for its kind, which was
// read.
void FindShareOfBounds(ParcelReader& task, size_t process, size_t processes, Parcel& outcome);

}  // namespace syncline
