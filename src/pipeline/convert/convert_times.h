// Where the times of converted events come from: what the clocks recorded, the corrections of a
// summary, or an estimation like that of sync.
//
// Tested by: convert_command_test.cc, suspects_command_test.cc, cycle_command_test.cc.
#pragma once

#include <optional>

#include "syncline/diagnostics.h"
#include "syncline/result.h"

#include "base/progress.h"
#include "logical/logical_options.h"
#include "pipeline/convert/convert_events.h"
#include "pipeline/estimate/solve.h"
#include "report/summary.h"
#include "trace/load.h"
#include "write/exported_trace.h"

namespace syncline {

ConvertTimes RecordedTimes(const LoadedTraces& loaded);

// The ± is the worst one of each clock, and holds for readings of the summary's trace. Sets the
// suspects and cycles aside that the summary names. Counted: its warnings and errors, but for those
// that the inputs showed again; "summary-moved-events" (warning), events that the logical clock had
// moved besides; "suspects-not-named" (warning). Errors: those of ReadSummaryFile() and of the
// messages' storage; kUsage where a clock of the inputs is not in the summary.
Result<ConvertTimes> SummarizedTimes(const std::string& path, LoadedTraces& loaded,
                                     Diagnostics& diagnostics);

struct EstimatedTimes {
  ConvertTimes times;
  Summary summary;  // all but timing, intervals and outputs
};
// As sync would correct them, in whole nanoseconds whatever the inputs' resolution. Sets the
// suspects and cycles of `loaded` aside. Errors: those of Solve() and of the logical clock.
Result<EstimatedTimes> EstimateTimes(LoadedTraces& loaded, const SolveOptions& solve,
                                     const std::optional<LogicalOptions>& logical,
                                     Progress& progress);

// Counted: "beyond-summary" (warning), events that have no bounds because the summary's trace ends.
void CountBeyond(const ConvertTimes& times, const ExportedTrace& trace, Diagnostics& found);

// Takes out of a converted trace the messages without which each event can follow its causes, for
// formats that tell causes.
//
// Counted: "cycle-messages" (warning), those. Method: logical/causal_cycles.h, by the trace's
// times. Tested by: cycle_command_test.cc.
void TakeOutCycles(ExportedTrace& trace, Diagnostics& found);

}  // namespace syncline
