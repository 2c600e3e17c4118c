// What reading each clock of this machine costs, and how fine it is.
//
// Units: ticks of the counter; the clocks' own units for steps. Requires: nothing; a busy machine
// raises medians, hardly the least values. Cost: about a second. Method: Tinetti and Romero,
// Sincronización de Relojes en Ambientes Distribuidos, Tables 1 (warm) and 6 (cold). Departures:
// least and median are given instead of one figure, and what reading the counter itself adds is
// taken off.
// Tested by: costs_test.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "record/counter/counter.h"

namespace syncline {

// How finely a clock is cut: of successive readings, the least difference that is not 0 and the
// greatest number of which all differences are multiples. 0 where it stands still.
struct StepFigures {
  int64_t least = 0;
  int64_t common = 0;
};
template <typename Read>
StepFigures StepsOf(const Read& read, int readings) {
  StepFigures steps;
  int64_t last = read();
  for (int i = 0; i < readings; ++i) {
    const int64_t now = read();
    const int64_t step = now - last;
    last = now;
    if (step <= 0) continue;  // the same reading, or the clock was set back meanwhile
    steps.least = steps.least == 0 ? step : std::min(steps.least, step);
    steps.common = std::gcd(steps.common, step);
  }
  return steps;
}

struct TickFigures {
  double least = 0;
  double median = 0;
};

enum class StepUnit { kNone, kTicks, kNanoseconds };

struct ReadingCost {
  std::string name;
  TickFigures warm;   // per call, of batches of calls one after the other
  TickFigures cold;   // of single calls after CacheEviction
  StepFigures steps;  // 0 without a unit
  StepUnit step_unit = StepUnit::kNone;
};

struct ReadingCosts {
  std::vector<ReadingCost> readings;
  // How much was read or executed to make single calls cold.
  uint64_t evicted_data_bytes = 0;
  uint64_t evicted_code_bytes = 0;
};

// In ticks of `counter`, which `facts` lists.
ReadingCosts MeasureReadingCosts(const CounterFacts& facts, CounterKind counter);

// Makes the next call cold: what it needs, code and data, is no longer in the first two caches.
//
// Method: Tinetti and Romero, Sincronización de Relojes en Ambientes Distribuidos, 3, before Table
// 6: measured programs find the stamping code cold, so its cost is to be measured so. Data are put
// out by writing more of them than the caches hold, code by calling more small functions than they
// hold. Departure: the last cache, which cores share, is not emptied.
// Errors: where the system grants no memory to execute, data alone are put out (code_bytes() is 0).
// Cost: some milliseconds per Evict(). Tested by: costs_test.cc.
class CacheEviction {
 public:
  CacheEviction();
  CacheEviction(const CacheEviction&) = delete;
  CacheEviction& operator=(const CacheEviction&) = delete;
  ~CacheEviction();

  void Evict();
  size_t data_bytes() const { return data_.size(); }
  size_t code_bytes() const { return code_bytes_; }

 private:
  std::vector<uint8_t> data_;
  void* code_ = nullptr;
  size_t code_bytes_ = 0;
};

}  // namespace syncline
