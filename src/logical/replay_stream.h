// A trace in memory, taken through a LogicalFilter.
//
// Cost: that of LogicalFilter. Tested by: src/logical/logical_replay_test.cc.
#pragma once

#include "syncline/minimum_delay.h"

#include "logical/logical_event.h"
#include "logical/logical_options.h"
#include "logical/logical_report.h"
#include "logical/replay_links.h"
#include "logical/replay_trace.h"

namespace syncline {

// Fills in what comes after, and tells the sink of messages as they become final.
LogicalReport ReplayAsStream(ReplayTrace& trace, const ReplayLinks& links,
                             const LogicalOptions& options, const DelayModel& delays,
                             RetimedMessageSink& sink);

}  // namespace syncline
