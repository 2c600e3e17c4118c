// The logical clock over a trace in memory: the same times as LogicalFilter, several times as fast.
//
// Units: nanoseconds. Guarantees: those of LogicalFilter. Its results and its report, but for
// peak_buffered: here all events are in memory.
// Two ways lead there. Traces whose messages have one receive each, and whose collectives are
// complete, are computed on arrays: forward in a causal order, then each process backwards. What
// is rare goes through a LogicalFilter: broadcasts, collectives that members do not enter or leave,
// circles that need its rules, and options for streams (a horizon, a longest wait).
// Messages and waits of collectives that form cycles are found beforehand, and as few left out as
// is cheap (replay_cycles.h): their receives and leaves are then internal events.
// Not used: OutputOrder and the look-ahead.
// Cost: O(log n) per event for n processes; bench/logical_bench.cc measures it. Memory: that of the
// trace, 4 bytes per event, and 40 per message or part of a collective.
// Method: docs/methods/logical-clock.md. Tested by: src/logical/logical_replay_test.cc (against
// LogicalFilter and a naive oracle).
#pragma once

#include <cstdint>
#include <span>

#include "syncline/minimum_delay.h"

#include "logical/logical_event.h"
#include "logical/logical_options.h"
#include "logical/logical_report.h"
#include "logical/replay_crossings.h"
#include "logical/replay_cycles.h"
#include "logical/replay_team.h"
#include "logical/replay_trace.h"

namespace syncline {

class ReplayForward;

class LogicalReplay {
 public:
  // Requires: CheckOptions(options). All must outlive this object.
  LogicalReplay(const LogicalOptions& options, const DelayModel& delays, RetimedMessageSink& sink)
      : options_(options), delays_(&delays), sink_(&sink) {}

  // Once. Fills in what comes after, then tells the sink of all messages but those of cycles.
  // Leaves of the trace whose waits are left out take no part any more.
  void Run(ReplayTrace& trace);

  // The same for a share of a trace (replay_team.h), all shares at once; also once. `shares`: by
  // process, which has it. The trace has events and parts of its own processes alone, and the
  // messages that begin or end there. The report is about these (LogicalReport::Adopt() joins
  // them); messages are the caller's to tell of, leaves are told. False where it takes all of the
  // trace at once: where the order of evaluation is needed, or a stream.
  bool RunShare(ReplayTrace& trace, std::span<const uint32_t> shares, ReplayTeam& team);

  const LogicalReport& report() const { return report_; }
  // What was left out.
  const ReplayCycles& cycles() const { return cycles_; }
  // Whether the trace had to go through a LogicalFilter.
  bool was_streamed() const { return was_streamed_; }
  // Whether its events had to be taken in the order of evaluation.
  bool needed_order() const { return needed_order_; }

 private:
  void LeaveOutCycles(ReplayTrace& trace, ReplayLinks& links);
  // False, with nothing changed, where the events cannot be ordered simply.
  bool RunOnArrays(ReplayTrace& trace, const ReplayLinks& links);
  // Whether the share can be computed by itself, so far as can be seen here.
  bool MayRunInShares(const ReplayTrace& trace, const ReplayLinks& links) const;
  void TellLeaves(const ReplayCrossings& crossings, ReplayTeam& team, ReplayForward& forward);
  void Amortize(ReplayTrace& trace, const ReplayLinks& links, const ReplayForward& forward);
  void AddProcesses(const ReplayTrace& trace);
  void TellMessages(const ReplayTrace& trace, const ReplayLinks& links,
                    const ReplayForward& forward);

  LogicalOptions options_;
  const DelayModel* delays_;
  RetimedMessageSink* sink_;
  LogicalReport report_;
  ReplayCycles cycles_;
  bool was_streamed_ = false;
  bool needed_order_ = false;
};

}  // namespace syncline
