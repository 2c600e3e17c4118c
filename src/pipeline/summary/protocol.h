// Puts what a logical clock reports and what was measured of it into the values that are shown.
#pragma once

#include "syncline/clock.h"
#include "syncline/diagnostics.h"

#include "logical/logical_options.h"
#include "logical/logical_report.h"
#include "measure/change_over_time.h"
#include "measure/interval_change.h"
#include "measure/logical_figures.h"
#include "report/logical_protocol.h"
#include "report/time_series.h"

namespace syncline {

// Tags of events are their numbers within their processes. `traces` may be larger than what the
// clock saw.
LogicalProtocol MakeProtocol(const LogicalOptions& options, const LogicalReport& report,
                             const LogicalFigures& figures, const TraceSet& traces);

// What a stream has set aside: "cycle-messages" (warning). Events are numbered as their tags.
void CountCycles(const LogicalReport::Cycles& cycles, const TraceSet& traces,
                 Diagnostics& diagnostics);

DelayFigures FiguresOf(const DirectionQuality& quality);

// `before`, `after`: of the same messages.
SummaryMessages MessagesOf(const MessageQuality& before, const MessageQuality& after,
                           uint64_t unmatched_sends, uint64_t unmatched_receives);

SummaryIntervals SummarizeIntervals(const IntervalChange& change, const TraceSet& traces);

// Puts what a logical clock did over time into the values that a report's page shows.
//
// Units: nanoseconds. Tested by: report_command_test.cc. Requires: gamma was kept over time, and
// the changes are those of the same run.
LogicalTimeline MakeTimeline(const GammaReport& gamma, const ChangeOverTime& changes,
                             const TraceSet& traces);

// Of a clock that ran against the direction of time, on times with the opposite sign.
LogicalTimeline Mirrored(LogicalTimeline timeline);

}  // namespace syncline
