// The streaming logical clock on a text trace: lines in, lines with other times out, in one pass.
//
// Declarations, comments and empty lines go out at once, events once their times are final. All
// that was read is put out, also before an error in the input.
// Units: nanoseconds. Errors: those of reading and writing; a cycle of messages.
// Memory: the events that the logical clock holds, with their lines.
// Tested by: filter_command_test.cc.
#pragma once

#include <cstdint>
#include <optional>

#include "syncline/clock.h"
#include "syncline/diagnostics.h"
#include "syncline/result.h"

#include "base/file.h"
#include "base/progress.h"
#include "logical/logical_options.h"
#include "logical/logical_report.h"
#include "measure/logical_figures.h"
#include "pipeline/filter/filter_delays.h"
#include "pipeline/filter/filter_output.h"
#include "report/time_series.h"

namespace syncline {

class LogicalAdapter;

struct TextFilterOptions {
  LogicalOptions logical;
  // The nominal time where to begin: events before it are left out.
  std::optional<int64_t> start_ns;
};

// What there is to report of a run.
struct FilterOutcome {
  LogicalReport report;
  LogicalFigures figures;
  std::optional<LogicalTimeline> timeline;  // where the options ask for what happens over time
  TraceSet traces;
  Diagnostics diagnostics;
};

// What both ways of filtering found, among the diagnostics of `outcome`. `left_out`: events before
// the start.
void CountFindings(const LogicalAdapter& adapter, const FilterDelays& delays, uint64_t left_out,
                   FilterOutcome& outcome);

// Files are read in blocks, pipes and devices as bytes come. Events are numbered without those left
// out.
Result<FilterOutcome> FilterText(const TextFilterOptions& options, FilterDelays& delays,
                                 FilterOutput output, Progress& progress, InputFile input);

}  // namespace syncline
