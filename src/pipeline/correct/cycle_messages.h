// Messages that form cycles, which what needs an order of events leaves out: who they are, set
// aside and counted.
//
// Requires: the inputs have not changed since they were loaded. Errors: those of the readers and of
// the message stores. Cost: a pass over the messages where some are left out; where ends of
// collectives are, one over the inputs as well.
// Tested by: cycle_command_test.cc, concurrency_command_test.cc.
#pragma once

#include <vector>

#include "syncline/diagnostics.h"
#include "syncline/result.h"

#include "logical/replay_cycles.h"
#include "logical/replay_trace.h"
#include "measure/retiming.h"
#include "pipeline/correct/logical_stage.h"
#include "trace/load.h"

namespace syncline {

// `trace` was made of `loaded`. Of a collective, the messages to the end concerned are set aside.
Result<std::vector<CycleMessage>> SetCyclesAside(const ReplayTrace& trace,
                                                 const ReplayCycles& cycles, LoadedTraces& loaded);

// The same for what does not replay: of each cycle the most inverted message by these times.
// Memory: all events, as in stage_trace.h.
Result<std::vector<CycleMessage>> SetCyclesAside(LoadedTraces& loaded, const Retiming& retiming);

// "cycle-messages" (warning).
void CountCycles(const std::vector<CycleMessage>& cycles, const TraceSet& traces,
                 Diagnostics& diagnostics);

}  // namespace syncline
