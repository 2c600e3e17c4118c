// Puts what a logical clock did over time into the values that a report's page shows.
//
// Units: nanoseconds. Tested by: report_command_test.cc.
#pragma once

#include "syncline/clock.h"

#include "logical/logical_report.h"
#include "measure/change_over_time.h"
#include "report/time_series.h"

namespace syncline {

// Requires: gamma was kept over time, and the changes are those of the same run.
LogicalTimeline MakeTimeline(const GammaReport& gamma, const ChangeOverTime& changes,
                             const TraceSet& traces);

// Of a clock that ran against the direction of time, on times with the opposite sign.
LogicalTimeline Mirrored(LogicalTimeline timeline);

}  // namespace syncline
