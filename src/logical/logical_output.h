// The way of computed events out: backward amortization, order of output, the sink.
//
// Events of a process are numbered from 0 in the order of Add(). An event is final once the
// amortization can no longer move it; its link is then told, and the sink gets it, at once or in
// global order.
// Ownership: sink and listener must outlive this object.
// Cost: that of the amortizer and, in global order, O(log n) per event.
// Tested by: src/logical/logical_filter_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "logical/amortizer.h"
#include "logical/computed_event.h"
#include "logical/logical_clocks.h"
#include "logical/logical_event.h"
#include "logical/logical_options.h"
#include "logical/logical_report.h"
#include "logical/ordered_output.h"
#include "logical/ring.h"

namespace syncline {

class FinalListener {
 public:
  virtual ~FinalListener() = default;
  virtual void OnFinal(const FinalLink& link, int64_t after) = 0;
  // OnFinal will be called soon: fetch from memory what it needs.
  virtual void Prefetch(const FinalLink& link) const = 0;
};

class LogicalOutput {
 public:
  LogicalOutput(const LogicalOptions& options, LogicalSink& sink, FinalListener& listener,
                LogicalReport& report);
  void Resize(size_t processes);

  uint64_t Add(uint32_t process, const ComputedEvent& event, const ClockStep& step,
               Amortizer::Hold hold);
  // The event may not be moved beyond `latest`; the smallest of several counts.
  void Limit(uint32_t process, uint64_t sequence, int64_t latest);
  // The process's next event is not known. With more final events than the look-ahead, global order
  // waits for such processes no longer.
  void Starve(uint32_t process) { lanes_[process].is_silent = true; }
  // The process's next event has the time C.
  void Foresee(uint32_t process, int64_t before);
  // Ends the hold.
  void Release(uint32_t process, uint64_t sequence);
  // The event's time as amortized so far. Requires: it is not final.
  int64_t Current(uint32_t process, uint64_t sequence) const;
  // No more events of this process. Held ones still wait for their release.
  void End(uint32_t process);
  // Delivers what arrived before `arrival`, held or not; returns how many holds that ended.
  uint64_t Flush(int64_t arrival);
  // Online: the time that counts as now.
  void SetNow(int64_t now) { now_ = now; }
  size_t events_delivered() const { return delivered_; }

 private:
  struct Final {
    ComputedEvent event;
    int64_t after = 0;
  };
  struct Lane {
    explicit Lane(const AmortizationOptions& options) : amortizer(options) {}
    Amortizer amortizer;
    Ring<Final> final;             // waiting for their turn in global order
    int64_t foreseen = INT64_MIN;  // C of the next event
    int64_t latest = INT64_MIN;    // LC' of the latest
    uint64_t slope_sequence = UINT64_MAX;
    bool is_silent = true;
    bool has_ended = false;
    bool is_finished = false;
  };

  void FinishIfFree(uint32_t process);
  void PrefetchNext(const Lane& lane);
  void Drain(uint32_t process);
  void MakeFinal(uint32_t process, const ComputedEvent& event, int64_t after);
  void Deliver(uint32_t process, const ComputedEvent& event, int64_t after);
  void DeliverInOrder();
  bool PassSilentProcesses();
  void DeliverUpTo(int64_t arrival);
  void RaiseBound(uint32_t process);
  void NoteSlope(uint32_t process);

  const LogicalOptions* options_;
  LogicalSink* sink_;
  FinalListener* listener_;
  LogicalReport* report_;
  std::vector<Lane> lanes_;
  OrderedOutput order_;
  SteepestSlope steepest_;
  int64_t now_ = 0;
  size_t delivered_ = 0;
};

}  // namespace syncline
