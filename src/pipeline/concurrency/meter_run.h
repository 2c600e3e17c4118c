// Reads the loaded inputs once more and measures the concurrency of what they recorded.
//
// Requires: the inputs have not changed since they were loaded. Errors: those of the readers.
// Memory: what meter_feeds.h and the meter say; where messages form a cycle, that
// of all events as well. Tested by: concurrency_command_test.cc, live_test.cc.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "syncline/result.h"

#include "measure/concurrency/concurrency_meter.h"
#include "pipeline/concurrency/process_feed.h"
#include "pipeline/correct/logical_stage.h"
#include "pipeline/estimate/solve.h"
#include "trace/load.h"

namespace syncline {

// By group, as the meter wants them.
std::vector<std::vector<ProcessId>> MembersOfGroups(const TraceSet& traces);

// Nothing where messages form a cycle that `set_aside` does not break; what `on_region` was told is
// then of no use. Ends of collectives that are set aside wait for nobody.
Result<std::optional<MeasuredComputation>> RunMeter(const LoadedTraces& loaded,
                                                    std::span<const CycleMessage> set_aside,
                                                    WaitRule rule, ConcurrencyOptions options,
                                                    ConcurrencyMeter::OnRegion on_region);

// Sets aside the likely messages that did not hold, by the times that estimation gives the clocks;
// all, where it finds nothing.
Result<void> SetLateAside(LoadedTraces& loaded, const SolveOptions& options);

// Sets aside the messages without which there is an order of events: of each cycle the most
// inverted one, by the times that estimation gives the clocks, or where it finds nothing by their
// own.
Result<std::vector<CycleMessage>> SetCyclesAside(LoadedTraces& loaded, const SolveOptions& options);

}  // namespace syncline
