#include "pipeline/correct/correct.h"

#include <algorithm>
#include <utility>

#include "syncline/time.h"

#include "base/memory.h"
#include "base/stopwatch.h"
#include "base/try.h"
#include "pipeline/correct/shared_stage.h"

namespace syncline {
namespace {

Retiming CorrectionsAlone(const LoadedTraces& loaded, const GroupEstimate& group,
                          const TimesWanted& wanted) {
  if (wanted.in_nanoseconds) return Retiming(TimesByProcess(loaded, group));
  return MakeRetiming(loaded, group);
}

// Between readings that are further apart than clocks are expected to be, intervals say too little
// to be kept: of two such clocks, each would drive the other ahead.
void LetCoarseClocksStop(const LoadedTraces& loaded, LogicalOptions& logical) {
  const auto is_coarse = [&](const Clock& clock) {
    return clock.reading_ns >= logical.amortizer.start_difference_ns;
  };
  double& floor = logical.revised.gamma_floor;
  const bool is_default = floor == RevisedControllerOptions().gamma_floor;
  if (is_default && std::ranges::any_of(loaded.traces.clocks, is_coarse)) floor = 0;
}

// Measures again what it moved.
Result<void> RunClock(LoadedTraces& loaded, const SolveOptions& solve, const TimesWanted& wanted,
                      CorrectedTraces& corrected, Progress& progress) {
  SYNCLINE_TRY(progress.CheckGoesOn());
  LogicalOptions logical = *wanted.logical;
  logical.max_horizon_ns = -1;
  logical.keeps_gamma_over_time = wanted.keeps_timeline;
  LetCoarseClocksStop(loaded, logical);
  const Solution& solution = corrected.solution;
  const DelayModel delays = MakeDelayModel(loaded, solution, solve.minimum_delay);
  const auto corrections = [&] { return CorrectionsAlone(loaded, solution.group, wanted); };
  progress.Begin("logical clock", 0);
  SYNCLINE_ASSIGN(auto shared, RunSharedStage(loaded, solution, corrections(), delays, logical));
  if (shared) {
    corrected.logical = std::move(shared->stage);
  } else {
    SYNCLINE_ASSIGN(corrected.logical,
                    RunLogicalStage(loaded, corrections().Unrounded(), delays, logical));
  }
  if (corrected.logical->protocol.events_moved == 0) return {};
  corrected.retiming = shared ? std::move(shared->retiming) : corrections();
  for (uint32_t i = 0; i < corrected.logical->shifts_ns.size(); ++i) {
    corrected.retiming.SetShifts(ProcessId(i), std::move(corrected.logical->shifts_ns[i]));
  }
  if (shared) {
    corrected.quality = std::move(shared->quality);
    return CompleteQuality(loaded, solution, corrected.retiming, corrected.quality);
  }
  SYNCLINE_ASSIGN(corrected.quality, MeasureQuality(loaded, solution, corrected.retiming));
  return {};
}

void AddLogical(const LogicalStage& stage, const LoadedTraces& loaded, Summary& summary) {
  summary.diagnostics.Merge(stage.diagnostics);
  for (const CycleMessage& cycle : stage.cycles) {
    summary.suspects.push_back({SuspectEnd(loaded.traces, cycle.message.send),
                                SuspectEnd(loaded.traces, cycle.message.receive),
                                Summary::Suspect::Why::kCycle, cycle.is_of_collective,
                                cycle.delay_ns});
  }
  summary.logical = stage.protocol;
  for (size_t i = 0; i < stage.protocol.processes.size(); ++i) {
    const LogicalProtocol::Process& process = stage.protocol.processes[i];
    Summary::Clock& clock = summary.clocks[loaded.traces.processes[i].clock.index()];
    clock.max_advance_ns = std::max(clock.max_advance_ns, process.largest_advance_ns);
    clock.events_moved += process.moved;
  }
}

}  // namespace

Result<CorrectedTraces> CorrectTraces(LoadedTraces& loaded, const SolveOptions& solve,
                                      const TimesWanted& wanted, Progress& progress) {
  Stopwatch watch;
  progress.Begin("estimating clocks", 0);
  SYNCLINE_TRY(progress.CheckGoesOn());
  // Of long traces, reading leaves tens of megabytes, in pieces of which few suit estimation.
  GiveBackFreedMemory();
  SYNCLINE_ASSIGN(Solution solution, Solve(loaded, solve));
  const double solve_s = watch.Restart();
  SYNCLINE_ASSIGN(CorrectedTraces corrected,
                  CorrectTraces(loaded, solve, std::move(solution), wanted, progress));
  corrected.estimate_s += solve_s;
  return corrected;
}

Result<CorrectedTraces> CorrectTraces(LoadedTraces& loaded, const SolveOptions& solve,
                                      Solution solution, const TimesWanted& wanted,
                                      Progress& progress) {
  Stopwatch watch;
  loaded.messages.SetAside(solution.suspects);
  loaded.likely_messages.SetAside(solution.late);
  Retiming retiming = CorrectionsAlone(loaded, solution.group, wanted);
  const bool goes_back = retiming.KeepEpochsInOrder();
  SYNCLINE_ASSIGN(QualityFigures quality, MeasureQuality(loaded, solution, retiming));
  CorrectedTraces corrected{std::move(solution), std::move(retiming), std::move(quality)};
  corrected.estimate_s = watch.Restart();
  const bool contradicts = goes_back || corrected.quality.contradictions > 0 ||
                           loaded.collective_messages.messages() > 0;
  if (wanted.logical && (contradicts || wanted.logical->min_event_gap_ns > 0)) {
    SYNCLINE_TRY(RunClock(loaded, solve, wanted, corrected, progress));
  }
  corrected.logical_s = watch.Restart();
  return corrected;
}

void AllowForMoves(const LoadedTraces& loaded, const Retiming& retiming, Summary& summary) {
  std::vector<int64_t> rounded_ns(summary.clocks.size());
  for (uint32_t i = 0; i < loaded.traces.processes.size(); ++i) {
    int64_t& of_clock = rounded_ns[loaded.traces.processes[i].clock.index()];
    of_clock = std::max(of_clock, retiming.MostMovedNs(ProcessId(i)));
  }
  for (size_t i = 0; i < rounded_ns.size(); ++i) {
    Summary::Clock& clock = summary.clocks[i];
    const int64_t further_ns = SaturatedSum(clock.max_advance_ns, rounded_ns[i]);
    for (std::optional<int64_t>* worst_ns :
         {&clock.bound.worst_ns, &clock.below.worst_ns, &clock.worst_of_rest_ns}) {
      if (!*worst_ns) continue;
      *worst_ns = SaturatedSum(**worst_ns, further_ns);
      if (*worst_ns == INT64_MAX) worst_ns->reset();
    }
  }
}

Summary SummarizeCorrected(const LoadedTraces& loaded, const CorrectedTraces& corrected,
                           const SolveOptions& solve) {
  return SummarizeCorrected(loaded, corrected, corrected.quality, corrected.retiming, solve);
}

Summary SummarizeCorrected(const LoadedTraces& loaded, const CorrectedTraces& corrected,
                           const QualityFigures& quality, const Retiming& retiming,
                           const SolveOptions& solve) {
  Summary summary = Summarize(loaded, corrected.solution, quality, solve,
                              corrected.logical ? "" : kCorrectedAlone);
  if (corrected.logical) AddLogical(*corrected.logical, loaded, summary);
  AllowForMoves(loaded, retiming, summary);
  summary.messages.moved_for_rounding = retiming.moved();
  summary.timing.read_s = loaded.read_s;
  summary.timing.match_s = loaded.match_s;
  summary.timing.estimate_s = corrected.estimate_s;
  summary.timing.logical_s = corrected.logical_s;
  summary.timing.peak_bytes = PeakMemoryBytes();
  return summary;
}

}  // namespace syncline
