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
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace syncline {

struct AllanPoint {
  int64_t tau_ns = 0;
  double deviation = 0;
  uint64_t terms = 0;  // second differences, which overlap
};

// At 1, 2, 5, 10, … intervals, as long as there are three offsets so far apart.
// Requires interval_ns > 0.
std::vector<AllanPoint> AllanDeviations(std::span<const int64_t> offsets_ns, int64_t interval_ns);

}  // namespace syncline
