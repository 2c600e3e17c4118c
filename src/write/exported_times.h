// Times for formats that know neither times before 0 nor, within a process, steps back.
//
// Units: nanoseconds. What is below 0 is shifted, the whole trace by the same amount, so that
// intervals and messages stay as they are; an event that is earlier than the one before it in its
// process gets that one's time. Both are counted.
// Errors: kUnsupported for times further apart than 2^63 nanoseconds, 292 years, of which readers
// of such formats make wrong ones. Tested by: exported_times_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>

#include "syncline/result.h"

#include "write/exported_trace.h"

namespace syncline {

// What the format could not say as it was.
struct ExportFindings {
  uint64_t shift_ns = 0;  // later than they should be are all times
  uint64_t raised = 0;    // events
  uint64_t largest_raise_ns = 0;
  uint64_t collective_parts = 0;  // begins and ends that became regions without length
};

// With the shift that the trace needs.
Result<ExportFindings> FindShift(const ExportedTrace& trace);

// Of the events of one process, in its order.
class RisingTimes {
 public:
  // `findings` outlives this; its shift is applied, raised events are counted.
  explicit RisingTimes(ExportFindings& findings) : findings_(findings) {}

  // Requires: a time of the trace whose shift it is.
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
