// The concurrency measures, as numbers made of regions' and processes' values.
//
// Units: ratios without unit; loads in nanoseconds. Undefined values (0/0) are empty. Method: He
// and Sun 1997, chapter 2, for comparison chapter 3; spec: docs/methods/concurrency.md.
// Tested by: measures_test.cc, concurrency_meter_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "syncline/region_clock.h"

#include "measure/concurrency/region.h"

namespace syncline {

using Ratio = std::optional<double>;

struct RegionMeasures {
  Ratio alpha;        // (wt − HT) / (vol − HT)
  Ratio efficiency;   // φ1
  Ratio loss;         // φ2
  Ratio share;        // φ3: of what its past computed, by its own process
  Ratio path_share;   // φ4: of what its past computed, on the longest causal path
  Ratio fidge;        // β
  Ratio event_alpha;  // Raynal et al.: α with unit event costs
};
RegionMeasures MeasureRegion(const RegionValues& values);

// A process at its end.
struct ProcessTotals {
  int64_t computed_ns = 0;
  int64_t delayed_ns = 0;
  int64_t height_ns = 0;
  int64_t events = 0;        // message events
  int64_t event_height = 0;  // longest causal path to one of them, in events
  RelativeSpeed speed;
};

struct ComputationMeasures {
  int64_t height_ns = 0;          // ht
  int64_t weight_ns = 0;          // wt
  int64_t volume_ns = 0;          // vol
  Ratio alpha;                    // (wt − ht) / (vol − ht)
  Ratio efficiency;               // Φ1
  Ratio loss;                     // Φ2
  std::vector<Ratio> shares;      // Φ3, by process
  Ratio path_share;               // Φ4
  Ratio mean_load_ns;             // Φ5
  Ratio load_deviation_ns;        // Φ6
  Ratio balance;                  // Φ7
  double speed = 0;               // ρ, Σ ρ_k
  Ratio speed_load_ns;            // Φ5'
  Ratio speed_load_deviation_ns;  // Φ6'
  Ratio speed_balance;            // Φ7'
  int64_t events = 0;
  int64_t event_height = 0;
  Ratio fidge;        // β
  Ratio event_alpha;  // Raynal et al.: (wt − ht) / ((n − 1) · ht) with unit event costs
};
ComputationMeasures MeasureComputation(std::span<const ProcessTotals> processes);

}  // namespace syncline
