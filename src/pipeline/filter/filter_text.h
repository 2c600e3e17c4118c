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

// Files are read in blocks, pipes and devices as bytes come. Events are numbered without those left
// out.
Result<FilterOutcome> FilterText(const TextFilterOptions& options, FilterDelays& delays,
                                 FilterOutput output, Progress& progress, InputFile input);

// The logical clock on a text trace against the direction of time: the last event comes first.
//
// The same algorithm on times with the opposite sign: sends and receives, and begins and ends of
// collectives, change places, and groups have the opposite rank order. A broadcast becomes one
// receive per receiver, all at its time; it comes out once. So events are moved back in time, and
// never forward. Declarations, comments and empty lines come first, in their order. With
// options.start_ns later events are left out; events are numbered in the order of the output.
// Requires: delays of TimeDirection::kReverse. Units: nanoseconds; times come out with their own
// sign. Errors: as FilterText's; nothing is put out of a trace that ends with an error. Memory: all
// events up to the start, about 70 bytes each and their lines. Method: Rabenseifner 2000, 7.2.
// Tested by: filter_reverse_test.cc.
Result<FilterOutcome> FilterReverse(const TextFilterOptions& options, FilterDelays& delays,
                                    FilterOutput output, Progress& progress, InputFile input);

}  // namespace syncline
