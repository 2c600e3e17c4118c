// Estimation, corrections, the logical clock and what it all is worth: once, for every command.
//
// Where corrections leave contradictions, the logical clock moves events, and all is measured
// again. Tested by: sync_command_test.cc, convert_command_test.cc, check_library_test.cc.
#pragma once

#include <optional>

#include "syncline/result.h"

#include "base/progress.h"
#include "logical/logical_options.h"
#include "measure/retiming.h"
#include "pipeline/correct/logical_stage.h"
#include "pipeline/estimate/measure_quality.h"
#include "pipeline/estimate/solve.h"
#include "pipeline/summary/summarize.h"
#include "report/summary.h"
#include "trace/load.h"

namespace syncline {

struct TimesWanted {
  std::optional<LogicalOptions> logical;  // none: contradictions are left
  bool keeps_timeline = false;            // what the clock did over time, for a report
  // Times are not rounded to the inputs' resolutions.
  bool in_nanoseconds = false;
};

// The times that events get, and what they are worth.
struct CorrectedTraces {
  Solution solution;
  Retiming retiming;
  QualityFigures quality;
  std::optional<LogicalStage> logical;  // none: it was not needed, or not wanted
  double estimate_s = 0, logical_s = 0;
};

// Sets suspects, and the messages of cycles, aside in `loaded`. Errors: those of Solve(), and of
// the readers.
Result<CorrectedTraces> CorrectTraces(LoadedTraces& loaded, const SolveOptions& solve,
                                      const TimesWanted& wanted, Progress& progress);

// The same, where the clocks have been estimated with the same options.
Result<CorrectedTraces> CorrectTraces(LoadedTraces& loaded, const SolveOptions& solve,
                                      Solution solution, const TimesWanted& wanted,
                                      Progress& progress);

// An event that was moved forward, by the logical clock or for rounding, is that much further from
// the earliest that its time can be: of the bounds in a summary, the worst.
void AllowForMoves(const LoadedTraces& loaded, const Retiming& retiming, Summary& summary);

// All of the summary but truth, intervals, outputs, and the time that writing takes.
Summary SummarizeCorrected(const LoadedTraces& loaded, const CorrectedTraces& corrected,
                           const SolveOptions& solve);
// The same of other times than those, which are made of them.
Summary SummarizeCorrected(const LoadedTraces& loaded, const CorrectedTraces& corrected,
                           const QualityFigures& quality, const Retiming& retiming,
                           const SolveOptions& solve);

}  // namespace syncline
