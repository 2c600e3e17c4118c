#include "pipeline/correct/shared_stage.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "syncline/time.h"

#include "base/try.h"
#include "logical/logical_replay.h"
#include "measure/logical_figures.h"
#include "pipeline/correct/stage_trace.h"
#include "pipeline/summary/protocol.h"

namespace syncline {
namespace {

// An event that was moved, of a process that is named elsewhere.
struct Shift {
  uint64_t event = 0;
  int64_t ns = 0;
};

std::vector<Shift> ShiftsOf(const ReplayTrace::Process& process) {
  std::vector<Shift> shifts;
  for (uint64_t i = 0; i < process.after.size(); ++i) {
    const int64_t ns = SaturatedDifference(process.after[i], process.before[i]);
    if (ns != 0) shifts.push_back({i, ns});
  }
  return shifts;
}

std::vector<int64_t> ByEvent(std::span<const Shift> shifts) {
  std::vector<int64_t> by_event(shifts.empty() ? 0 : shifts.back().event + 1);
  for (const Shift& shift : shifts) by_event[shift.event] = shift.ns;
  return by_event;
}

class ShareRunner {
 public:
  ShareRunner(const StageShare& share, ParcelReader& task)
      : share_(share),
        number_(task.Take<uint64_t>()),
        options_(task.Take<LogicalOptions>()),
        delays_(task.Take<DelayModel>()),
        quality_(TakeQualityTask(share.held, task)),
        retiming_(Retiming::Take(task)),
        unrounded_(retiming_.Unrounded()),
        is_here_(share.IsHere()),
        shifts_(share.shares.size()),
        figures_(share.held.traces) {}

  Result<void> Run(Parcel& outcome) {
    LogicalReplay replay(options_, delays_, figures_);
    SYNCLINE_ASSIGN(const bool is_done, Replay(replay));
    outcome.Put(is_done);
    if (!is_done) return {};
    for (uint32_t p = 0; p < is_here_.size(); ++p) {
      if (is_here_[p]) outcome.Put(p, shifts_[p]);
    }
    outcome.Put(kNoProcess);
    KeepShifts();
    FetchShifts();
    SYNCLINE_TRY(TellMessages());
    replay.report().Put(outcome);
    figures_.PutMessages(outcome);
    const bool is_moved = share_.team.Any(
        std::ranges::any_of(shifts_, [](const auto& shifts) { return !shifts.empty(); }));
    outcome.Put(is_moved);
    if (!is_moved) return {};
    for (uint32_t p = 0; p < shifts_.size(); ++p) {
      retiming_.SetShifts(ProcessId(p), ByEvent(shifts_[p]));
    }
    return MeasureShare(share_.held.traces, quality_, retiming_, outcome);
  }

  static constexpr uint32_t kNoProcess = UINT32_MAX;

 private:
  // The others wait for this one, so all hear of its errors before they go on.
  Result<bool> Replay(LogicalReplay& replay) {
    is_matched_here_.resize(is_here_.size());
    auto messages = FetchMessages(share_, quality_.messages, [&](const Message& m) {
      is_matched_here_[m.send.process.index()] = true;
      is_matched_here_[m.receive.process.index()] = true;
    });
    if (share_.team.Any(!messages)) return OwnError<bool>(messages);
    auto trace = MakeShareTrace(share_.archive, unrounded_, is_here_, std::move(*messages));
    if (share_.team.Any(!trace)) return OwnError<bool>(trace);
    if (!replay.RunShare(*trace, share_.shares, share_.team)) return false;
    for (size_t p = 0; p < is_here_.size(); ++p) {
      if (is_here_[p]) shifts_[p] = ShiftsOf(trace->processes[p]);
      trace->processes[p] = {};
    }
    return true;
  }

  void KeepShifts() {
    share_.kept = {number_, std::vector<std::vector<int64_t>>(shifts_.size())};
    for (size_t p = 0; p < shifts_.size(); ++p) share_.kept.shifts_ns[p] = ByEvent(shifts_[p]);
  }

  // Of the processes elsewhere whose messages were matched here.
  void FetchShifts() {
    std::vector<std::vector<uint32_t>> wanted(share_.team.shares());
    for (uint32_t p = 0; p < is_here_.size(); ++p) {
      if (is_matched_here_[p] && !is_here_[p]) wanted[share_.shares[p]].push_back(p);
    }
    std::vector<ReplayTeam::Bytes> to_each(share_.team.shares());
    const auto asked = share_.team.ExchangeAll(wanted);
    for (size_t share = 0; share < asked.size(); ++share) {
      Parcel parcel;
      for (const uint32_t p : asked[share]) parcel.Put(shifts_[p]);
      to_each[share].assign(parcel.bytes().begin(), parcel.bytes().end());
    }
    uint32_t no_flags = 0;
    const std::vector<ReplayTeam::Bytes> received = share_.team.Exchange(to_each, no_flags);
    for (size_t share = 0; share < received.size(); ++share) {
      ParcelReader parcel(received[share]);
      for (const uint32_t p : wanted[share]) shifts_[p] = parcel.TakeAll<Shift>();
    }
  }

  Result<void> TellMessages() {
    std::vector<std::vector<int64_t>> by_event;
    for (const std::vector<Shift>& shifts : shifts_) by_event.push_back(ByEvent(shifts));
    const auto after = [&](const EventRef& event, GlobalTime before) {
      const std::vector<int64_t>& of_process = by_event[event.process.index()];
      const int64_t shift = event.index < of_process.size() ? of_process[event.index] : 0;
      return GlobalTime{SaturatedSum(before.ns, shift)};
    };
    const TraceSet& traces = share_.held.traces;
    return quality_.messages.ForEach([&](const Message& m) {
      const GlobalTime sent = unrounded_(m.send);
      const GlobalTime received = unrounded_(m.receive);
      const ClockId from = traces.processes[m.send.process.index()].clock;
      const ClockId to = traces.processes[m.receive.process.index()].clock;
      if (m.send.process == m.receive.process) return;  // links nothing
      figures_.OnMessage({m.send.process, m.receive.process, m.send.index, m.receive.index, sent,
                          after(m.send, sent), received, after(m.receive, received),
                          delays_.Of(from, to, 0), RetimedMessage::Kind::kMessage});
    });
  }

  const StageShare& share_;
  uint64_t number_;
  LogicalOptions options_;
  DelayModel delays_;
  QualityTask quality_;
  Retiming retiming_;
  Retiming unrounded_;                 // what goes into the clock
  std::vector<bool> is_here_;          // by process
  std::vector<bool> is_matched_here_;  // by process: a message of it
  std::vector<std::vector<Shift>> shifts_;
  LogicalFigures figures_;  // what collectives tell, and messages by those who matched them
};

}  // namespace

Result<void> RunShareOfStage(const StageShare& share, ParcelReader& task, Parcel& outcome) {
  return ShareRunner(share, task).Run(outcome);
}

Result<std::optional<SharedStage>> RunSharedStage(const LoadedTraces& loaded,
                                                  const Solution& solution, Retiming retiming,
                                                  const DelayModel& delays,
                                                  const LogicalOptions& options) {
  const TeamMessages* team = loaded.messages.team();
  const bool may_be = team != nullptr && retiming.is_of_corrections_alone() &&
                      !delays.grows_with_size() && !options.keeps_gamma_over_time;
  if (!may_be) return std::nullopt;
  static std::atomic<uint64_t> replays = 0;
  const uint64_t number = ++replays;
  Parcel task;
  task.Put(TeamTask::kReplay, number, options, delays);
  PutQualityTask(loaded, solution, task);
  retiming.Put(task);
  SYNCLINE_ASSIGN(std::vector<ParcelReader> outcomes, team->Ask(task));
  SharedStage shared{.stage = {}, .quality = {}, .retiming = std::move(retiming)};
  LogicalReport report;
  report.start_difference_ns = options.amortizer.start_difference_ns;
  LogicalFigures figures(loaded.traces);
  shared.stage.shifts_ns.resize(loaded.traces.processes.size());
  for (ParcelReader& outcome : outcomes) {
    if (!outcome.Take<bool>()) return std::nullopt;
    for (auto p = outcome.Take<uint32_t>(); p != ShareRunner::kNoProcess;
         p = outcome.Take<uint32_t>()) {
      shared.stage.shifts_ns[p] = ByEvent(outcome.TakeAll<Shift>());
    }
    report.Adopt(outcome);
    figures.AdoptMessages(outcome);
    // Where nothing is, nothing has changed.
    if (!outcome.Take<bool>()) continue;
    AdoptQuality(outcome, shared.retiming, shared.quality);
  }
  shared.retiming.SetKeptElsewhere(number);
  CountFindings(report, shared.stage.diagnostics);
  shared.stage.protocol = MakeProtocol(options, report, figures, loaded.traces);
  return shared;
}

}  // namespace syncline
