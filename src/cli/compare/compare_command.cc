#include "cli/compare/compare_command.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/memory.h"
#include "base/stopwatch.h"
#include "base/terminal_text.h"
#include "cli/commands.h"
#include "cli/finish.h"
#include "cli/preparation.h"
#include "cli/report/report_command.h"
#include "cli/solve_options.h"
#include "pipeline/compare/assumptions.h"
#include "pipeline/compare/compare.h"
#include "pipeline/compare/plots.h"
#include "pipeline/correct/truth_comparison.h"
#include "pipeline/summary/summarize.h"
#include "pipeline/write/outputs.h"
#include "report/comparison.h"

namespace syncline {
namespace {

Result<void> CheckUse(const EstimateOptions& options, std::span<const Method> methods) {
  std::vector<GroupMethod> groups;
  for (const Method& method : methods) groups.push_back(method.group);
  const auto unused = OptionWithoutUse(options, groups);
  if (!unused) return {};
  return Fail(ErrorCode::kUsage, fmt::format("none of --methods uses {}", *unused));
}

Result<void> CheckInputs(const std::vector<Input>& inputs, const CompareOptions& options) {
  for (const Input& input : inputs) {
    if (input.path == "-" && !options.truth.empty()) {
      return Fail(ErrorCode::kUsage,
                  "--truth reads the inputs twice, so standard input cannot be one");
    }
  }
  return {};
}

class CompareRun {
 public:
  CompareRun(const CompareOptions& options, std::string command_line)
      : options_(options),
        progress_(options.estimate.progress ? ProgressMode::kOn : ProgressMode::kOff) {
    comparison_.command = std::move(command_line);
  }

  Result<int> Run() {
    if (auto done = Prepare(); !done) return tl::unexpected(done.error());
    auto loaded = LoadTraces(preparation_.inputs, progress_);
    if (!loaded) return tl::unexpected(loaded.error());
    comparison_.diagnostics = loaded->diagnostics;
    if (preparation_.truth) {
      auto ok =
          CheckTruth(*preparation_.truth, options_.truth, loaded->traces, comparison_.diagnostics);
      if (!ok) return tl::unexpected(ok.error());
    }
    peak_bytes_ = PeakMemoryBytes();
    Stopwatch watch;
    if (auto done = RunMethods(*loaded); !done) return tl::unexpected(done.error());
    comparison_.timing.estimate_s = watch.Restart();
    if (auto done = AddTrueErrors(*loaded); !done) return tl::unexpected(done.error());
    if (auto done = Draw(*loaded); !done) return tl::unexpected(done.error());
    comparison_.timing.write_s = watch.Restart();
    if (auto done = Describe(*loaded); !done) return tl::unexpected(done.error());
    return Finish();
  }

 private:
  const std::vector<Input>& Inputs() const { return preparation_.inputs.inputs; }

  Result<void> Prepare() {
    if (options_.estimate.inputs.empty()) {
      return Fail(ErrorCode::kUsage, "compare needs INPUT, or --list");
    }
    auto methods = ParseMethods(options_.methods);
    if (!methods) return tl::unexpected(methods.error());
    methods_ = std::move(*methods);
    if (auto ok = CheckUse(options_.estimate, methods_); !ok) return ok;
    auto preparation = syncline::Prepare(options_.estimate, options_.truth);
    if (!preparation) return tl::unexpected(preparation.error());
    preparation_ = std::move(*preparation);
    if (auto ok = CheckInputs(Inputs(), options_); !ok) return ok;
    auto plan = PlanOutputs(Inputs(), {.json = options_.estimate.json,
                                       .report = options_.report,
                                       .also_read = preparation_.read,
                                       .if_exists = IfExistsOf(options_.estimate)});
    if (!plan) return tl::unexpected(plan.error());
    plan_ = std::move(*plan);
    return {};
  }

  Result<void> RunMethods(const LoadedTraces& loaded) {
    progress_.Begin("comparing methods", methods_.size());
    preparation_.solve.reference = CommonReference(loaded, preparation_.solve);
    comparison_.reference = preparation_.solve.reference;
    for (const Method& method : methods_) {
      auto run = RunMethod(loaded, method, preparation_.solve);
      if (!run) return tl::unexpected(run.error());
      peak_bytes_ = std::max(peak_bytes_, PeakResidentBytes().value_or(0));
      runs_.push_back(std::move(*run));
      progress_.Advance(1);
    }
    return {};
  }

  Result<void> AddTrueErrors(const LoadedTraces& loaded) {
    if (!preparation_.truth) return {};
    auto errors = MeasureTrueErrors(loaded, runs_, *preparation_.truth);
    if (!errors) return tl::unexpected(errors.error());
    for (size_t i = 0; i < runs_.size(); ++i) {
      runs_[i].figures = WithTrueErrors(std::move(runs_[i].figures), (*errors)[i], loaded.traces);
    }
    return {};
  }

  Result<void> Draw(const LoadedTraces& loaded) {
    if (options_.plots.empty() && options_.report.empty()) return {};
    plots_ = DrawPlots(loaded, runs_, preparation_.truth ? &*preparation_.truth : nullptr);
    comparison_.diagnostics.Count("plots-left-out", Severity::kInfo, plots_.left_out);
    return options_.plots.empty() ? Result<void>{} : WritePlots();
  }

  // Charts become visible together, once all are complete.
  Result<void> WritePlots() {
    if (plots_.drawn.empty()) return {};
    std::vector<std::string> names;
    for (const Plot& plot : plots_.drawn) names.push_back(plot.name);
    auto plan = PlanOutputs(Inputs(), {.folder = options_.plots,
                                       .names = std::move(names),
                                       .also_read = preparation_.read,
                                       .if_exists = plan_.if_exists});
    if (!plan) return tl::unexpected(plan.error());
    for (size_t i = 0; i < plots_.drawn.size(); ++i) {
      auto file = OutputFile::Create(plan->traces[i], plan_.if_exists);
      if (!file) return tl::unexpected(file.error());
      auto done = file->Write(ChartToSvg(plots_.drawn[i].chart.chart));
      if (!done) return done;
      files_.push_back(std::move(*file));
    }
    comparison_.plots = plan->traces;
    return {};
  }

  Result<void> MakePage() {
    if (plan_.report.empty()) return {};
    Page page{.kind = SummaryKind::kCompare, .summary_json = ComparisonToJson(comparison_)};
    for (Plot& plot : plots_.drawn) page.charts.push_back(std::move(plot.chart));
    auto file = CreatePage({plan_.report, plan_.if_exists}, Inputs(), std::move(page));
    if (!file) return tl::unexpected(file.error());
    files_.push_back(std::move(*file));
    return {};
  }

  Result<SummaryMessages> Messages(const LoadedTraces& loaded) const {
    for (const MethodRun& run : runs_) {
      if (run.figures.IsFound()) return run.messages;
    }
    return RecordedMessages(loaded, preparation_.solve);
  }

  Result<void> Describe(const LoadedTraces& loaded) {
    const auto messages = Messages(loaded);
    if (!messages) return tl::unexpected(messages.error());
    comparison_.messages = *messages;
    const Summary common = Summarize(loaded, {}, {}, preparation_.solve);
    comparison_.version = common.version;
    comparison_.inputs = common.inputs;
    comparison_.bounds_assume = common.bounds_assume;
    comparison_.max_drift_ppm = common.max_drift_ppm;
    comparison_.clocks = loaded.traces.clocks.size();
    comparison_.timing.events = common.timing.events;
    comparison_.timing.read_s = loaded.read_s;
    comparison_.timing.match_s = loaded.match_s;
    comparison_.timing.peak_bytes = std::max(peak_bytes_, PeakResidentBytes().value_or(0));
    const std::vector<std::string> contradictions = ContradictionsOf(runs_);
    for (size_t i = 0; i < runs_.size(); ++i) {
      comparison_.methods.push_back(std::move(runs_[i].figures));
      comparison_.methods.back().contradiction = contradictions[i];
    }
    return {};
  }

  Result<int> Finish() {
    if (!plan_.json.empty()) {
      auto json = OutputFile::Create(plan_.json, plan_.if_exists);
      if (!json) return tl::unexpected(json.error());
      auto done = json->Write(ComparisonToJson(comparison_));
      if (!done) return tl::unexpected(done.error());
      files_.push_back(std::move(*json));
    }
    if (auto done = MakePage(); !done) return tl::unexpected(done.error());
    for (OutputFile& file : files_) {
      if (auto done = file.Commit(); !done) return tl::unexpected(done.error());
    }
    if (!options_.estimate.quiet) {
      auto done =
          PrintText(ComparisonToText(comparison_), options_.estimate.json == "-" ? stderr : stdout);
      if (!done) return tl::unexpected(done.error());
    }
    return ExitCode();
  }

  int ExitCode() const {
    int code = kExitNoCorrection;
    for (const Comparison::Method& method : comparison_.methods) {
      if (!method.IsFound()) continue;
      const bool holds = !method.is_weak && method.contradiction.empty();
      code = std::min(code, holds ? kExitDone : kExitWeak);
    }
    const bool is_weak = comparison_.diagnostics.HasAtLeast(Severity::kWarning);
    return is_weak ? std::max(code, kExitWeak) : code;
  }

  const CompareOptions& options_;
  Progress progress_;
  std::vector<Method> methods_;
  Preparation preparation_;
  OutputPlan plan_;
  std::vector<MethodRun> runs_;
  Plots plots_;
  std::vector<OutputFile> files_;
  uint64_t peak_bytes_ = 0;
  Comparison comparison_;
};

}  // namespace

Result<int> RunCompare(const CompareOptions& options, const std::string& command_line) {
  if (!options.list) return CompareRun(options, command_line).Run();
  if (auto done = PrintText(MethodListText(), stdout); !done) {
    return tl::unexpected(done.error());
  }
  return kExitDone;
}

}  // namespace syncline
