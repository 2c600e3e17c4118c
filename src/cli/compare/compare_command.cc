#include "cli/compare/compare_command.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <span>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/compression.h"
#include "base/memory.h"
#include "base/replace_together.h"
#include "base/stopwatch.h"
#include "base/terminal_text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/finish.h"
#include "cli/preparation.h"
#include "cli/report/report_command.h"
#include "cli/solve_options.h"
#include "cli/standard_input.h"
#include "pipeline/compare/compare.h"
#include "pipeline/compare/plots.h"
#include "pipeline/correct/truth_comparison.h"
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

class CompareRun {
 public:
  CompareRun(const CompareOptions& options, std::string command_line)
      : options_(options),
        command_line_(std::move(command_line)),
        progress_(options.estimate.progress ? ProgressMode::kOn : ProgressMode::kOff) {}

  Result<int> Run() {
    SYNCLINE_TRY(Prepare());
    SYNCLINE_ASSIGN(const LoadedTraces loaded, LoadTraces(preparation_.inputs, progress_));
    if (preparation_.truth) {
      SYNCLINE_TRY(CheckTruth(*preparation_.truth, options_.truth, loaded.traces, findings_));
    }
    const uint64_t loading_bytes = PeakMemoryBytes();
    SYNCLINE_ASSIGN(runs_, RunMethods(loaded, methods_, preparation_.solve, progress_));
    runs_.peak_bytes = std::max(runs_.peak_bytes, loading_bytes);
    Stopwatch watch;
    SYNCLINE_TRY(AddTrueErrors(loaded));
    SYNCLINE_TRY(Draw(loaded));
    const double after_s = watch.Restart();
    SYNCLINE_ASSIGN(comparison_, Compare(loaded, std::move(runs_), preparation_.solve));
    comparison_.command = command_line_;
    comparison_.plots = drawn_files_;
    comparison_.timing.write_s = after_s;
    comparison_.diagnostics.Merge(findings_);
    return Finish();
  }

 private:
  const std::vector<Input>& Inputs() const { return preparation_.inputs.inputs; }

  Result<void> Prepare() {
    if (options_.estimate.inputs.empty()) {
      return Fail(ErrorCode::kUsage, "compare needs INPUT, or --list");
    }
    SYNCLINE_ASSIGN(methods_, ParseMethods(options_.methods));
    SYNCLINE_TRY(CheckUse(options_.estimate, methods_));
    // It is refused with a truth.
    if (options_.truth.empty()) SYNCLINE_TRY(KeepStandardInput(options_.estimate.inputs));
    SYNCLINE_ASSIGN(preparation_, syncline::Prepare(options_.estimate, options_.truth));
    if (!options_.truth.empty()) {
      SYNCLINE_TRY(RefuseStandardInput(Inputs(), "--truth reads the inputs"));
    }
    SYNCLINE_ASSIGN(plan_, PlanOutputs(Inputs(), {.json = options_.estimate.json,
                                                  .report = options_.report,
                                                  .also_read = preparation_.read,
                                                  .if_exists = options_.estimate.if_exists()}));
    return {};
  }

  Result<void> AddTrueErrors(const LoadedTraces& loaded) {
    if (!preparation_.truth) return {};
    std::vector<MethodRun>& runs = runs_.runs;
    SYNCLINE_ASSIGN(const std::vector<TrueErrors> errors,
                    MeasureTrueErrors(loaded, runs, *preparation_.truth));
    for (size_t i = 0; i < runs.size(); ++i) {
      runs[i].figures = WithTrueErrors(std::move(runs[i].figures), errors[i], loaded.traces);
    }
    return {};
  }

  Result<void> Draw(const LoadedTraces& loaded) {
    if (options_.plots.empty() && options_.report.empty()) return {};
    plots_ = DrawPlots(loaded, runs_.runs, preparation_.truth ? &*preparation_.truth : nullptr);
    findings_.Count("plots-left-out", Severity::kInfo, plots_.left_out);
    return options_.plots.empty() ? Result<void>{} : WritePlots();
  }

  // Charts become visible together, once all are complete.
  Result<void> WritePlots() {
    if (plots_.drawn.empty()) return {};
    std::vector<std::string> names;
    for (const Plot& plot : plots_.drawn) names.push_back(plot.name);
    SYNCLINE_ASSIGN(auto plan, PlanOutputs(Inputs(), {.folder = options_.plots,
                                                      .names = std::move(names),
                                                      .also_read = preparation_.read,
                                                      .if_exists = plan_.if_exists}));
    plots_folder_ = plan.folder;
    for (size_t i = 0; i < plots_.drawn.size(); ++i) {
      SYNCLINE_ASSIGN(auto file, OutputFile::Create(plan.traces[i], plan_.if_exists));
      SYNCLINE_TRY(file.Write(ChartToSvg(plots_.drawn[i].chart.chart)));
      files_.push_back(std::move(file));
    }
    drawn_files_ = plan.traces;
    return {};
  }

  Result<void> MakePage() {
    if (plan_.report.empty()) return {};
    Page page{.kind = SummaryKind::kCompare, .summary_json = ComparisonToJson(comparison_)};
    for (Plot& plot : plots_.drawn) page.charts.push_back(std::move(plot.chart));
    SYNCLINE_ASSIGN(auto file,
                    CreatePage({plan_.report, plan_.if_exists}, Inputs(), std::move(page)));
    files_.push_back(std::move(file));
    return {};
  }

  Result<int> Finish() {
    if (!plan_.json.empty()) {
      SYNCLINE_ASSIGN(auto json, CreateAsNamed(plan_.json, plan_.if_exists));
      SYNCLINE_TRY(json.Write(ComparisonToJson(comparison_)));
      files_.push_back(std::move(json));
    }
    SYNCLINE_TRY(MakePage());
    SYNCLINE_TRY(CommitTogether(files_));
    if (!options_.estimate.quiet) {
      std::FILE* stream = options_.estimate.json == "-" ? stderr : stdout;
      SYNCLINE_TRY(PrintText(ComparisonToText(comparison_, StyleFor(stream).columns), stream));
    }
    const int code = ExitCodeOf(comparison_);
    if (code == kExitNoCorrection) {
      // The last assumes least; the table, which --quiet leaves out, has the reasons of all.
      const Comparison::Method& last = comparison_.methods.back();
      return Fail(ErrorCode::kNoCorrection,
                  fmt::format("no method finds a correction: {}: {}", last.name, last.failure));
    }
    return Accepted(code, options_.estimate);
  }

  CompareOptions options_;
  std::string command_line_;
  Progress progress_;
  std::vector<Method> methods_;
  Preparation preparation_;
  OutputPlan plan_;
  MethodRuns runs_;
  Diagnostics findings_;  // of the truth and the charts
  Plots plots_;
  std::shared_ptr<const MadeFolders> plots_folder_;  // longer than the files in it
  std::vector<OutputFile> files_;
  std::vector<std::string> drawn_files_;
  Comparison comparison_;
};

}  // namespace

Result<int> RunCompare(const CompareOptions& options, const std::string& command_line) {
  if (!options.list) return CompareRun(options, command_line).Run();
  SYNCLINE_TRY(PrintText(MethodListText(), stdout));
  return kExitDone;
}

void DeclareCompareOptions(CLI::App& command, CompareOptions& o) {
  DeclareEstimateOptions(command, o.estimate);
  // --methods says both of the first; what the others ask for is not shown; --list needs no traces.
  for (const char* name : {"--group", "--method", "--confidence", "--bounds"}) {
    command.remove_option(command.get_option(name));
  }
  command.get_option("INPUT")->required(false);
  AddOption(command, "--methods", o.methods, "LIST",
            "The methods to compare, with commas between them: names that --list shows, or a "
            "part of one for all that have it (tree-error, widest)")
      ->capture_default_str();
  AddOption(command, "--truth", o.truth, "FILE",
            "JSON file with the true clocks: compare true errors");
  AddOption(command, "--plots", o.plots, "FOLDER",
            "Write charts as SVG into this folder: the corridor of each pair, the bounds of "
            "each clock over time, and with --truth the errors over time");
  DeclareReportOption(command, o.report,
                      "Also write a page with all figures and charts. One file, for any browser");
  command.add_flag("--list", o.list, "Show all methods and what they need; read nothing");
  command.get_option("--json")->description("Write the figures as JSON; - for standard output");
  FinishOptions(command);
}

}  // namespace syncline
