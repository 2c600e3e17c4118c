// The messages that the logical clock has left out because they form cycles: who they are, set
// aside and counted.
//
// Requires: the inputs have not changed since they were loaded. Errors: those of the readers and of
// the message stores. Cost: a pass over the messages where some are left out; where ends of
// collectives are, one over the inputs as well.
// Tested by: cycle_command_test.cc.
#pragma once

#include <vector>

#include "syncline/diagnostics.h"
#include "syncline/result.h"

#include "logical/replay_cycles.h"
#include "logical/replay_trace.h"
#include "pipeline/correct/logical_stage.h"
#include "trace/load.h"

namespace syncline {

// `trace` was made of `loaded`. Of a collective, the messages to the end concerned are set aside.
Result<std::vector<CycleMessage>> SetCyclesAside(const ReplayTrace& trace,
                                                 const ReplayCycles& cycles, LoadedTraces& loaded);

// "cycle-messages" (warning).
void CountCycles(const std::vector<CycleMessage>& cycles, const TraceSet& traces,
                 Diagnostics& diagnostics);

}  // namespace syncline
