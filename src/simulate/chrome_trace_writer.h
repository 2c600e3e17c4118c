// Writes the events of a simulation as PyTorch's profiler (Kineto) does: a Chrome JSON file per
// process, which is a rank.
//
// Calls are kernels of NCCL with the arguments that newer versions record: transfers have `Seq`,
// collectives `Comms Id` as well. What NCCL does not have, as scan, and computing are annotations.
// Times are nanoseconds of the clock. Requires: Detail::kCalls, for MPI events stand inside the
// calls. Errors: kUnsupported for a clock that steps back within a call, as no duration can.
// Memory: what is written, a block per process. Tested by: simulate_command_test.cc.
#pragma once

#include <span>

#include "syncline/result.h"

#include "base/file.h"
#include "simulate/simulation.h"

namespace syncline {

// Takes the simulation to its end. Requires a file per process.
Result<void> WriteChromeTraces(Simulation& simulation, std::span<OutputFile> files);

}  // namespace syncline
