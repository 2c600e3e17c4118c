// Where the lanes of spans wait: in calls, from the start of a client's span to its end.
//
// Of calls within calls the outermost counts. Memory: 16 bytes per call. Tested by:
// spans_command_test.cc.
#pragma once

#include <vector>

#include "pipeline/concurrency/otf2_waits.h"
#include "trace/load.h"

namespace syncline {

// By the input's processes, each in order.
std::vector<std::vector<WaitSpan>> SpanWaitsOf(const LoadedInput& input);

}  // namespace syncline
