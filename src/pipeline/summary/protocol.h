// Puts what a logical clock reports and what was measured of it into the values that are shown.
#pragma once

#include "syncline/clock.h"
#include "syncline/result.h"

#include "logical/logical_options.h"
#include "logical/logical_report.h"
#include "measure/logical_figures.h"
#include "report/logical_protocol.h"

namespace syncline {

// Tags of events are their numbers within their processes. `traces` may be larger than what the
// clock saw.
LogicalProtocol MakeProtocol(const LogicalOptions& options, const LogicalReport& report,
                             const LogicalFigures& figures, const TraceSet& traces);

// What the logical clock says of a cycle of messages, with the names of its processes. Requires: a
// cycle in the report. Events are numbered as their tags.
Error CycleErrorOf(const LogicalReport& report, const TraceSet& traces);
// The same, and how many events were read that did not come out.
Error CycleErrorOf(const LogicalReport& report, const TraceSet& traces, uint64_t held);

DelayFigures FiguresOf(const DirectionQuality& quality);

}  // namespace syncline
