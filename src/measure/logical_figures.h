// What a logical clock changed: intervals between events, delays of messages, ends of collectives.
//
// Units: nanoseconds. Feed it what a LogicalFilter delivers; before is what went into the clock.
// Messages are told apart by clock, not by process. Cost: O(1) per event and message.
// Tested by: src/measure/logical_figures_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "syncline/clock.h"
#include "syncline/id.h"

#include "base/parcel.h"
#include "logical/logical_event.h"
#include "measure/interval_change.h"
#include "measure/quality.h"

namespace syncline {

// Ends of collectives that wait for somebody; violated: they came before, or less than the minimum
// delay after, the latest begin that they wait for.
struct CollectiveFigures {
  uint64_t ends = 0;
  uint64_t violated_before = 0;
  uint64_t violated_after = 0;
};

// ½ (least delay there + least delay back) over the pairs of clocks with messages both ways.
struct HalfRoundTrips {
  uint64_t pairs = 0;
  int64_t min_ns = 0;
  int64_t mean_ns = 0;
  int64_t max_ns = 0;
};

class LogicalFigures : public RetimedMessageSink {
 public:
  LogicalFigures() = default;
  // Of all processes.
  explicit LogicalFigures(const TraceSet& traces);

  // Before the first event of the process; in order of process numbers.
  void AddProcess(ClockId clock);

  // `recorded_ns`: what intervals are compared with; the time before the clock, or before all
  // corrections.
  void AddEvent(ProcessId process, int64_t recorded_ns, GlobalTime after);
  void OnMessage(const RetimedMessage& message) override;

  const IntervalChange& intervals() const { return intervals_; }
  const MessageQuality& before() const { return before_; }
  const MessageQuality& after() const { return after_; }
  const CollectiveFigures& collectives() const { return collectives_; }
  std::optional<HalfRoundTrips> FindHalfRoundTrips() const;

  // Messages and collectives, to another process that has seen no message of these directions.
  void PutMessages(Parcel& parcel) const { parcel.Put(before_, after_, collectives_); }
  void AdoptMessages(ParcelReader& parcel);

 private:
  struct PerProcess {
    ClockId clock;
    IntervalTracker intervals;
  };
  IntervalChange intervals_;
  std::vector<PerProcess> processes_;
  MessageQuality before_, after_;
  CollectiveFigures collectives_;
};

}  // namespace syncline
