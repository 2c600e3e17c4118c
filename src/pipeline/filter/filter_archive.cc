#include "pipeline/filter/filter_archive.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/memory.h"
#include "base/stopwatch.h"
#include "base/try.h"
#include "estimate/groups/tree_error.h"
#include "pipeline/correct/logical_stage.h"
#include "pipeline/estimate/measure_quality.h"
#include "pipeline/estimate/solve.h"
#include "pipeline/filter/filter_delays.h"
#include "pipeline/summary/protocol.h"
#include "pipeline/write/outputs.h"
#include "pipeline/write/write_traces.h"
#include "trace/inputs.h"

namespace syncline {
namespace {

// All clocks as they are.
Solution NoCorrection(const LoadedTraces& loaded) {
  std::vector<ClockInput> clocks;
  for (size_t i = 0; i < loaded.traces.clocks.size(); ++i) {
    clocks.push_back({loaded.traces.clocks[i], loaded.spans[i].first, loaded.spans[i].last});
  }
  return {.pairs = {}, .group = EstimateTree(clocks, {}, {})};
}

class ArchiveFilter {
 public:
  explicit ArchiveFilter(const FilterArchiveRequest& request)
      : request_(request), progress_(request.progress) {}

  Result<FilteredArchive> Run() {
    const std::vector<std::string> arguments = {request_.input};
    SYNCLINE_ASSIGN(auto inputs, ResolveInputs(arguments));
    inputs.clock_per = request_.clock_per;
    SYNCLINE_ASSIGN(auto plan, PlanOutputs(inputs.inputs, {.folder = request_.output_folder,
                                                           .json = request_.json,
                                                           .report = request_.report,
                                                           .also_read = {request_.min_delay},
                                                           .if_exists = request_.if_exists}));
    SYNCLINE_ASSIGN(auto loaded, LoadTraces(inputs, progress_));
    summary_.timing.read_s = loaded.read_s;
    summary_.timing.match_s = loaded.match_s;
    return Correct(loaded, plan);
  }

 private:
  Result<FilteredArchive> Correct(LoadedTraces& loaded, const OutputPlan& plan) {
    auto delay = ParseMinimumDelay(request_.min_delay);
    if (!delay) return tl::unexpected(delay.error());
    const Solution solution = NoCorrection(loaded);
    Retiming retiming = MakeRetiming(loaded, solution.group);
    if (delay->is_auto) {
      SYNCLINE_ASSIGN(auto recorded, MeasureQuality(loaded, solution, retiming));
      *delay = AutomaticDelays(recorded.before, loaded.traces);
    }
    const std::vector<std::string> unknown = UnknownClocks(*delay, loaded.traces);
    summary_.diagnostics.Count("unknown-delay-clock", Severity::kWarning, unknown.size(),
                               unknown.empty() ? "" : unknown.front());
    const DelayModel delays = MakeDelayModel(loaded, solution, *delay);
    Stopwatch watch;
    progress_.Begin("logical clock", 0);
    SYNCLINE_ASSIGN(auto stage, RunLogicalStage(loaded, retiming, delays, request_.options));
    for (uint32_t i = 0; i < stage.shifts_ns.size(); ++i) {
      retiming.SetShifts(ProcessId(i), std::move(stage.shifts_ns[i]));
    }
    SYNCLINE_ASSIGN(auto quality, MeasureQuality(loaded, solution, retiming));
    summary_.timing.logical_s = watch.Restart();
    SYNCLINE_ASSIGN(auto written, WriteTraces(loaded, solution.group, retiming, plan,
                                              request_.writing, nullptr, progress_));
    SYNCLINE_TRY(loaded.states.CheckUnchanged());
    summary_.timing.write_s = watch.Restart();
    Fill(loaded, quality, stage, written);
    return FilteredArchive{std::move(summary_), std::move(stage.timeline), plan.folder,
                           std::move(written)};
  }

  void Fill(const LoadedTraces& loaded, const QualityFigures& quality, const LogicalStage& stage,
            const WrittenTraces& written) {
    summary_.version = SYNCLINE_VERSION;
    summary_.messages = MessagesOf(quality.before, quality.after, loaded.unmatched_sends,
                                   loaded.unmatched_receives);
    summary_.intervals = SummarizeIntervals(written.figures.intervals, loaded.traces);
    summary_.logical = stage.protocol;
    summary_.diagnostics.Merge(loaded.diagnostics);
    summary_.diagnostics.Merge(stage.diagnostics);
    summary_.diagnostics.Merge(written.diagnostics);
    summary_.diagnostics.Count("inverted-after-correction", Severity::kWarning,
                               summary_.messages.inverted_after);
    summary_.diagnostics.Count("too-fast-after-correction", Severity::kWarning,
                               summary_.messages.too_fast_after);
    for (const LoadedInput& input : loaded.inputs) summary_.timing.events += input.events;
    summary_.timing.peak_bytes = PeakMemoryBytes();
  }

  const FilterArchiveRequest& request_;
  Progress progress_;
  FilterSummary summary_;
};

}  // namespace

Result<FilteredArchive> FilterArchive(const FilterArchiveRequest& request) {
  return ArchiveFilter(request).Run();
}

bool IsOtf2Anchor(const std::string& path) {
  if (path == "-") return false;
  const std::vector<std::string> arguments = {path};
  const auto inputs = ResolveInputs(arguments);
  return inputs && inputs->inputs.size() == 1 && inputs->inputs[0].format == Format::kOtf2;
}

}  // namespace syncline
