// The logical clock as a filter: events in, corrected events out, in one pass and bounded memory.
//
// Units: nanoseconds. Sign: events are only moved forward. An input that satisfies the clock
// condition comes out unchanged, bit for bit.
// Guarantees: for every message whose ends were both read, after(receive) ≥ after(send) + µ; the
// distance of two successive events of a process is at least δ, and never shrinks to less than what
// γ gives; whatever the input clocks do, and in whatever order the processes' events come. The
// exceptions are counted: messages given up (late_partners, broken) and times so near the ends of
// int64 that sums saturate.
// Requires: of one process, program order. Messages named uniquely among those under way between
// two processes.
// Messages that form a cycle, and ends of collectives, are set aside as far as it takes, and
// counted (LogicalReport::cycles): no times satisfy them. Ownership: the delay model and the sink
// must outlive the filter; the sink must not call it. Memory: events that wait for a send, sends
// that wait for their receive, and the amortization interval; never the length of the trace, as
// long as the clocks differ by less than max_horizon. Cost: O(log n) per event for n processes;
// bench/logical_bench.cc measures it. Method: docs/methods/logical-clock.md. Tested by:
// src/logical/logical_filter_test.cc (against a naive oracle), golden_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "syncline/clock.h"
#include "syncline/minimum_delay.h"

#include "logical/logical_event.h"
#include "logical/logical_options.h"
#include "logical/logical_report.h"

namespace syncline {

class LogicalEngine;

class LogicalFilter {
 public:
  // Requires: CheckOptions(options).
  LogicalFilter(const LogicalOptions& options, const DelayModel& delays, LogicalSink& sink);
  ~LogicalFilter();

  // The next process number, at any time; the clock chooses its minimum delays.
  ProcessId AddProcess(ClockId clock);
  // Members in rank order, each once; they may be added as processes later.
  uint32_t AddGroup(std::span<const ProcessId> members);

  // Requires: the process was added and has not ended.
  void Push(const LogicalEvent& event);
  void End(ProcessId process);
  // For callers that can choose what to push: the process whose event is needed next. Without one,
  // everything has ended.
  std::optional<ProcessId> Starving() const {
    const uint32_t process = StarvingNumber();
    return process == kNobody ? std::nullopt : std::optional(ProcessId{process});
  }
  // Online: the monitor's clock, which does not run backwards. Events pushed from now on arrive
  // now; what has waited for max_wait goes out.
  void Tick(int64_t now_ns);
  // Ends the processes that have not ended. Everything is delivered then.
  void Finish();

  const LogicalReport& report() const;

 private:
  static constexpr uint32_t kNobody = UINT32_MAX;

  uint32_t StarvingNumber() const;

  std::unique_ptr<LogicalEngine> engine_;
};

}  // namespace syncline
