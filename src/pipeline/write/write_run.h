// All that a run writes: corrected traces, the summary, a page; it appears as a whole or not at
// all.
//
// Tested by: sync_command_test.cc, library_test.cc.
#pragma once

#include <optional>
#include <string>

#include "syncline/result.h"

#include "base/progress.h"
#include "measure/truth.h"
#include "pipeline/correct/correct.h"
#include "pipeline/page/report_trace.h"
#include "pipeline/write/outputs.h"
#include "report/summary.h"
#include "trace/load.h"

namespace syncline {

struct RunOutputs {
  OutputPlan plan;
  bool rewrites_events = false;  // also where clock offsets could say it
  std::optional<ReportWindow> window;
  const Truth* truth = nullptr;
  std::string truth_path;
  std::string command;  // for the summary
};

// Returns the summary as it is written. Where CTF traces keep their data, the corrected times
// become what readers compute. Errors: kUsage where the truth tells of fewer than two clocks;
// kUnreadable, also where an input has changed since it was read: nothing is written then.
Result<Summary> WriteRun(const LoadedTraces& loaded, const CorrectedTraces& corrected,
                         const SolveOptions& solve, RunOutputs outputs, Progress& progress);

}  // namespace syncline
