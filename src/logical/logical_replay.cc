#include "logical/logical_replay.h"

#include <algorithm>
#include <optional>

#include "syncline/time.h"

#include "base/check.h"
#include "base/parallel.h"
#include "logical/replay_backward.h"
#include "logical/replay_forward.h"
#include "logical/replay_links.h"
#include "logical/replay_stream.h"

namespace syncline {
namespace {

// Passes on what ends here.
class OwnLeaves : public RetimedMessageSink {
 public:
  OwnLeaves(const ReplayCrossings& crossings, RetimedMessageSink& sink)
      : crossings_(crossings), sink_(sink) {}
  void OnMessage(const RetimedMessage& message) override {
    if (crossings_.is_here(message.receiver)) sink_.OnMessage(message);
  }

 private:
  const ReplayCrossings& crossings_;
  RetimedMessageSink& sink_;
};

}  // namespace

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
  using Outcome = ReplayForward::Outcome;
  std::optional<ReplayForward> forward;
  const auto begin = [&] {
    report_ = {};
    report_.start_difference_ns = options_.amortizer.start_difference_ns;
    report_.messages = links.linked_messages();
    forward.emplace(trace, links, options_, *delays_, report_);
  };
  Outcome outcome = Outcome::kNeedsOrder;
  if (ReplayForward::MayDoWithoutOrder(trace, options_)) {
    begin();
    outcome = forward->RunInAnyOrder();
  }
  needed_order_ = outcome == Outcome::kNeedsOrder;
  if (needed_order_) {
    begin();
    outcome = forward->RunInOrder();
  }
  if (outcome == Outcome::kBlocked) {
    report_ = {};
    return false;
  }
  if (options_.amortization == AmortizationKind::kBackward) Amortize(trace, links, *forward);
  AddProcesses(trace);
  TellMessages(trace, links, *forward);
  return true;
}

bool LogicalReplay::MayRunInShares(const ReplayTrace& trace, const ReplayLinks& links) const {
  return options_.max_horizon_ns < 0 && options_.max_wait_ns < 0 &&
         !options_.keeps_gamma_over_time && links.is_plain() && links.ambiguous() == 0 &&
         ReplayForward::MayDoWithoutOrder(trace, options_);
}

bool LogicalReplay::RunShare(ReplayTrace& trace, std::span<const uint32_t> shares,
                             ReplayTeam& team) {
  for (size_t p = 0; p < trace.processes.size(); ++p) {
    trace.processes[p].is_elsewhere = shares[p] != team.own();
  }
  const ReplayCrossings crossings(trace, shares, team);
  const bool is_too_large =
      trace.messages.size() >= ReplayLink::kMost || trace.parts.size() >= ReplayLink::kMost;
  if (team.Any(is_too_large)) return false;
  const ReplayLinks links(trace);
  if (team.Any(!MayRunInShares(trace, links))) return false;
  report_.start_difference_ns = options_.amortizer.start_difference_ns;
  report_.messages = links.linked_messages();
  ReplayForward forward(trace, links, options_, *delays_, report_);
  forward.Share(crossings, team);
  if (forward.RunInAnyOrder() != ReplayForward::Outcome::kDone) return false;
  if (options_.amortization == AmortizationKind::kBackward) Amortize(trace, links, forward);
  AddProcesses(trace);
  TellLeaves(crossings, team, forward);
  links.CountIn(report_);
  for (const ReplayTrace::Process& process : trace.processes) {
    report_.peak_buffered += process.before.size();
  }
  return true;
}

void LogicalReplay::TellLeaves(const ReplayCrossings& crossings, ReplayTeam& team,
                               ReplayForward& forward) {
  using Times = ReplayCollectives::Times;
  ReplayCollectives& collectives = forward.collectives();
  std::vector<std::vector<Times>> to_each(team.shares());
  for (size_t share = 0; share < to_each.size(); ++share) {
    for (const uint32_t part : crossings.parts_to(share)) {
      to_each[share].push_back(collectives.FinalTimes(part));
    }
  }
  const auto received = team.ExchangeAll(to_each);
  for (size_t share = 0; share < received.size(); ++share) {
    auto part = static_cast<uint32_t>(crossings.first_part_from(share));
    for (const Times& times : received[share]) collectives.AdoptTimes(part++, times);
  }
  OwnLeaves sink(crossings, *sink_);
  collectives.ReportLeaves(sink);
}

void LogicalReplay::Amortize(ReplayTrace& trace, const ReplayLinks& links,
                             const ReplayForward& forward) {
  std::vector<AmortizationFigures> figures(trace.processes.size());
  ForEachParallel(figures.size(), [&](size_t p) {
    ReplayTrace::Process& process = trace.processes[p];
    const auto number = static_cast<uint32_t>(p);
    ReplayBackward backward(options_.amortizer, process.before, links[number], forward,
                            process.after);
    backward.Run(forward.jumps(number));
    figures[p] = backward.figures();
  });
  SteepestSlope steepest;
  for (uint32_t p = 0; p < figures.size(); ++p) {
    report_.jumps_amortized += figures[p].jumps;
    if (!steepest.Include(figures[p].largest_slope, p)) continue;
    report_.largest_slope = figures[p].largest_slope.ratio();
    report_.largest_slope_edge = figures[p].largest_slope.edge;
    report_.largest_slope_process = ProcessId{p};
    report_.largest_slope_tag = trace.processes[p].TagOf(figures[p].largest_slope.sequence);
  }
}

void LogicalReplay::AddProcesses(const ReplayTrace& trace) {
  report_.processes.resize(trace.processes.size());
  ForEachParallel(trace.processes.size(), [&](size_t p) {
    const ReplayTrace::Process& process = trace.processes[p];
    const std::vector<int64_t>& before = process.before;
    ProcessReport report;
    report.events = before.size();
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < before.size(); ++i) {
      const int64_t advance = SaturatedDifference(process.after[i], before[i]);
      report.moved += advance != 0 ? 1 : 0;
      report.largest_advance_ns = std::max(report.largest_advance_ns, advance);
      report.last_advance_ns = advance;
      if (i > 0) least = std::min(least, SaturatedDifference(before[i], before[i - 1]));
    }
    if (before.size() > 1) report.least_interval_ns = least;
    report_.processes[p] = report;
  });
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
