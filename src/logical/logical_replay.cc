#include "logical/logical_replay.h"

#include <algorithm>
#include <utility>

#include "syncline/time.h"

#include "base/check.h"
#include "logical/replay_backward.h"
#include "logical/replay_forward.h"
#include "logical/replay_links.h"
#include "logical/replay_stream.h"

namespace syncline {

void LogicalReplay::Run(ReplayTrace& trace) {
  SYNCLINE_CHECK(trace.messages.size() < ReplayLink::kMost &&
                 trace.parts.size() < ReplayLink::kMost);
  ReplayLinks links(trace);
  const bool streams = options_.max_horizon_ns >= 0 || options_.max_wait_ns >= 0;
  const auto runs_on_arrays = [&] {
    return !streams && links.is_plain() && RunOnArrays(trace, links);
  };
  if (!runs_on_arrays()) {
    LeaveOutCycles(trace, links);
    was_streamed_ = cycles_.empty() || !runs_on_arrays();
  }
  if (was_streamed_) {
    report_ = ReplayAsStream(trace, links, options_, *delays_, *sink_);
  }
  links.CountIn(report_);
  report_.peak_buffered = 0;
  for (const ReplayTrace::Process& process : trace.processes) {
    report_.peak_buffered += process.before.size();
  }
}

void LogicalReplay::LeaveOutCycles(ReplayTrace& trace, ReplayLinks& links) {
  cycles_ = FindCycles(trace, links);
  for (const uint32_t message : cycles_.messages) links.Unlink(message);
  for (const ReplayCycles::Wait& wait : cycles_.waits) trace.parts[wait.leave].takes_part = false;
}

bool LogicalReplay::RunOnArrays(ReplayTrace& trace, const ReplayLinks& links) {
  report_.start_difference_ns = options_.amortizer.start_difference_ns;
  report_.messages = links.linked_messages();
  ReplayForward forward(trace, links, options_, *delays_, report_);
  if (!forward.Run()) {
    report_ = {};
    return false;
  }
  if (options_.amortization == AmortizationKind::kBackward) Amortize(trace, links, forward);
  AddProcesses(trace);
  TellMessages(trace, links, forward);
  return true;
}

void LogicalReplay::Amortize(ReplayTrace& trace, const ReplayLinks& links,
                             const ReplayForward& forward) {
  SteepestSlope steepest;
  for (uint32_t p = 0; p < trace.processes.size(); ++p) {
    ReplayTrace::Process& process = trace.processes[p];
    ReplayBackward backward(options_.amortizer, process.before, links[p], forward, process.after);
    backward.Run(forward.jumps(p));
    const AmortizationFigures& figures = backward.figures();
    report_.jumps_amortized += figures.jumps;
    if (!steepest.Include(figures.largest_slope, p)) continue;
    report_.largest_slope = figures.largest_slope.ratio();
    report_.largest_slope_process = ProcessId{p};
    report_.largest_slope_tag = process.TagOf(figures.largest_slope.sequence);
  }
}

void LogicalReplay::AddProcesses(const ReplayTrace& trace) {
  for (const ReplayTrace::Process& process : trace.processes) {
    ProcessReport& report = report_.processes.emplace_back();
    const std::vector<int64_t>& before = process.before;
    report.events = before.size();
    if (before.empty()) continue;
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < before.size(); ++i) {
      const int64_t advance = SaturatedDifference(process.after[i], before[i]);
      report.moved += advance != 0 ? 1 : 0;
      report.largest_advance_ns = std::max(report.largest_advance_ns, advance);
      if (i > 0) least = std::min(least, SaturatedDifference(before[i], before[i - 1]));
    }
    report.last_advance_ns = SaturatedDifference(process.after.back(), before.back());
    if (before.size() > 1) report.least_interval_ns = least;
  }
}

void LogicalReplay::TellMessages(const ReplayTrace& trace, const ReplayLinks& links,
                                 const ReplayForward& forward) {
  for (uint32_t i = 0; i < trace.messages.size(); ++i) {
    const ReplayTrace::Message& m = trace.messages[i];
    if (!links.is_linked(i)) continue;
    const ReplayTrace::Process& sender = trace.processes[m.sender.index()];
    const ReplayTrace::Process& receiver = trace.processes[m.receiver.index()];
    sink_->OnMessage({m.sender, m.receiver, sender.TagOf(m.send), receiver.TagOf(m.receive),
                      GlobalTime{sender.before[m.send]}, GlobalTime{sender.after[m.send]},
                      GlobalTime{receiver.before[m.receive]}, GlobalTime{receiver.after[m.receive]},
                      Duration{forward.MinimumDelayOf(i)}, RetimedMessage::Kind::kMessage});
  }
  forward.collectives().ReportLeaves(*sink_);
}

}  // namespace syncline
