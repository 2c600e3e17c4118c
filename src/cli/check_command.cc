// syncline check: what the traces' clocks are like; changes nothing.
#include <string>
#include <utility>

#include "syncline/result.h"

#include "base/try.h"
#include "cli/commands.h"
#include "cli/finish.h"
#include "cli/preparation.h"
#include "cli/standard_input.h"
#include "pipeline/correct/correct.h"
#include "pipeline/write/outputs.h"

namespace syncline {

Result<int> RunCheck(const EstimateOptions& given, const std::string& command_line) {
  EstimateOptions options = given;
  SYNCLINE_TRY(KeepStandardInput(options.inputs));
  SYNCLINE_ASSIGN(auto preparation, Prepare(options, ""));
  preparation.inputs.needs_events = false;
  preparation.solve.for_json = !options.json.empty();
  const auto& [solve, inputs, truth, read] = preparation;
  SYNCLINE_ASSIGN(auto plan, PlanOutputs(inputs.inputs, {.json = options.json,
                                                         .also_read = read,
                                                         .if_exists = options.if_exists()}));
  Progress progress(options.progress ? ProgressMode::kOn : ProgressMode::kOff);
  SYNCLINE_ASSIGN(auto loaded, LoadTraces(inputs, progress));
  SYNCLINE_ASSIGN(const auto corrected, CorrectTraces(loaded, solve, {}, progress));
  Summary summary = SummarizeCorrected(loaded, corrected, solve);
  summary.command = command_line;
  if (!options.json.empty()) SYNCLINE_TRY(WriteJson(summary, options.json, plan.if_exists));
  SYNCLINE_TRY(Print(summary, options));
  return Accepted(ExitCodeOf(summary), options);
}

}  // namespace syncline
