// syncline check: what the traces' clocks are like; changes nothing.
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
  auto preparation = Prepare(options, "");
  if (!preparation) return tl::unexpected(preparation.error());
  const auto& [solve, inputs, truth, read] = *preparation;
  auto plan = PlanOutputs(
      inputs.inputs, {.json = options.json, .also_read = read, .if_exists = IfExistsOf(options)});
  if (!plan) return tl::unexpected(plan.error());
  Progress progress(options.progress ? ProgressMode::kOn : ProgressMode::kOff);
  auto loaded = LoadTraces(inputs, progress);
  if (!loaded) return tl::unexpected(loaded.error());
  const auto corrected = CorrectTraces(*loaded, solve, {}, progress);
  if (!corrected) return tl::unexpected(corrected.error());
  Summary summary = SummarizeCorrected(*loaded, *corrected, solve);
  summary.command = command_line;
  if (!options.json.empty()) {
    auto written = WriteJson(summary, options.json, plan->if_exists);
    if (!written) return tl::unexpected(written.error());
  }
  if (auto printed = Print(summary, options); !printed) return tl::unexpected(printed.error());
  return Accepted(ExitCodeOf(summary), options);
}

}  // namespace syncline
