// Takes out of a converted trace the messages without which each event can follow its causes, for
// formats that tell causes.
//
// Counted: "cycle-messages" (warning), those. Method: logical/causal_cycles.h, by the trace's
// times. Tested by: cycle_command_test.cc.
#pragma once

#include "syncline/diagnostics.h"

#include "write/exported_trace.h"

namespace syncline {

void TakeOutCycles(ExportedTrace& trace, Diagnostics& found);

}  // namespace syncline
