// What recording costs here and now: the time of frames without a call in them.
#pragma once

#include "record/mpi/clock_source.h"

namespace syncline::mpi {

// The fastest of several rounds, in ns.
struct Overhead {
  double clock_ns = 0;  // to read the clock once
  double call_ns = 0;   // a send: entered, sent, left
  double event_ns = 0;  // the same, for each of its three events
};

// In a scratch log; nothing is added to the recording.
Overhead MeasureOverhead(const ClockReader& clock);

}  // namespace syncline::mpi
