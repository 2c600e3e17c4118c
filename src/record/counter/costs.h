// What reading each clock of this machine costs, and how fine it is.
//
// Units: ticks of the counter; the clocks' own units for steps. Requires: nothing; a busy machine
// raises medians, hardly the least values. Cost: about a second. Method: Tinetti and Romero,
// Sincronización de Relojes en Ambientes Distribuidos, Tables 1 (warm) and 6 (cold). Departures:
// least and median are given instead of one figure, and what reading the counter itself adds is
// taken off.
// Tested by: costs_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/counter/counter.h"

namespace syncline {

struct TickFigures {
  double least = 0;
  double median = 0;
};

enum class StepUnit { kNone, kTicks, kNanoseconds };

struct ReadingCost {
  std::string name;
  TickFigures warm;  // per call, of batches of calls one after the other
  TickFigures cold;  // of single calls after CacheEviction
  // The least difference between successive readings that differ, and the greatest number of which
  // all differences are multiples; 0 without a unit.
  int64_t least_step = 0;
  int64_t common_step = 0;
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

}  // namespace syncline
