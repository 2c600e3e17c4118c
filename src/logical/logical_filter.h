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
//
// How it works: each process has a queue of events that have come but are not computed. What stands
// first in it decides the process's state:
//
//   state          its next event                          the state ends when
//   kStarving      is not known                            it comes (NewHead), or none will (kDone)
//   kReady         can be computed                         it goes first (Take); then by the next
//   kAwaitsSend    is a receive, its send not computed     the send is, or is given up: kReady
//   kAwaitsEnters  is a leave, members' enters missing     the last has, or is given up: kReady
//   kDone          does not exist, all are computed        never
//
// Of the ready processes the one whose next event has the smallest C goes first (ties: smallest
// process number). So the next event of every process must be known; a silent process is waited for
// until more than `lookahead` events wait. A send is given up when its process has ended, when
// that has come max_horizon further than the receive's time and than where it was then, or when a
// circle shows that it will not come.
//
// Example, µ = 1: process 0 sends at 5 and receives at 9, process 1 receives that at 3 and answers
// at 4. Process 1 awaits the send, so process 0 goes first, although 3 < 5. Its send is computed
// (5) and makes process 1 ready: the receive becomes 5 + 1, the answer follows it, and then the
// receive at 9 is ready, too.
//
// When nobody can go on, the waiting processes form a circle. One of its edges is broken if its
// awaited event is not there: if it is not among the partner's buffered events, these are read
// ahead up to max_horizon. If every awaited event is there, no times satisfy the circle: the most
// inverted of its messages is set aside, as in causal_cycles.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "syncline/clock.h"
#include "syncline/minimum_delay.h"

#include "logical/collectives.h"
#include "logical/logical_clocks.h"
#include "logical/logical_event.h"
#include "logical/logical_options.h"
#include "logical/logical_output.h"
#include "logical/logical_report.h"
#include "logical/message_flow.h"
#include "logical/process_order.h"
#include "logical/process_progress.h"
#include "logical/ring.h"

namespace syncline {

class LogicalFilter : FinalListener {
 public:
  // Requires: CheckOptions(options).
  LogicalFilter(const LogicalOptions& options, const DelayModel& delays, LogicalSink& sink);
  LogicalFilter(const LogicalFilter&) = delete;
  LogicalFilter& operator=(const LogicalFilter&) = delete;

  // The next process number, at any time; the clock chooses its minimum delays.
  ProcessId AddProcess(ClockId clock);
  // Members in rank order, each once; they may be added as processes later.
  uint32_t AddGroup(std::span<const ProcessId> members) { return collectives_.AddGroup(members); }

  // Requires: the process was added and has not ended.
  void Push(const LogicalEvent& event);
  void End(ProcessId process);
  // For callers that can choose what to push: the process whose event is needed next. Without one,
  // everything has ended.
  std::optional<ProcessId> Starving() const {
    const uint32_t process = starving_.empty() ? wanted_ : starving_.back();
    return process == kNobody ? std::nullopt : std::optional(ProcessId{process});
  }
  // Online: the monitor's clock, which does not run backwards. Events pushed from now on arrive
  // now; what has waited for max_wait goes out.
  void Tick(int64_t now_ns);
  // Ends the processes that have not ended. Everything is delivered then.
  void Finish();

  const LogicalReport& report() {
    report_.gamma = clocks_.gamma_report();
    return report_;
  }

 private:
  static constexpr uint32_t kNobody = UINT32_MAX;

  struct Pending {
    LogicalEvent event;
    int64_t arrival = 0;
  };
  enum class State : uint8_t {
    kStarving,      // its next event is not known
    kReady,         // can be computed
    kAwaitsSend,    // a receive whose send is not computed
    kAwaitsEnters,  // a leave with members missing
    kDone,          // no more events
  };
  enum class Search : uint8_t { kUnknown, kFound, kTakesNoPart, kAbsent };
  struct Lane {
    Ring<Pending> input;
    State state = State::kStarving;
    bool has_ended = false;
    bool has_passed = false;       // max_horizon in this epoch
    uint32_t starving_index = 0;   // in starving_
    size_t starving_since = 0;     // pushed_ then
    uint32_t record = kNoRecord;   // of the send of its next event, if that is a receive
    Collectives::Place place;      // of its next event, if that is a blocked leave
    int64_t deadline = INT64_MAX;  // kAwaitsSend: of the partner's reach
    // kAwaitsSend: its neighbours in the list of those that wait for the same partner.
    uint32_t previous_waiter = kNobody;
    uint32_t next_waiter = kNobody;
    uint32_t first_waiter = kNobody;     // those that wait for this process's sends
    int64_t nearest_waiter = INT64_MAX;  // the earliest of their deadlines
    int64_t epoch_start = INT64_MIN;     // its reach then
    int64_t last_before = 0;             // C of its latest computed event
    // The search for what its next event awaits in its partner's input.
    uint32_t searched = kNobody;
    uint64_t searched_to = 0;
    Search found = Search::kUnknown;  // if kFound, just before searched_to
  };

  void OnFinal(const FinalLink& link, int64_t after) override;
  void Prefetch(const FinalLink& link) const override;

  // logical_filter.cc: the order.
  void Run();
  void NextHead(uint32_t process);
  void NewHead(uint32_t process);
  void NewReceive(uint32_t process, const LogicalEvent& receive);
  void NewLeave(uint32_t process, const LogicalEvent& leave);
  void MakeReady(uint32_t process);
  void MakeStarving(uint32_t process);
  void MakeDone(uint32_t process);
  void StopStarving(const Lane& lane);
  void ForgetStarving();
  void NoteComputed(uint32_t process, int64_t before);
  void NoteReach(uint32_t process, int64_t reach);
  void CarrySilentAlong();
  void OnAlarm(uint32_t process);
  void NoteEpoch(uint32_t process);
  int64_t EpochEnd(const Lane& lane) const;
  void AddWaiter(uint32_t process, uint32_t partner, int64_t due);
  void RemoveWaiter(uint32_t process);
  void GiveUpWaiters(uint32_t process);
  void GiveUpHead(uint32_t process);
  void WakeMembers() {
    if (collectives_.has_ready()) WakeReadyMembers();
  }
  void WakeReadyMembers();

  // filter_steps.cc: what an event does.
  void Take(uint32_t process);
  enum class Role : uint8_t {
    kNone,
    kSend,
    kLateSend,  // whose receive went on without it
    kBroadcast,
    kReceive,
    kLostReceive,
    kEnter,
    kLeave
  };
  // What an event does, besides taking its time.
  struct Turn {
    Role role = Role::kNone;
    Amortizer::Hold hold = Amortizer::Hold::kNone;
    uint32_t record = kNoRecord;  // of the send
    int64_t delay = 0;            // receive: µ
    Collectives::Place place;     // enter, leave
    ClockBound bound;             // what it must not precede
    int64_t latest = INT64_MAX;   // send, broadcast: up to where it may be moved
  };
  Turn Examine(const LogicalEvent& event, uint32_t record);
  Turn ExamineSend(const LogicalEvent& send);
  Turn ExamineReceive(const LogicalEvent& receive, uint32_t record);
  Turn ExamineCollective(const LogicalEvent& event);
  FinalLink Enlist(Turn& turn, const LogicalEvent& event, const ClockStep& step);
  void NoteNumber(const Turn& turn, const LogicalEvent& event, uint64_t sequence);
  void WakeReceivers(uint32_t record, const LogicalEvent& broadcast);
  void AwaitReceiver(uint32_t record, const LogicalEvent& send);
  bool IsPending(const MessageRecord& record, const LogicalEvent& receive) const;

  // filter_deadlock.cc: when nobody can go on.
  struct Edge {
    uint32_t process = 0;
    uint32_t partner = 0;
    int64_t deadline = 0;
  };
  bool ResolveDeadlock();
  std::optional<Edge> EdgeOf(uint32_t process) const;
  std::vector<Edge> FindCircle() const;
  Search SearchAwaited(const Edge& edge);
  void Break(const Edge& edge, Search search);
  LogicalEvent& AwaitedBy(const Edge& edge);
  int64_t DelayOf(const Edge& edge);
  void SetAside(const Edge& edge);

  LogicalOptions options_;
  LogicalReport report_;
  std::vector<ProcessProgress> progress_;
  LogicalClocks clocks_;
  LogicalOutput output_;
  MessageFlow messages_;
  Collectives collectives_;
  std::vector<Lane> lanes_;
  ProcessOrder order_;  // of those that can be computed
  std::vector<uint32_t> starving_;
  uint32_t wanted_ = kNobody;  // whose input may hold what breaks or closes a circle
  size_t done_ = 0;
  size_t passed_ = 0;  // processes not done that have passed max_horizon in this epoch
  size_t in_input_ = 0;
  size_t pushed_ = 0;
  size_t carried_ = 0;  // pushed_ at the latest CarrySilentAlong()
  // Whether order_ must know at once that a process starves: it is read while some do.
  bool is_eager_ = false;
  int64_t now_ = 0;
};

}  // namespace syncline
