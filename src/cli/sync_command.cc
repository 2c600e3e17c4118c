// syncline sync: corrects the clocks and writes the traces back.
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/memory.h"
#include "base/stopwatch.h"
#include "cli/commands.h"
#include "cli/finish.h"
#include "cli/preparation.h"
#include "cli/report/report_command.h"
#include "measure/truth.h"
#include "pipeline/correct/correct.h"
#include "pipeline/correct/truth_comparison.h"
#include "pipeline/write/ctf_metadata.h"
#include "pipeline/write/outputs.h"
#include "pipeline/write/write_traces.h"
#include "report/summary_json.h"
#include "trace/input_states.h"

namespace syncline {
namespace {

Result<void> CheckInputs(const std::vector<Input>& inputs, const SyncOptions& options) {
  for (const Input& input : inputs) {
    if (input.path == "-") {
      return Fail(ErrorCode::kUsage,
                  "sync reads its inputs twice, so standard input cannot be one");
    }
    if (!options.merge.empty() && input.format != Format::kCapture) {
      return Fail(ErrorCode::kUsage,
                  fmt::format("--merge takes captures only, this is {}", FormatName(input.format)),
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

void AddWrittenFigures(const LoadedTraces& loaded, const WrittenFigures& figures,
                       Summary& summary) {
  summary.intervals = SummarizeIntervals(figures.intervals, loaded.traces);
  if (figures.truth) {
    const TrueError& e = *figures.truth;
    summary.truth = {e.max_ns(), e.rms_ns(), e.events(), e.outside_bound()};
  }
}

Otf2Writing WritingOf(const SyncOptions& options) {
  return options.write == "events" ? Otf2Writing::kEvents : Otf2Writing::kMetadata;
}

class SyncRun {
 public:
  SyncRun(const SyncOptions& options, std::string command_line)
      : options_(options),
        command_line_(std::move(command_line)),
        progress_(options.estimate.progress ? ProgressMode::kOn : ProgressMode::kOff) {}

  Result<int> Run() {
    if (auto done = Prepare(); !done) return tl::unexpected(done.error());
    auto loaded = LoadTraces(preparation_.inputs, progress_);
    if (!loaded) return tl::unexpected(loaded.error());
    auto corrected =
        CorrectTraces(*loaded, preparation_.solve,
                      {.logical = logical_, .keeps_timeline = !plan_.report.empty()}, progress_);
    if (!corrected) return tl::unexpected(corrected.error());
    Stopwatch watch;
    auto metadata = FitClockBlocks(*loaded, *corrected);
    if (!metadata) return tl::unexpected(metadata.error());
    Summary summary = SummarizeCorrected(*loaded, *corrected, preparation_.solve);
    if (*metadata) AddCtfMetadata(**metadata, summary);
    summary.timing.logical_s += watch.Restart();

    const std::optional<Truth>& truth = preparation_.truth;
    if (truth) {
      auto ok = CheckTruth(*truth, options_.truth, loaded->traces, summary.diagnostics);
      if (!ok) return tl::unexpected(ok.error());
    }

    auto written = WriteTraces(*loaded, corrected->solution.group, corrected->retiming, plan_,
                               WritingOf(options_), truth ? &*truth : nullptr, progress_);
    if (!written) return tl::unexpected(written.error());
    summary.diagnostics.Merge(written->diagnostics);
    AddWrittenFigures(*loaded, written->figures, summary);
    summary.corrected = true;
    summary.command = command_line_;
    summary.timing.write_s = watch.Restart();
    AddOutputs(summary);
    if (!plan_.report.empty()) {
      ReportContent content{.window = report_window_};
      if (corrected->logical) content.timeline = std::move(corrected->logical->timeline);
      auto report = WriteReport({plan_.report, plan_.if_exists}, std::move(content), *loaded,
                                corrected->solution, corrected->retiming, summary);
      if (!report) return tl::unexpected(report.error());
      written->files.push_back(std::move(*report));
    }
    return Finish(*written, summary);
  }

 private:
  // Whether CTF traces can keep their data; the retiming then becomes what readers compute.
  Result<std::optional<CtfMetadata>> FitClockBlocks(const LoadedTraces& loaded,
                                                    Corrected& corrected) {
    const std::vector<Input>& inputs = preparation_.inputs.inputs;
    const bool has_ctf = std::any_of(inputs.begin(), inputs.end(),
                                     [](const Input& i) { return i.format == Format::kCtf; });
    if (!has_ctf || options_.write == "events") return std::optional<CtfMetadata>();
    CtfMetadata metadata;
    const uint64_t moved = corrected.logical ? corrected.logical->protocol.events_moved : 0;
    if (moved > 0) {
      metadata.why_not = fmt::format("the logical clock moved {} events", moved);
      return std::optional(metadata);
    }
    auto fitted = FitCtfMetadata(loaded, corrected.solution, corrected.quality, corrected.retiming);
    if (!fitted) return tl::unexpected(fitted.error());
    plan_.clock_settings = fitted->settings;
    return std::optional(std::move(*fitted));
  }

  Result<void> Prepare() {
    auto logical = ParseLogicalChoice(options_.logical, options_.clock);
    if (!logical) return tl::unexpected(logical.error());
    logical_ = *logical;
    auto window = ParseReportWindow(options_.report_window);
    if (!window) return tl::unexpected(window.error());
    report_window_ = *window;
    auto preparation = syncline::Prepare(options_.estimate, options_.truth);
    if (!preparation) return tl::unexpected(preparation.error());
    preparation_ = std::move(*preparation);
    const std::vector<Input>& inputs = preparation_.inputs.inputs;
    if (auto ok = CheckInputs(inputs, options_); !ok) return ok;
    auto plan = PlanOutputs(inputs, {.folder = options_.output_folder,
                                     .merged = options_.merge,
                                     .json = options_.estimate.json,
                                     .report = options_.report,
                                     .also_read = preparation_.read,
                                     .if_exists = IfExistsOf(options_.estimate)});
    if (!plan) return tl::unexpected(plan.error());
    plan_ = *plan;
    states_ = InputStates(inputs);
    return {};
  }

  void AddOutputs(Summary& summary) const {
    summary.outputs = plan_.traces;
    if (!plan_.merged.empty()) summary.outputs.push_back(plan_.merged);
    summary.outputs.push_back(plan_.summary);
    if (!plan_.report.empty()) summary.outputs.push_back(plan_.report);
    summary.timing.peak_bytes = PeakMemoryBytes();
  }

  Result<int> Finish(WrittenTraces& written, const Summary& summary) {
    auto file = OutputFile::Create(plan_.summary, plan_.if_exists);
    if (!file) return tl::unexpected(file.error());
    if (auto done = file->Write(SummaryToJson(summary)); !done) return tl::unexpected(done.error());
    written.files.push_back(std::move(*file));
    if (!plan_.json.empty()) {
      auto json = OutputFile::Create(plan_.json, plan_.if_exists);
      if (!json) return tl::unexpected(json.error());
      if (auto done = json->Write(SummaryToJson(summary)); !done)
        return tl::unexpected(done.error());
      written.files.push_back(std::move(*json));
    }
    if (auto same = states_.CheckUnchanged(); !same) return tl::unexpected(same.error());
    if (auto done = CommitAll(written); !done) return tl::unexpected(done.error());
    if (auto done = Print(summary, options_.estimate); !done) return tl::unexpected(done.error());
    return ExitCodeOf(summary);
  }

  const SyncOptions& options_;
  std::string command_line_;
  Progress progress_;
  Preparation preparation_;
  std::optional<LogicalOptions> logical_;
  std::optional<ReportWindow> report_window_;
  OutputPlan plan_;
  InputStates states_;
};

}  // namespace

Result<int> RunSync(const SyncOptions& options, const std::string& command_line) {
  return SyncRun(options, command_line).Run();
}

}  // namespace syncline
