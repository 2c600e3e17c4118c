// What the recorders make of the traffic: events with readings, and what they get wrong.
//
// Units: true times in nanoseconds. Requires: messages in order of sending. Tested by:
// clock_sweep_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "network.h"
#include "scenario.h"
#include "true_clock.h"

namespace syncline::sweep {

struct RecordedEvent {
  int64_t stamped_ns = 0;  // true time of the reading
  uint64_t id = 0;
  uint32_t process = 0;
  uint32_t peer = 0;
  bool is_send = false;
};

struct Recording {
  std::vector<RecordedEvent> events;  // in order of their stamps
  uint64_t messages = 0;              // both of whose events are recorded
  uint64_t wrong = 0;                 // whose ids were exchanged
  uint64_t late = 0;                  // sends that were stamped late
  uint64_t lost_records = 0;
};

Recording Record(const Scenario& scenario, const Traffic& traffic,
                 const std::vector<TrueClock>& clocks);

// trace.txt and truth.json into the scenario's folder. Throws std::runtime_error.
void WriteRun(const Scenario& scenario, const std::vector<std::string>& arguments,
              const std::vector<TrueClock>& clocks, const Traffic& traffic,
              const Recording& recording);

// All of it.
void MakeRun(const std::vector<std::string>& arguments);

}  // namespace syncline::sweep
