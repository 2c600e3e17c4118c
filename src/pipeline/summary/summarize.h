// What a run found and did, as the plain values that text, JSON and page are made of.
//
// Tested by: sync_command_test.cc, tools/check_summary.py over docs/summary.schema.json.
#pragma once

#include <string_view>

#include "syncline/clock.h"
#include "syncline/message.h"

#include "pipeline/estimate/measure_quality.h"
#include "pipeline/estimate/solve.h"
#include "report/summary.h"
#include "trace/load.h"

namespace syncline {

// What findings say of times that corrections alone give.
inline constexpr std::string_view kCorrectedAlone =
    "as clocks are corrected, without the logical clock";

// All of the summary but timing, truth, intervals and outputs. `after`: what findings say of the
// times that `quality` calls corrected.
Summary Summarize(const LoadedTraces& loaded, const Solution& solution,
                  const QualityFigures& quality, const SolveOptions& options,
                  std::string_view after = kCorrectedAlone);

// The end of a message that is named for itself.
Summary::Suspect::End SuspectEnd(const TraceSet& traces, const EventRef& event);

// 0 or 3: whether everything holds that a user may rely on.
int ExitCodeOf(const Summary& summary);

}  // namespace syncline
