// What a report shows of loaded traces: their events and messages with both times, and curves of
// clocks and pairs.
//
// Everything, as long as it is no more than ReportLimits; else the events of one window and, for
// the rest, how many there are in each part of the trace.
// Requires: the inputs have not changed since they were loaded. Errors: those of the readers.
// Cost: one pass over the inputs, two where not everything is shown. Tested by:
// report_command_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "syncline/result.h"

#include "measure/retiming.h"
#include "pipeline/estimate/solve.h"
#include "report/report_trace.h"
#include "trace/load.h"

namespace syncline {

struct ReportLimits {
#ifdef SYNCLINE_SANITIZED
  // Twenty times as slow: a tenth reaches the same code.
  uint64_t events = 120'000;
  uint64_t messages = 40'000;
#else
  uint64_t events = 1'200'000;
  uint64_t messages = 400'000;
#endif
};

// Since the earliest corrected event.
struct ReportWindow {
  int64_t from_ns = 0, to_ns = 0;
};

// "FROM..TO" in seconds: "1.5..2.25". Errors: kUsage.
Result<std::optional<ReportWindow>> ParseReportWindow(const std::string& text);

Result<ReportTrace> MakeReportTrace(const LoadedTraces& loaded, const Solution& solution,
                                    const Retiming& retiming,
                                    const std::optional<ReportWindow>& window,
                                    const ReportLimits& limits);

// For MakeReportTrace: the curves of clocks, and the corridors of the pairs with most messages.
void AddReportCurves(const LoadedTraces& loaded, const Solution& solution, ReportTrace& trace);
// To these curves: the differential delays of broadcasts that a clock and its reference received,
// at most 1000 of each clock.
void AddReportBroadcasts(const LoadedTraces& loaded, const Solution& solution, ReportTrace& trace);

}  // namespace syncline
