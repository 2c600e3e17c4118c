// What a meter has counted at its end, and the measures of the whole computation that it makes.
//
// Of shares (meter_share.h) the totals add up. Cost of Measure: that of event_order.h.
// Tested by: concurrency_meter_test.cc, shared_meter_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/parcel.h"
#include "measure/concurrency/event_order.h"
#include "measure/concurrency/measures.h"

namespace syncline {

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

}  // namespace syncline
