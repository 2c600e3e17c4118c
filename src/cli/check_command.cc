// syncline check: what the traces' clocks are like; changes nothing.
#include <fmt/format.h>

#include "base/stopwatch.h"
#include "cli/commands.h"
#include "cli/finish.h"
#include "cli/load/preparation.h"
#include "cli/outputs.h"
#include "cli/solve/solve.h"

namespace syncline {

Result<int> RunCheck(const EstimateOptions& options, const std::string& command_line) {
  auto preparation = Prepare(options, "");
  if (!preparation) return tl::unexpected(preparation.error());
  const auto& [solve, inputs, truth, read] = *preparation;
  auto plan = PlanOutputs(
      inputs.inputs, {.json = options.json, .also_read = read, .if_exists = IfExistsOf(options)});
  if (!plan) return tl::unexpected(plan.error());
  Progress progress(options.progress ? ProgressMode::kOn : ProgressMode::kOff);
  auto loaded = LoadTraces(inputs, progress);
  if (!loaded) return tl::unexpected(loaded.error());
  Stopwatch watch;
  auto solution = Solve(*loaded, solve);
  if (!solution) return tl::unexpected(solution.error());
  Retiming retiming = MakeRetiming(*loaded, solution->group);
  auto quality = MeasureQuality(*loaded, *solution, retiming);
  if (!quality) return tl::unexpected(quality.error());

  Summary summary = Summarize(*loaded, *solution, *quality, solve);
  summary.command = command_line;
  summary.timing.read_s = loaded->read_s;
  summary.timing.match_s = loaded->match_s;
  summary.timing.estimate_s = watch.Restart();
  summary.timing.peak_bytes = PeakMemoryBytes();
  if (!options.json.empty()) {
    auto written = WriteJson(summary, options.json, plan->if_exists);
    if (!written) return tl::unexpected(written.error());
  }
  if (auto printed = Print(summary, options); !printed) return tl::unexpected(printed.error());
  return ExitCodeOf(summary);
}

}  // namespace syncline
