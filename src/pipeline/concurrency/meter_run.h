// Reads the loaded inputs once more and measures the concurrency of what they recorded.
//
// Requires: the inputs have not changed since they were loaded. Errors: those of the readers;
// kMalformed where messages form a cycle. Memory: what message_links.h, otf2_waits.h and the meter
// say. Tested by: concurrency_command_test.cc, live_test.cc.
#pragma once

#include "syncline/result.h"

#include "measure/concurrency/concurrency_meter.h"
#include "pipeline/concurrency/wait_rule.h"
#include "trace/load.h"

namespace syncline {

Result<MeasuredComputation> RunMeter(const LoadedTraces& loaded, WaitRule rule,
                                     ConcurrencyOptions options,
                                     ConcurrencyMeter::OnRegion on_region);

}  // namespace syncline
