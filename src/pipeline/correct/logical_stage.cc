#include "pipeline/correct/logical_stage.h"

#include <algorithm>
#include <utility>

#include "syncline/time.h"

#include "base/try.h"
#include "logical/logical_replay.h"
#include "measure/logical_figures.h"
#include "pipeline/correct/cycle_messages.h"
#include "pipeline/correct/stage_trace.h"
#include "pipeline/summary/protocol.h"

namespace syncline {
namespace {

// By the events' tags: after − before, which takes the place of what comes after.
std::vector<int64_t> TakeShifts(ReplayTrace::Process& process) {
  std::vector<int64_t> shifts = std::move(process.after);
  for (size_t i = 0; i < shifts.size(); ++i) {
    shifts[i] = SaturatedDifference(shifts[i], process.before[i]);
  }
  if (process.tags.empty()) return shifts;
  std::vector<int64_t> by_tag;
  for (size_t i = 0; i < shifts.size(); ++i) {
    const uint64_t tag = process.tags[i];
    if (by_tag.size() <= tag) by_tag.resize(tag + 1);
    by_tag[tag] = shifts[i];
  }
  return by_tag;
}

LogicalTimeline TimelineOf(const ReplayTrace& trace, const GammaReport& gamma,
                           const TraceSet& traces) {
  ChangeOverTime changes;
  for (uint32_t p = 0; p < trace.processes.size(); ++p) {
    const ReplayTrace::Process& process = trace.processes[p];
    for (uint64_t i = 0; i < process.before.size(); ++i) {
      changes.Add(ProcessId(p), process.TagOf(i), process.before[i], process.after[i]);
    }
  }
  return MakeTimeline(gamma, changes, traces);
}

}  // namespace

Result<LogicalStage> RunLogicalStage(LoadedTraces& loaded, const Retiming& retiming,
                                     const DelayModel& delays, const LogicalOptions& options) {
  SYNCLINE_ASSIGN(auto trace, MakeOrderedTrace(loaded, retiming, delays));
  LogicalFigures figures(loaded.traces);
  LogicalReplay clock(options, delays, figures);
  clock.Run(trace);
  LogicalStage stage;
  SYNCLINE_ASSIGN(auto cycles, SetCyclesAside(trace, clock.cycles(), loaded));
  stage.cycles = std::move(cycles);
  CountCycles(stage.cycles, loaded.traces, stage.diagnostics);
  if (options.keeps_gamma_over_time) {
    stage.timeline = TimelineOf(trace, clock.report().gamma, loaded.traces);
  }
  for (ReplayTrace::Process& process : trace.processes) {
    stage.shifts_ns.push_back(TakeShifts(process));
    process = {};
  }
  CountFindings(clock.report(), stage.diagnostics);
  stage.protocol = MakeProtocol(options, clock.report(), figures, loaded.traces);
  return stage;
}

}  // namespace syncline
