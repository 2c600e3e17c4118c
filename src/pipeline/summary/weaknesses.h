// What keeps a result from being sure, or narrower: counted as diagnostics, so that it is said.
//
// Of clocks: "unrelated-clock", "clock-below-accurate", "clock-epoch-ambiguous",
// "inverted-on-one-clock" (warning), "drift-undetermined" (info). Of pairs of clocks:
// "pair-without-admissible-line" (warning), "rate-limited-by-prior" (info, warning). Of the times
// that corrections give: "too-fast-after-correction", "inverted-after-correction" (warning).
// Tested by: sync_command_test.cc, set_clocks_command_test.cc, text_collectives_command_test.cc.
#pragma once

#include <string_view>

#include "pipeline/estimate/measure_quality.h"
#include "pipeline/estimate/solve.h"
#include "report/summary.h"
#include "trace/load.h"

namespace syncline {

// `summary` has its clocks, pairs and messages. `after`: what is said of the corrected times.
void CountWeaknesses(const LoadedTraces& loaded, const Solution& solution,
                     const QualityFigures& quality, std::string_view after, Summary& summary);

}  // namespace syncline
