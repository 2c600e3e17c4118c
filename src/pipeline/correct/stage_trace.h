// All events of the loaded inputs in memory, with their corrected times, for the logical clock.
//
// Requires: the inputs have not changed since they were loaded. Errors: those of the readers.
// Memory: 16 bytes per event and 40 per message and part of a collective; 24 more per packet of a
// capture.
// Tested by: sync_command_test.cc, otf2_command_test.cc.
#pragma once

#include <vector>

#include "syncline/minimum_delay.h"
#include "syncline/result.h"

#include "logical/replay_trace.h"
#include "measure/retiming.h"
#include "trace/load.h"

namespace syncline {

// `retiming` gives the times that go into the clock. Sizes of messages are kept where `delays` grow
// with them.
Result<ReplayTrace> MakeStageTrace(const LoadedTraces& loaded, const Retiming& retiming,
                                   const DelayModel& delays);

// The same, in which events come in an order of which stamps are certain where cycles show that
// they did not come as their readings say; then in all that is made of `loaded`.
Result<ReplayTrace> MakeOrderedTrace(LoadedTraces& loaded, const Retiming& retiming,
                                     const DelayModel& delays);

// The same of a share of the trace (logical/replay_team.h): of processes of which `is_here`, and
// with these messages. Requires: formats whose processes each come from a cursor of their own.
Result<ReplayTrace> MakeShareTrace(const LoadedTraces& loaded, const Retiming& retiming,
                                   const std::vector<bool>& is_here,
                                   std::vector<ReplayTrace::Message> messages);

}  // namespace syncline
