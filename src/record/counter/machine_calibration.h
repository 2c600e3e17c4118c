// What this machine's counter and clocks are worth: the counter's frequency over growing times,
// what readings cost, and whether all cores agree.
//
// Units: ticks of the counter; nanoseconds; hertz; parts in 10^9. Errors: kUnsupported, where the
// processor's counter is asked for but absent or not steady. Cost: the longest time that the
// frequency is measured over, and some 100 ms. Tested by: src/cli/clock/calibration_test.cc,
// clock_command_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "syncline/result.h"

#include "record/counter/cores.h"
#include "record/counter/costs.h"
#include "record/counter/counter.h"
#include "record/counter/frequency.h"

namespace syncline {

struct MachineCalibration {
  CounterFacts facts;
  CounterChoice choice;
  std::string reference;              // the clock that the frequency is measured against
  std::vector<Frequency> by_elapsed;  // the longer, the closer
  int64_t wanted_bound_ppb = 1000;
  bool is_reference = false;  // the counter is that clock itself
  ReadingCosts costs;
  std::vector<CoreOffset> cores;

  const Frequency* Best() const { return by_elapsed.empty() ? nullptr : &by_elapsed.back(); }
  // How long a measurement takes until the wanted bound is reached: equation 4.
  std::optional<int64_t> WantedElapsedNs() const;
  // In words, what the counter is not to be trusted for. Empty: it is.
  std::vector<std::string> Weaknesses() const;
};

struct CalibrationPlan {
  CounterWish counter = CounterWish::kAuto;
  clockid_t reference = CLOCK_MONOTONIC_RAW;
  int64_t longest_ns = 1'000'000'000;
  int64_t wanted_bound_ppb = 1000;
};
Result<MachineCalibration> CalibrateMachine(const CalibrationPlan& plan);

}  // namespace syncline
