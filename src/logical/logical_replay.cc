#include "logical/logical_replay.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "syncline/time.h"

#include "base/check.h"
#include "base/parallel.h"
#include "logical/jump_spread.h"
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

// The backward amortization of one process's events in memory.
//
// Requires: LC' in `clock`, which becomes LC^A. Cost: O(events up to the last jump), and that of
// the hulls; a process without jumps costs nothing. Memory: 4 bytes per event, 40 per jump and
// vertex of its hull.
// Method: amortizer.h, of which it gives the same times: with all limits known, nothing is held.
class ReplayBackward {
 public:
  // All must outlive this object. `links` and `forward` say how late events may be put.
  ReplayBackward(const AmortizationOptions& options, std::span<const int64_t> before,
                 std::span<const ReplayLink> links, const ReplayForward& forward,
                 std::span<int64_t> clock)
      : before_(before), links_(links), forward_(forward), clock_(clock), spread_(options) {}

  void Run(std::span<const ReplayJump> jumps);
  const AmortizationFigures& figures() const { return spread_.figures(); }

 private:
  // Abscissae: the clock without jumps. Requires, as the jumps up to the event: `jumped`, modulo
  // 2^64.
  uint64_t Abscissa(uint64_t event, uint64_t jumped) const {
    return static_cast<uint64_t>(clock_[event]) - origin_ - jumped;
  }
  void Amortize(const ReplayJump& jump);
  bool IsAfterIdleTime(uint64_t event) const;
  void SettleOutOfReach(uint64_t x, uint64_t end);
  void SettleFirst();
  void TakeChange();
  void Change(uint64_t event, const RiseLine& line);

  std::span<const int64_t> before_;
  std::span<const ReplayLink> links_;
  const ReplayForward& forward_;
  std::span<int64_t> clock_;
  std::span<const ReplayJump> jumps_;
  JumpSpread spread_;
  uint64_t origin_ = 0;      // LC' of the first event
  uint64_t jumped_ = 0;      // by the jumps up to now
  uint64_t limited_ = 0;     // limits of sends before it are put
  uint64_t first_open_ = 0;  // events before it are final
  uint64_t first_jumped_ = 0;
  uint64_t last_final_x_ = 0;
  RiseLine line_;                  // of first_open_
  std::vector<uint32_t> change_;   // by event: the number of a change, from 1; jumps come first
  std::vector<RiseLine> changes_;  // how the rise of later events changes there
};

// How far the jump moved x behind the clock. The first event's jump lies before all x.
uint64_t JumpedBy(const ReplayJump& jump) {
  return jump.event == 0 ? 0 : static_cast<uint64_t>(jump.ns);
}

void ReplayBackward::Run(std::span<const ReplayJump> jumps) {
  if (jumps.empty()) return;
  jumps_ = jumps;
  origin_ = static_cast<uint64_t>(clock_.front());
  change_.assign(jumps.back().event + 1, 0);
  changes_.assign(jumps.size(), {});
  for (size_t i = 0; i < jumps.size(); ++i) change_[jumps[i].event] = static_cast<uint32_t>(i + 1);
  for (const ReplayJump& jump : jumps) Amortize(jump);
  // No event is raised from the last jump on.
  while (first_open_ < jumps.back().event) SettleFirst();
}

void ReplayBackward::Amortize(const ReplayJump& jump) {
  const uint64_t receive = jump.event;
  const uint64_t x_before = receive == 0 ? 0 : Abscissa(receive - 1, jumped_);
  const bool is_after_idle_time = IsAfterIdleTime(receive);
  const uint64_t jumped_before = jumped_;
  jumped_ += JumpedBy(jump);
  const uint64_t x = Abscissa(receive, jumped_);
  // What the interval did not reach so far is final, even if it grows now.
  if (is_after_idle_time) {
    while (first_open_ < receive) SettleFirst();
  }
  SettleOutOfReach(x_before, receive);
  spread_.NoteJump(jump.ns);
  SettleOutOfReach(x, receive);
  constexpr uint64_t kAhead = 16;
  for (limited_ = std::max(limited_, first_open_); limited_ < receive; ++limited_) {
    if (links_.size() - limited_ > kAhead) forward_.Prefetch(links_[limited_ + kAhead]);
    const int64_t latest = forward_.LatestOf(links_[limited_]);
    if (latest == INT64_MAX) continue;
    spread_.PutLimit(limited_, Abscissa(limited_, jumped_before), clock_[limited_], latest, 0);
  }
  spread_.Spread({receive, x, jump.ns}, {first_open_, last_final_x_},
                 [&](uint64_t event, const RiseLine& line) { Change(event, line); });
}

bool ReplayBackward::IsAfterIdleTime(uint64_t event) const {
  if (event == 0 || before_[event] <= clock_[event - 1]) return false;
  return spread_.IsIdle(static_cast<uint64_t>(before_[event]) -
                        static_cast<uint64_t>(clock_[event - 1]));
}

// Events from which x cannot be reached.
void ReplayBackward::SettleOutOfReach(uint64_t x, uint64_t end) {
  if (x <= spread_.interval_ns()) return;
  const uint64_t reached = x - spread_.interval_ns();
  while (first_open_ < end && Abscissa(first_open_, first_jumped_) < reached) SettleFirst();
}

void ReplayBackward::SettleFirst() {
  last_final_x_ = Abscissa(first_open_, first_jumped_);
  if (!line_.IsZero()) {
    clock_[first_open_] = Later(clock_[first_open_], line_.At(last_final_x_));
  }
  ++first_open_;
  if (change_[first_open_] != 0) TakeChange();
}

void ReplayBackward::TakeChange() {
  const size_t number = change_[first_open_] - 1;
  line_ += changes_[number];
  if (number < jumps_.size()) first_jumped_ += JumpedBy(jumps_[number]);
}

// From `event` on, events are raised by `line` more.
void ReplayBackward::Change(uint64_t event, const RiseLine& line) {
  if (event == first_open_) {
    line_ += line;
    return;
  }
  uint32_t& number = change_[event];
  if (number == 0) {
    changes_.emplace_back();
    number = static_cast<uint32_t>(changes_.size());
  }
  changes_[number - 1] += line;
}

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
