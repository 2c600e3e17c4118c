// What is assumed of a clock: its rate stays within limits, whatever else it does.
//
// Units: local time is nominal nanoseconds of the clock, or multiples of them (graph.h); a limit is
// d(global)/d(local) − 1 in multiples of 2^-40 (about 10^-6 ppm). Sign: positive, the clock is
// slow. Symbols: lo = 1 + slow, hi = 1 + fast of the definition; the reference has lo = hi = 1.
// Requires: spans below 2^61. Exact: 128-bit products, rounded outward.
// Tested by: envelope_test.cc, paths_test.cc.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/int128.h"

namespace syncline::drift_bounded {

struct RateLimits {
  static constexpr int kBits = 40;
  static constexpr int64_t kOne = int64_t{1} << kBits;

  int64_t slow = 0;  // ≤ fast, ≥ −kOne: time never goes back
  int64_t fast = 0;

  // |rate − 1| ≤ drift, rounded outward. From 10^6 ppm on a clock may stand still, but runs at most
  // at twice its nominal rate.
  static RateLimits Within(double drift_ppm) {
    const double units = std::ceil(std::min(drift_ppm, 1e6) * 1e-6 * static_cast<double>(kOne));
    const auto limit = static_cast<int64_t>(units);
    return {-limit, limit};
  }
  double WidestPpm() const {
    return static_cast<double>(std::max(-slow, fast)) / static_cast<double>(kOne) * 1e6;
  }
  friend bool operator==(const RateLimits&, const RateLimits&) = default;
};

// By how much readings of b can change faster or slower than those of a, per reading of a.
inline double RelativeRate(RateLimits a, RateLimits b) {
  const double own = a.WidestPpm() * 1e-6;
  const double other = std::min(b.WidestPpm() * 1e-6, 0.999);
  return (1 + own) / (1 - other) - 1;
}

// floor(span · drift), for spans of either sign.
inline int64_t DriftOver(int64_t span, int64_t drift) {
  return static_cast<int64_t>((static_cast<Int128>(span) * drift) >> RateLimits::kBits);
}

// The least and the greatest global time that may pass in `span` ≥ 0 of local time.
inline int64_t Slowest(int64_t span, RateLimits rate) { return span + DriftOver(span, rate.slow); }
inline int64_t Fastest(int64_t span, RateLimits rate) { return span - DriftOver(-span, rate.fast); }

// A lower bound of c(to) − c(from): the weight of the edge from → to.
inline int64_t LeastAdvance(int64_t from, int64_t to, RateLimits rate) {
  return to >= from ? Slowest(to - from, rate) : -Fastest(from - to, rate);
}

}  // namespace syncline::drift_bounded
