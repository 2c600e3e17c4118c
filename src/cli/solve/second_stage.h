// The second stage: where corrections leave contradictions, the logical clock moves events, and all
// is measured again.
//
// Tested by: sync_command_test.cc, convert_command_test.cc.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "syncline/result.h"

#include "base/progress.h"
#include "cli/load/load.h"
#include "cli/logical_options.h"
#include "cli/solve/logical_stage.h"
#include "cli/solve/solve.h"
#include "measure/retiming.h"
#include "report/summary.h"

namespace syncline {

struct SecondStageOptions {
  const std::string& logical;  // none, simple or controlled
  const LogicalChoice& clock;
  const MinimumDelayChoice& minimum_delay;
  bool keeps_timeline = false;  // what the clock did over time, for a report
  // The corrections alone, at the resolution that times are wanted in.
  std::function<Retiming()> make_retiming;
};

// The times that events get, and what they are worth.
struct StagedTimes {
  Retiming retiming;
  QualityFigures quality;
  std::optional<LogicalStage> logical;  // none: it was not needed, or not wanted
};

// `before` holds the corrections alone. Sets the messages of cycles aside. Errors: those of the
// options, and of RunLogicalStage().
Result<StagedTimes> RunSecondStage(LoadedTraces& loaded, const Solution& solution,
                                   const SecondStageOptions& options, StagedTimes before,
                                   Progress& progress);

// What the logical clock did, for the summary, and what it did without; the ± of clocks whose
// events it moved grows.
void AddLogical(const LogicalStage& stage, const LoadedTraces& loaded, Summary& summary);

}  // namespace syncline
