// What `syncline clock calibrate` has measured, as plain values, as text and as JSON.
//
// Units: ticks of the counter; nanoseconds; hertz; parts in 10^9. Tested by: calibration_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

std::string CalibrationText(const MachineCalibration& calibration);
std::string CalibrationJson(const MachineCalibration& calibration);

}  // namespace syncline
