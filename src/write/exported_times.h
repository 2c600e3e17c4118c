// Times for formats that know neither times before 0 nor, within a process, steps back.
//
// Units: nanoseconds. What is below 0 is shifted, the whole trace by the same amount, so that
// intervals and messages stay as they are; an event that is earlier than the one before it in its
// process gets that one's time. Both are counted. Tested by: exported_times_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>

#include "write/exported_trace.h"

namespace syncline {

// What the format could not say as it was.
struct ExportFindings {
  uint64_t shift_ns = 0;  // later than they should be are all times
  uint64_t raised = 0;    // events
  uint64_t largest_raise_ns = 0;
  uint64_t collective_parts = 0;  // begins and ends that became regions without length
};

// By how much the earliest time is below 0.
inline uint64_t ExportedShift(const ExportedTrace& trace) {
  const int64_t origin = ExportedOrigin(trace);
  return origin < 0 ? -static_cast<uint64_t>(origin) : 0;
}

// Of the events of one process, in its order.
class RisingTimes {
 public:
  // `findings` outlives this; its shift is applied, raised events are counted.
  explicit RisingTimes(ExportFindings& findings) : findings_(findings) {}

  // Requires: time + shift >= 0.
  uint64_t operator()(GlobalTime time) {
    const uint64_t wanted = static_cast<uint64_t>(time.ns) + findings_.shift_ns;
    if (wanted >= last_) return last_ = wanted;
    ++findings_.raised;
    findings_.largest_raise_ns = std::max(findings_.largest_raise_ns, last_ - wanted);
    return last_;
  }

 private:
  ExportFindings& findings_;
  uint64_t last_ = 0;
};

}  // namespace syncline
