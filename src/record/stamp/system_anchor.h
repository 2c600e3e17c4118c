// Readings of the counter on the system's clock, as a burst tells them to its other end.
//
// Units: ticks; nanoseconds since the epoch. Tested by: recorder_test.cc (simulated clocks),
// burst_test.cc.
#pragma once

#include <cstdint>

#include "record/counter/frequency.h"

namespace syncline {

// What readings of the counter close to it are converted with.
struct SystemAnchor {
  Sighting sighting;  // of the system's clock
  Frequency frequency;
};
struct SystemReading {
  int64_t ns = 0;
  int64_t bound_ns = 0;
};
// The bound allows for a system's clock that is slewed by up to 500 ppm since the anchor, as the
// kernel does at most.
SystemReading OnSystemClock(const SystemAnchor& anchor, int64_t ticks);

}  // namespace syncline
