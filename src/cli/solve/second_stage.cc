#include "cli/solve/second_stage.h"

#include <algorithm>
#include <utility>

namespace syncline {

Result<StagedTimes> RunSecondStage(LoadedTraces& loaded, const Solution& solution,
                                   const SecondStageOptions& options, StagedTimes before,
                                   Progress& progress) {
  const bool contradicts =
      before.quality.contradictions > 0 || loaded.collective_messages.messages() > 0;
  if (options.logical == "none" || !contradicts) return before;
  auto logical = ParseLogicalOptions(options.logical, options.clock);
  if (!logical) return tl::unexpected(logical.error());
  logical->max_horizon_ns = -1;
  logical->keeps_gamma_over_time = options.keeps_timeline;
  const DelayModel delays = MakeDelayModel(loaded, solution, options.minimum_delay);
  auto stage = RunLogicalStage(loaded, options.make_retiming(), delays, *logical, progress);
  if (!stage) return tl::unexpected(stage.error());
  StagedTimes after = std::move(before);
  after.logical = std::move(*stage);
  if (after.logical->protocol.events_moved == 0) return after;
  after.retiming = options.make_retiming();
  for (uint32_t i = 0; i < after.logical->shifts_ns.size(); ++i) {
    after.retiming.SetShifts(ProcessId(i), std::move(after.logical->shifts_ns[i]));
  }
  auto measured = MeasureQuality(loaded, solution, after.retiming);
  if (!measured) return tl::unexpected(measured.error());
  after.quality = std::move(*measured);
  return after;
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
  // An event that was moved forward is that much further from the earliest that its time can be.
  for (Summary::Clock& clock : summary.clocks) {
    for (std::optional<int64_t>* worst_ns : {&clock.bound.worst_ns, &clock.below.worst_ns}) {
      if (*worst_ns) **worst_ns += clock.max_advance_ns;
    }
  }
}

}  // namespace syncline
