// The logical clock as the second stage, on corrected times: removes what contradictions are left.
//
// Takes each process's events in its order, as the clock asks for them: from texts and captures,
// which are read once more, and from archives, which were kept. Every message that was matched
// counts, and collectives of groups that are declared; events without partner are internal.
// Messages that form cycles are left out (logical/replay_cycles.h). Counted: "cycle-messages"
// (warning), those. Memory: that of the clock, one bit per event of text, 24 bytes per message of
// captures, and 8 bytes per event for the result.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "syncline/message.h"
#include "syncline/minimum_delay.h"
#include "syncline/result.h"

#include "logical/logical_options.h"
#include "measure/retiming.h"
#include "report/logical_protocol.h"
#include "report/time_series.h"
#include "trace/load.h"

namespace syncline {

// What no order of events satisfies, so that the clock has done without it: a message, or what the
// end of a collective waits for, from the latest beginning.
struct CycleMessage {
  Message message;
  bool is_of_collective = false;
  int64_t delay_ns = 0;  // before the clock
};

struct LogicalStage {
  LogicalProtocol protocol;
  // By process: what to add to each event's corrected time, for Retiming::SetShifts.
  std::vector<std::vector<int64_t>> shifts_ns;
  std::optional<LogicalTimeline> timeline;  // where the options ask for what happens over time
  std::vector<CycleMessage> cycles;
  Diagnostics diagnostics;
};

// `retiming` gives the times that go into the clock. Sets the messages of cycles aside. Errors:
// those of the readers.
Result<LogicalStage> RunLogicalStage(LoadedTraces& loaded, const Retiming& retiming,
                                     const DelayModel& delays, const LogicalOptions& options);

}  // namespace syncline
