#include "pipeline/write/write_run.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/compression.h"
#include "base/memory.h"
#include "base/stopwatch.h"
#include "base/try.h"
#include "pipeline/correct/truth_comparison.h"
#include "pipeline/page/write_page.h"
#include "pipeline/summary/protocol.h"
#include "pipeline/write/ctf_metadata.h"
#include "pipeline/write/write_traces.h"
#include "report/summary.h"

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

// The times to be written, and what they are worth.
struct TimesToWrite {
  Retiming retiming;
  std::optional<QualityFigures> quality;  // where it is another one than of the corrected times
  std::optional<CtfMetadata> metadata;
};

// Where CTF traces can keep their data, times become what readers compute.
Result<TimesToWrite> FitClockBlocks(const LoadedTraces& loaded, const CorrectedTraces& corrected,
                                    bool rewrites_events) {
  TimesToWrite times{corrected.retiming, {}, {}};
  const bool has_ctf = std::ranges::any_of(
      loaded.inputs, [](const LoadedInput& i) { return i.input.format == Format::kCtf; });
  if (!has_ctf || rewrites_events) return times;
  times.metadata.emplace();
  const uint64_t moved = corrected.logical ? corrected.logical->protocol.events_moved : 0;
  if (moved > 0) {
    times.metadata->why_not = fmt::format("the logical clock moved {} events", moved);
    return times;
  }
  QualityFigures as_read;
  SYNCLINE_ASSIGN(times.metadata,
                  FitCtfMetadata(loaded, corrected.solution, as_read, times.retiming));
  if (!times.metadata->settings.empty()) times.quality = std::move(as_read);
  return times;
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
  SYNCLINE_ASSIGN(auto file, CreateAsNamed(path, if_exists));
  SYNCLINE_TRY(file.Write(SummaryToJson(summary)));
  written.files.push_back(std::move(file));
  return {};
}

}  // namespace

Result<Summary> WriteRun(const LoadedTraces& loaded, const CorrectedTraces& corrected,
                         const SolveOptions& solve, RunOutputs outputs, Progress& progress) {
  OutputPlan& plan = outputs.plan;
  Stopwatch watch;
  SYNCLINE_ASSIGN(const TimesToWrite times,
                  FitClockBlocks(loaded, corrected, outputs.rewrites_events));
  Summary summary = SummarizeCorrected(
      loaded, corrected, times.quality ? *times.quality : corrected.quality, times.retiming, solve);
  if (times.metadata) {
    plan.clock_settings = times.metadata->settings;
    AddCtfMetadata(*times.metadata, summary);
  }
  summary.timing.logical_s += watch.Restart();
  if (outputs.truth != nullptr) {
    SYNCLINE_TRY(
        CheckTruth(*outputs.truth, outputs.truth_path, loaded.traces, summary.diagnostics));
  }
  SYNCLINE_ASSIGN(
      WrittenTraces written,
      WriteTraces(loaded, corrected.solution.group, times.retiming, plan,
                  outputs.rewrites_events ? Otf2Writing::kEvents : Otf2Writing::kMetadata,
                  outputs.truth, progress));
  summary.diagnostics.Merge(written.diagnostics);
  AddWrittenFigures(loaded, written.figures, summary);
  summary.corrected = true;
  summary.command = outputs.command;
  summary.timing.write_s = watch.Restart();
  AddOutputs(plan, summary);
  if (!plan.report.empty()) {
    ReportContent content{.window = outputs.window};
    if (corrected.logical) content.timeline = corrected.logical->timeline;
    SYNCLINE_ASSIGN(OutputFile report,
                    WriteReport({plan.report, plan.if_exists}, std::move(content), loaded,
                                corrected.solution, times.retiming, summary));
    written.files.push_back(std::move(report));
  }
  for (const std::string& path : {plan.summary, plan.json}) {
    SYNCLINE_TRY(AddSummary(path, summary, plan.if_exists, written));
  }
  SYNCLINE_TRY(progress.CheckGoesOn());
  SYNCLINE_TRY(loaded.states.CheckUnchanged());
  SYNCLINE_TRY(CommitAll(written));
  return summary;
}

}  // namespace syncline
