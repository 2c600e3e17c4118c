// Turns one process's events, as the readers give them, into those the concurrency measures need.
//
// Deliveries in a waiting call happen when it returns. Sends and receives without partner are no
// message events; such a receive still ends a wait. Times: nominal nanoseconds of the process's own
// clock. Tested by: concurrency_command_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <absl/container/flat_hash_set.h>

#include "syncline/clock.h"

#include "measure/concurrency/concurrency_meter.h"
#include "model/epochs.h"
#include "pipeline/concurrency/message_links.h"
#include "pipeline/concurrency/otf2_waits.h"
#include "pipeline/concurrency/wait_rule.h"
#include "pipeline/correct/event_sources.h"

namespace syncline {

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
