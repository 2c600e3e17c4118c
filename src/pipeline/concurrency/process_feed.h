// Turns one process's events, as the readers give them, into those the concurrency measures need.
//
// Deliveries in a waiting call happen when it returns. Sends and receives without partner are no
// message events; such a receive still ends a wait. Times: nominal nanoseconds of the process's own
// clock. Tested by: concurrency_command_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_set.h>

#include "syncline/clock.h"
#include "syncline/id.h"
#include "syncline/result.h"

#include "logical/replay_trace.h"
#include "measure/concurrency/concurrency_meter.h"
#include "model/epochs.h"
#include "pipeline/concurrency/otf2_waits.h"
#include "pipeline/correct/event_sources.h"
#include "trace/load.h"

namespace syncline {

// Which events of the inputs are the ends of matched messages.
//
// Requires: events are known by process and number, as MessageStore numbers them. Memory: 8 bytes
// per send and 16 per receive, and of a share (meter_share.h) 16 per send that leaves it. Tested
// by: concurrency_command_test.cc.
class MessageLinks {
 public:
  static Result<MessageLinks> Of(const LoadedTraces& loaded);
  // Of the processes of share `own`: messages that begin or end there. `shares`: by process.
  static MessageLinks OfShare(std::span<const ReplayTrace::Message> messages,
                              std::span<const uint32_t> shares, uint32_t own);

  // How many receives the process's event number `index` has; 0 where it is no matched send.
  uint32_t CopiesOf(ProcessId process, uint64_t index) const;
  // Of these receives, those in other shares: by the number of the send's event, which share has
  // them.
  using Leaving = std::pair<uint64_t, uint32_t>;
  std::span<const Leaving> LeavingFrom(ProcessId process, uint64_t index) const;
  // What a send and its receives have in common, and nothing else.
  static uint64_t NumberOfSend(ProcessId process, uint64_t index);
  static uint64_t IndexOfSend(uint64_t number);
  // Of the copy-th message that the event receives; empty where there is none.
  std::optional<uint64_t> NumberOfReceive(ProcessId process, uint64_t index, uint32_t copy) const;

 private:
  struct Process {
    std::vector<uint64_t> sends;                          // once per receive
    std::vector<std::pair<uint64_t, uint64_t>> receives;  // index, number
    std::vector<Leaving> leaving;
    void Sort();
  };
  std::vector<Process> processes_;
};

// Which time of a process counts as waiting.
enum class WaitRule : uint8_t {
  kRecorded,  // what the trace says: `block`, waiting MPI calls
  kReplies,   // besides, from a send to the receives from the same process that follow directly
  kReceives,  // besides, before each receive the time since the message event before, or the start
};

class ProcessFeed {
 public:
  // `links` and `meter` must outlive the feed.
  // Where the clock was set back, at the first of `first_events` and so on, no time passes: nothing
  // has measured that interval.
  ProcessFeed(ProcessId process, const Clock& clock, std::span<const uint64_t> first_events,
              WaitRule rule, const MessageLinks& links, ConcurrencyMeter& meter)
      : process_(process),
        clock_(clock),
        epochs_(first_events),
        rule_(rule),
        links_(&links),
        meter_(&meter) {}
  // The end of a collective, by its number, waits for nobody.
  void SetEndAside(uint64_t event) { ends_aside_.insert(event); }
  // The process's waits, where calls tell them.
  void SetWaits(std::vector<WaitSpan> waits) { waits_ = std::move(waits); }

  // Its events in order.
  void Take(const SourcedEvent& sourced);
  void Finish();

 private:
  using Kind = ConcurrencyEvent::Kind;
  struct LastMessage {
    int64_t ns = 0;
    std::optional<ProcessId> awaited;  // who was asked, and has not been left since
  };

  ConcurrencyEvent Make(Kind kind, uint64_t event, int64_t ns) const;
  void Put(Kind kind) { meter_->Add(Make(kind, last_event_, last_ns_)); }
  void TakeSend(const LogicalEvent& event);
  void TakeReceive(const LogicalEvent& event);
  void TakeBegin(const LogicalEvent& event);
  bool Blocks(const LogicalEvent& begin);
  void TakeEnd(const LogicalEvent& event);
  void Deliver(const ConcurrencyEvent& delivery);
  void EnterCall();
  void LeaveCall();

  ProcessId process_;
  Clock clock_;
  EpochCursor epochs_;
  int64_t set_back_ns_ = 0;  // in all
  WaitRule rule_;
  const MessageLinks* links_;
  ConcurrencyMeter* meter_;
  absl::flat_hash_set<uint64_t> ends_aside_;
  std::optional<std::vector<WaitSpan>> waits_;
  size_t next_wait_ = 0;
  bool is_in_call_ = false;
  absl::flat_hash_set<uint32_t> teams_;    // groups: of threads, which this one was in
  std::vector<ConcurrencyEvent> in_call_;  // deliveries
  std::optional<LastMessage> last_message_;
  bool has_begun_ = false;
  uint64_t last_event_ = 0;
  uint64_t received_ = 0;  // the latest event that received something
  uint32_t receives_ = 0;  // and how much of it was seen: one event may receive several messages
  int64_t last_ns_ = 0;
};

}  // namespace syncline
