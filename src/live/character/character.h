// How a clock behaves over time: offset, drift, jitter, Allan deviation, and what measuring it
// took.
//
// Units: nanoseconds; drift in ppm. Sign: offset = clock − reference, positive: ahead.
// Requires: a meter; samples with increasing times. Errors: none; what too few samples cannot tell
// is missing. Cost: O(n) time and memory, 24 bytes per sample. Method: drift by least squares;
// jitter as in RFC 5905, the root mean square of the differences of successive offsets, but with
// the drift taken out. What to measure: Romero, Aróztegui, Tinetti, Sincronización de
// Relojes en Ambientes Distribuidos, which asks for it of NTP.
// Tested by: character_test.cc (on simulated clocks).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "live/character/meter.h"

namespace syncline {

// How stable a clock is over different times: the overlapping Allan deviation of its offsets.
//
// Units: nanoseconds; the deviation is of rates, so it has none. Requires: offsets at even
// intervals. Errors: none; fewer than three offsets give no point. Cost: O(n) for each time.
// Method: σ²(mτ₀) = Σ (x[i+2m] − 2x[i+m] + x[i])² / (2 (mτ₀)² (N − 2m)), i = 0 … N − 2m − 1
// (IEEE Std 1139; Riley, NIST SP 1065, 5.2.4), differences in integers. A constant offset or rate
// leaves no trace in it.
// Example: offsets 0, 1, 3, 6 ns every second. m = 1: the second differences are 3 − 2 + 0 = 1 and
// 6 − 6 + 1 = 1, so σ² = (1 + 1) / (2 · 2) (ns/s)², σ = 0.707e-9.
// Tested by: allan_test.cc.
struct AllanPoint {
  int64_t tau_ns = 0;
  double deviation = 0;
  uint64_t terms = 0;  // second differences, which overlap
};

// At 1, 2, 5, 10, … intervals, as long as there are three offsets so far apart.
// Requires interval_ns > 0.
std::vector<AllanPoint> AllanDeviations(std::span<const int64_t> offsets_ns, int64_t interval_ns);

struct Pace {
  int64_t interval_ns = 10'000'000;
  uint64_t samples = 1000;
};

struct Measurement {
  std::vector<OffsetSample> samples;
  uint64_t wanted = 0;
  uint64_t unanswered = 0;  // the meter had nothing
  uint64_t skipped = 0;     // it was too late for: the machine or the meter was busy
  int64_t elapsed_ns = 0;   // by the meter's steady clock
  int64_t cpu_ns = 0;       // of this process, user and system
  Effort effort;
};

// Measures at even times; one that has passed by more than half an interval is skipped.
// Requires interval_ns > 0.
Measurement MeasureOverTime(OffsetMeter& meter, const Pace& pace);

struct Character {
  int64_t elapsed_ns = 0;  // from the first sample to the last, by the reference
  int64_t interval_ns = 0;
  int64_t first_offset_ns = 0;
  int64_t last_offset_ns = 0;
  int64_t median_uncertainty_ns = 0;
  double drift_ppm = 0;  // of the line through all samples
  // The true mean drift between the first and the last sample lies between these.
  double least_drift_ppm = 0;
  double most_drift_ppm = 0;
  // From that line, and of successive samples.
  double residual_ns = 0;  // root mean square
  int64_t least_residual_ns = 0;
  int64_t most_residual_ns = 0;
  double jitter_ns = 0;
  std::vector<int64_t> residuals_ns;  // of every sample
  std::vector<AllanPoint> allan;
};

// Nothing where there are fewer than three samples, or their times do not increase.
std::optional<Character> CharacterOf(std::span<const OffsetSample> samples);

}  // namespace syncline
