#include "pipeline/write/write_run.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/memory.h"
#include "base/stopwatch.h"
#include "pipeline/correct/truth_comparison.h"
#include "pipeline/page/write_page.h"
#include "pipeline/write/ctf_metadata.h"
#include "pipeline/write/write_traces.h"
#include "report/summary_json.h"

namespace syncline {
namespace {

void AddWrittenFigures(const LoadedTraces& loaded, const WrittenFigures& figures,
                       Summary& summary) {
  summary.intervals = SummarizeIntervals(figures.intervals, loaded.traces);
  if (figures.truth) {
    const TrueError& e = *figures.truth;
    summary.truth = {e.max_ns(), e.rms_ns(), e.events(), e.outside_bound()};
  }
}

// Whether CTF traces can keep their data; the retiming then becomes what readers compute.
Result<std::optional<CtfMetadata>> FitClockBlocks(const LoadedTraces& loaded,
                                                  CorrectedTraces& corrected, RunOutputs& outputs) {
  const bool has_ctf =
      std::any_of(loaded.inputs.begin(), loaded.inputs.end(),
                  [](const LoadedInput& i) { return i.input.format == Format::kCtf; });
  if (!has_ctf || outputs.rewrites_events) return std::optional<CtfMetadata>();
  CtfMetadata metadata;
  const uint64_t moved = corrected.logical ? corrected.logical->protocol.events_moved : 0;
  if (moved > 0) {
    metadata.why_not = fmt::format("the logical clock moved {} events", moved);
    return std::optional(metadata);
  }
  auto fitted = FitCtfMetadata(loaded, corrected.solution, corrected.quality, corrected.retiming);
  if (!fitted) return tl::unexpected(fitted.error());
  outputs.plan.clock_settings = fitted->settings;
  return std::optional(std::move(*fitted));
}

void AddOutputs(const OutputPlan& plan, Summary& summary) {
  summary.outputs = plan.traces;
  if (!plan.merged.empty()) summary.outputs.push_back(plan.merged);
  summary.outputs.push_back(plan.summary);
  if (!plan.report.empty()) summary.outputs.push_back(plan.report);
  summary.timing.peak_bytes = PeakMemoryBytes();
}

Result<void> AddSummary(const std::string& path, const Summary& summary, IfExists if_exists,
                        WrittenTraces& written) {
  if (path.empty()) return {};
  auto file = OutputFile::Create(path, if_exists);
  if (!file) return tl::unexpected(file.error());
  if (auto done = file->Write(SummaryToJson(summary)); !done) return done;
  written.files.push_back(std::move(*file));
  return {};
}

}  // namespace

Result<Summary> WriteRun(const LoadedTraces& loaded, CorrectedTraces& corrected,
                         const SolveOptions& solve, RunOutputs outputs, Progress& progress) {
  const OutputPlan& plan = outputs.plan;
  Stopwatch watch;
  auto metadata = FitClockBlocks(loaded, corrected, outputs);
  if (!metadata) return tl::unexpected(metadata.error());
  Summary summary = SummarizeCorrected(loaded, corrected, solve);
  if (*metadata) AddCtfMetadata(**metadata, summary);
  summary.timing.logical_s += watch.Restart();
  if (outputs.truth != nullptr) {
    auto ok = CheckTruth(*outputs.truth, outputs.truth_path, loaded.traces, summary.diagnostics);
    if (!ok) return tl::unexpected(ok.error());
  }
  auto written =
      WriteTraces(loaded, corrected.solution.group, corrected.retiming, plan,
                  outputs.rewrites_events ? Otf2Writing::kEvents : Otf2Writing::kMetadata,
                  outputs.truth, progress);
  if (!written) return tl::unexpected(written.error());
  summary.diagnostics.Merge(written->diagnostics);
  AddWrittenFigures(loaded, written->figures, summary);
  summary.corrected = true;
  summary.command = outputs.command;
  summary.timing.write_s = watch.Restart();
  AddOutputs(plan, summary);
  if (!plan.report.empty()) {
    ReportContent content{.window = outputs.window};
    if (corrected.logical) content.timeline = corrected.logical->timeline;
    auto report = WriteReport({plan.report, plan.if_exists}, std::move(content), loaded,
                              corrected.solution, corrected.retiming, summary);
    if (!report) return tl::unexpected(report.error());
    written->files.push_back(std::move(*report));
  }
  for (const std::string& path : {plan.summary, plan.json}) {
    if (auto done = AddSummary(path, summary, plan.if_exists, *written); !done) {
      return tl::unexpected(done.error());
    }
  }
  if (auto same = outputs.states.CheckUnchanged(); !same) return tl::unexpected(same.error());
  if (auto done = CommitAll(*written); !done) return tl::unexpected(done.error());
  return summary;
}

}  // namespace syncline
