// Measures the concurrency of a computation from its events, in one pass.
//
// Events come in program order of each process; processes may interleave in any way. What needs a
// message that was not sent yet waits inside, with all later events of its process, so it is best
// to read on where IsWaiting() is false. Units, sign: region.h. No time of one process is compared
// with another's, so clocks need not agree. Requires: each delivery's message is sent once.
// Errors: Finish, where messages form a cycle. Memory: what processes and messages under way know
// of each other and do not share (past_vector.h), and what waits. Cost: O(n) per message event
// where nothing is shared. Method: He and Sun 1997, Protocols 1.4 and 1.5; a process's clocks start
// with its first event and end with its last. Departures: see docs/methods/concurrency.md. Tested
// by: concurrency_meter_test.cc (by hand, by properties, against region_clock.h),
// shared_meter_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "syncline/region_clock.h"

#include "base/parcel.h"
#include "measure/concurrency/collective_pasts.h"
#include "measure/concurrency/event_order.h"
#include "measure/concurrency/measures.h"
#include "measure/concurrency/meter_share.h"
#include "measure/concurrency/region.h"
#include "measure/concurrency/stamp.h"

namespace syncline {

// What a meter has counted at its end, and the measures of the whole computation that it makes. Of
// shares (meter_share.h) the totals add up. Cost of Measure: that of event_order.h.
struct MeasuredProcess {
  bool has_events = false;
  int64_t first_ns = 0;  // of its events, on its own clock
  ProcessTotals totals;
  uint64_t regions = 0;
  uint64_t deliveries = 0;
};

struct MeasuredComputation {
  std::vector<MeasuredProcess> processes;  // by ProcessId
  ComputationMeasures measures;            // of the processes that have events
  ConsistentCuts cuts;
  uint64_t messages = 0;  // delivered
  uint64_t collective_ends = 0;
};

class MeterTotals {
 public:
  MeterTotals(size_t processes, uint64_t max_cuts)
      : processes_(processes), order_(processes, max_cuts) {}

  EventOrder& order() { return order_; }
  const EventOrder& order() const { return order_; }
  void CountMessage() { ++messages_; }
  void CountCollectiveEnd() { ++collective_ends_; }
  void SetProcess(ProcessId process, const MeasuredProcess& measured) {
    processes_[process.index()] = measured;
  }

  void Put(Parcel& parcel) const;
  // Adds those of other processes.
  void Adopt(ParcelReader& parcel);
  MeasuredComputation Measure() const;

 private:
  std::vector<MeasuredProcess> processes_;
  EventOrder order_;
  uint64_t messages_ = 0;
  uint64_t collective_ends_ = 0;
};

// Fields that a kind does not use stay at their defaults.
struct ConcurrencyEvent {
  enum class Kind : uint8_t {
    kInternal,  // time passes
    kBlock,     // the process waits from now on
    kResume,    // the wait is over, not by a message of the computation
    kSend,      // also ends a wait
    kDelivery,
    kCollectiveBegin,
    kCollectiveEnd,
  };
  ProcessId process;
  Kind kind = Kind::kInternal;
  int64_t time_ns = 0;   // on the process's own clock
  uint64_t event = 0;    // its number, as Region::event will say it
  uint64_t message = 0;  // send, delivery: which; collectives: the instance within the group
  uint32_t copies = 1;   // send: how many deliveries there are in all
  uint32_t leaving = 0;  // of these, those in other shares (meter_share.h)
  uint32_t group = 0;    // collectives
  CollectiveFlow flow = CollectiveFlow::kNone;
  bool is_root = false;
  bool takes_part = true;
};

struct ConcurrencyOptions {
  std::vector<RelativeSpeed> speeds;  // by process; 1 where there is none
  uint64_t max_cuts = 0;              // for Charron-Bost's measure; 0: not computed
  static auto Members(auto& self) { return std::tie(self.speeds, self.max_cuts); }
};

// A process whose next event waits for what never comes.
struct StuckProcess {
  ProcessId process;
  uint64_t event = 0;
};

class ConcurrencyMeter {
 public:
  using OnRegion = std::function<void(const Region&)>;

  // `share`: of whose processes the events are; else of all. It must outlive the meter.
  ConcurrencyMeter(size_t processes, std::span<const std::vector<ProcessId>> groups,
                   ConcurrencyOptions options, OnRegion on_region,
                   const MeterShare* share = nullptr);

  void Add(const ConcurrencyEvent& event);
  bool IsWaiting(ProcessId process) const { return processes_[process.index()].is_waiting; }
  // Ends all processes. Once.
  tl::expected<MeasuredComputation, StuckProcess> Finish();

  // Of a share: what other meters tell, each in the order in which it told it. A message with
  // several receivers here comes once for each.
  void Adopt(const SendElsewhere& send, PastStamp stamp);
  void Adopt(const BeginsElsewhere& begins);
  // In place of Finish(), once all events were added and nothing is told any more. Nothing where
  // some event waits: then the whole computation has to be measured by one meter.
  std::optional<MeterTotals> FinishShare();

 private:
  using Kind = ConcurrencyEvent::Kind;
  struct Process {
    LocalClocks clocks{0};
    PastStamp known;  // W and U but for its own latest, HT
    int64_t old_computed = 0;
    int64_t old_delayed = 0;
    int64_t events = 0;
    uint64_t regions = 0;
    uint64_t deliveries = 0;
    uint64_t last_event = 0;
    int64_t first_ns = 0;
    int64_t last_ns = 0;
    RelativeSpeed speed;
    bool has_begun = false;
    bool is_waiting = false;
    std::deque<ConcurrencyEvent> queue;  // the first one waits for a partner
  };
  struct Flight {
    PastStamp stamp;
    EventOrigin origin;
    uint32_t copies = 0;  // yet to be delivered
  };

  // What a message event brings.
  struct News {
    RegionEnd end = RegionEnd::kSend;
    const PastStamp* learned = nullptr;
    std::span<const EventOrigin> after;
    std::optional<ProcessId> sender;
  };

  // False: its partner has not been there yet.
  bool Take(const ConcurrencyEvent& event);
  void TakeSend(const ConcurrencyEvent& event);
  bool TakeDelivery(const ConcurrencyEvent& event);
  void TakeCollectiveBegin(const ConcurrencyEvent& event);
  bool TakeCollectiveEnd(const ConcurrencyEvent& event);
  void TakeMessageEvent(const ConcurrencyEvent& event, const News& news);
  void EndRegion(const ConcurrencyEvent& event, const News& news);
  void Deliver(uint64_t message, Flight flight);
  void Terminate(ProcessId process);
  void RunWoken();
  void GiveUpMissing();
  uint64_t CountQueued() const;
  MeterTotals Totals();

  std::vector<Process> processes_;
  CollectivePasts collectives_;
  MeterTotals totals_;
  OnRegion on_region_;
  const MeterShare* share_;
  absl::flat_hash_map<uint64_t, Flight> in_flight_;  // by message
  absl::flat_hash_map<uint64_t, std::vector<ProcessId>> waiting_for_;
  std::vector<ProcessId> woken_;  // to be tried again
};

}  // namespace syncline
