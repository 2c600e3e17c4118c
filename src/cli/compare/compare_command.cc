#include "cli/compare/compare_command.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "base/memory.h"
#include "base/stopwatch.h"
#include "cli/commands.h"
#include "cli/compare/compare.h"
#include "cli/compare/plots.h"
#include "cli/finish.h"
#include "cli/load/requested_inputs.h"
#include "cli/outputs.h"
#include "cli/truth_comparison.h"
#include "report/comparison.h"

namespace syncline {
namespace {

Result<void> PrintText(const std::string& text, std::FILE* stream) {
  const bool done =
      std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0;
  if (done) return {};
  return Fail(ErrorCode::kUnreadable, "cannot write the report",
              stream == stderr ? "standard error" : "standard output");
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
    auto loaded = LoadTraces(inputs_, progress_);
    if (!loaded) return tl::unexpected(loaded.error());
    comparison_.diagnostics = loaded->diagnostics;
    if (truth_) {
      auto ok = CheckTruth(*truth_, options_.truth, loaded->traces, comparison_.diagnostics);
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
  Result<void> Prepare() {
    if (options_.estimate.inputs.empty()) {
      return Fail(ErrorCode::kUsage, "compare needs INPUT, or --list");
    }
    auto methods = ParseMethods(options_.methods);
    if (!methods) return tl::unexpected(methods.error());
    methods_ = std::move(*methods);
    auto solve = ParseSolveOptions(options_.estimate);
    if (!solve) return tl::unexpected(solve.error());
    solve_ = *solve;
    auto inputs = RequestedInputs(options_.estimate);
    if (!inputs) return tl::unexpected(inputs.error());
    inputs_ = std::move(*inputs);
    inputs_.window_ns = solve_.window_ns;
    if (auto ok = CheckInputs(inputs_.inputs, options_); !ok) return ok;
    if (!options_.truth.empty()) {
      auto truth = ReadTruth(options_.truth);
      if (!truth) return tl::unexpected(truth.error());
      truth_ = std::move(*truth);
    }
    read_ = FilesRead(options_.estimate);
    read_.push_back(options_.truth);
    auto plan = PlanOutputs(inputs_.inputs, {.json = options_.estimate.json,
                                             .also_read = read_,
                                             .if_exists = IfExistsOf(options_.estimate)});
    if (!plan) return tl::unexpected(plan.error());
    plan_ = std::move(*plan);
    return {};
  }

  Result<void> RunMethods(const LoadedTraces& loaded) {
    progress_.Begin("comparing methods", methods_.size());
    solve_.reference = CommonReference(loaded, solve_);
    comparison_.reference = solve_.reference;
    for (const Method& method : methods_) {
      auto run = RunMethod(loaded, method, solve_);
      if (!run) return tl::unexpected(run.error());
      peak_bytes_ = std::max(peak_bytes_, PeakResidentBytes().value_or(0));
      runs_.push_back(std::move(*run));
      progress_.Advance(1);
    }
    return {};
  }

  Result<void> AddTrueErrors(const LoadedTraces& loaded) {
    if (!truth_) return {};
    auto errors = MeasureTrueErrors(loaded, runs_, *truth_);
    if (!errors) return tl::unexpected(errors.error());
    for (size_t i = 0; i < runs_.size(); ++i) {
      runs_[i].figures = WithTrueErrors(std::move(runs_[i].figures), (*errors)[i], loaded.traces);
    }
    return {};
  }

  // Charts become visible together, once all are complete.
  Result<void> Draw(const LoadedTraces& loaded) {
    if (options_.plots.empty()) return {};
    const Plots plots = DrawPlots(loaded, runs_, truth_ ? &*truth_ : nullptr);
    comparison_.diagnostics.Count("plots-left-out", Severity::kInfo, plots.left_out);
    if (plots.drawn.empty()) return {};
    std::vector<std::string> names;
    for (const Plot& plot : plots.drawn) names.push_back(plot.name);
    auto plan = PlanOutputs(inputs_.inputs, {.folder = options_.plots,
                                             .names = std::move(names),
                                             .also_read = read_,
                                             .if_exists = plan_.if_exists});
    if (!plan) return tl::unexpected(plan.error());
    for (size_t i = 0; i < plots.drawn.size(); ++i) {
      auto file = OutputFile::Create(plan->traces[i], plan_.if_exists);
      if (!file) return tl::unexpected(file.error());
      if (auto done = file->Write(plots.drawn[i].svg); !done) return done;
      files_.push_back(std::move(*file));
    }
    comparison_.plots = plan->traces;
    return {};
  }

  Result<SummaryMessages> Messages(const LoadedTraces& loaded) const {
    for (const MethodRun& run : runs_) {
      if (run.figures.IsFound()) return run.messages;
    }
    return RecordedMessages(loaded, solve_);
  }

  Result<void> Describe(const LoadedTraces& loaded) {
    const auto messages = Messages(loaded);
    if (!messages) return tl::unexpected(messages.error());
    comparison_.messages = *messages;
    const Summary common = Summarize(loaded, {}, {}, solve_);
    comparison_.version = common.version;
    comparison_.inputs = common.inputs;
    comparison_.bounds_assume = common.bounds_assume;
    comparison_.max_drift_ppm = common.max_drift_ppm;
    comparison_.clocks = loaded.traces.clocks.size();
    comparison_.timing.events = common.timing.events;
    comparison_.timing.read_s = loaded.read_s;
    comparison_.timing.match_s = loaded.match_s;
    comparison_.timing.peak_bytes = std::max(peak_bytes_, PeakResidentBytes().value_or(0));
    for (MethodRun& run : runs_) comparison_.methods.push_back(std::move(run.figures));
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
      if (method.IsFound()) code = std::min(code, method.is_weak ? kExitWeak : kExitDone);
    }
    const bool is_weak = comparison_.diagnostics.HasAtLeast(Severity::kWarning);
    return is_weak ? std::max(code, kExitWeak) : code;
  }

  const CompareOptions& options_;
  Progress progress_;
  std::vector<Method> methods_;
  SolveOptions solve_;
  ResolvedInputs inputs_;
  std::optional<Truth> truth_;
  std::vector<std::string> read_;  // besides the inputs
  OutputPlan plan_;
  std::vector<MethodRun> runs_;
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
