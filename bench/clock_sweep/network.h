// Who sends what to whom, and when it arrives, in true time.
//
// Units: nanoseconds of true time. Requires: clocks as many as the scenario has. Guarantee: no
// message takes less than the least delay of its direction. Tested by: clock_sweep_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "scenario.h"
#include "true_clock.h"

namespace syncline::sweep {

struct SentMessage {
  int64_t sent_ns = 0;
  int64_t received_ns = 0;  // after the run or in the receiver's sleep: it is lost
  uint32_t from = 0;
  uint32_t to = 0;
  bool is_lost = false;
};

struct Traffic {
  std::vector<SentMessage> messages;  // in order of sending
  std::map<std::pair<uint32_t, uint32_t>, int64_t> least_delay_ns;
};

Traffic MakeTraffic(const Scenario& scenario, const std::vector<TrueClock>& clocks,
                    int64_t start_ns);

}  // namespace syncline::sweep
