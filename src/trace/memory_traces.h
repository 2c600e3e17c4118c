// Traces made of messages in memory, without files: their events are the messages' ends.
//
// Requires: processes of messages are in `set`, and clocks of processes. An event that has two
// times counts with the first. Memory: 16 bytes per end besides the messages. Cost: O(n log n).
// Tested by: memory_traces_test.cc, library_test.cc.
#pragma once

#include <span>

#include "syncline/message.h"
#include "syncline/result.h"

#include "trace/load.h"

namespace syncline {

// Errors: kUsage for numbers that the set does not have, a clock that does not tick, a message
// within one event.
Result<LoadedTraces> LoadMessages(TraceSet set, std::span<const Message> messages);

}  // namespace syncline
