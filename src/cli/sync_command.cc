// syncline sync: corrects the clocks and writes the traces back.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "cli/commands.h"
#include "cli/finish.h"
#include "cli/preparation.h"
#include "pipeline/write/write_run.h"

namespace syncline {
namespace {

// Names that need no escapes in any format.
Result<void> CheckAddedField(const std::vector<Input>& inputs, const std::string& name) {
  const bool is_plain = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == '@';
  });
  if (!is_plain) {
    return Fail(ErrorCode::kUsage,
                "--add-field takes a name of letters, digits, and the signs _ - . @");
  }
  const bool has_log =
      std::ranges::any_of(inputs, [](const Input& i) { return i.format == Format::kLog; });
  if (name.empty() || has_log) return {};
  return Fail(ErrorCode::kUsage, "--add-field is for logs, and no input is one");
}

Result<void> CheckInputs(const std::vector<Input>& inputs, const SyncOptions& options) {
  SYNCLINE_TRY(RefuseStandardInput(inputs, "sync reads its inputs"));
  for (const Input& input : inputs) {
    const bool may_merge = input.format == inputs.front().format &&
                           (input.format == Format::kCapture || input.format == Format::kChrome);
    if (!options.merge.empty() && !may_merge) {
      return Fail(ErrorCode::kUsage,
                  fmt::format("--merge takes captures only, or Chrome JSON only; this is {}",
                              FormatName(input.format)),
                  input.path);
    }
    if (options.write == "metadata" && input.format != Format::kOtf2 &&
        input.format != Format::kCtf) {
      return Fail(ErrorCode::kUsage, "--write metadata takes OTF2 archives and CTF traces only",
                  input.path);
    }
  }
  return {};
}

}  // namespace

Result<int> RunSync(const SyncOptions& options, const std::string& command_line) {
  const EstimateOptions& estimate = options.estimate;
  SYNCLINE_ASSIGN(auto logical, WithClock(options.logical, options.clock));
  SYNCLINE_ASSIGN(auto window, ParseReportWindow(options.report_window));
  if (window && options.report.empty()) {
    return Fail(ErrorCode::kUsage, "--report-window goes with --report alone");
  }
  SYNCLINE_ASSIGN(auto preparation, Prepare(estimate, options.truth));
  preparation.solve.for_json = true;  // of syncline.json
  const auto& [solve, inputs, truth, read] = preparation;
  SYNCLINE_TRY(CheckInputs(inputs.inputs, options));
  SYNCLINE_TRY(CheckAddedField(inputs.inputs, options.add_field));
  SYNCLINE_ASSIGN(auto plan, PlanOutputs(inputs.inputs, {.folder = options.output_folder,
                                                         .merged = options.merge,
                                                         .json = estimate.json,
                                                         .report = options.report,
                                                         .also_read = read,
                                                         .if_exists = estimate.if_exists()}));
  plan.add_field = options.add_field;
  Progress progress(estimate.progress ? ProgressMode::kOn : ProgressMode::kOff);
  SYNCLINE_ASSIGN(auto loaded, LoadTraces(inputs, progress));
  const TimesWanted wanted{.logical = logical, .keeps_timeline = !plan.report.empty()};
  SYNCLINE_ASSIGN(auto corrected, CorrectTraces(loaded, solve, wanted, progress));
  SYNCLINE_ASSIGN(auto summary, WriteRun(loaded, corrected, solve,
                                         {.plan = std::move(plan),
                                          .rewrites_events = options.write == "events",
                                          .window = window,
                                          .truth = truth ? &*truth : nullptr,
                                          .truth_path = options.truth,
                                          .command = command_line},
                                         progress));
  SYNCLINE_TRY(Print(summary, estimate));
  return Accepted(ExitCodeOf(summary), estimate);
}

}  // namespace syncline
