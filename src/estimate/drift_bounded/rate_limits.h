// What is assumed of a clock: its rate stays within limits, whatever else it does.
//
// Definition: the rate is d(local)/d(global), as in docs/vocabulary.md, and D bounds |rate − 1|. So
// d(global)/d(local), which bounds are walked by, lies between 1/(1 + D) and 1/(1 − D).
// Units: local time is nominal nanoseconds of the clock, or multiples of them (graph.h); a limit is
// d(global)/d(local) − 1 in multiples of 2^-40 (about 10^-6 ppm). Sign: positive, the clock is
// slow. Symbols: lo = 1 + slow, hi = 1 + fast of the definition; the reference has lo = hi = 1.
// Requires: spans below 2^61. Exact: 128-bit products, rounded outward.
// Tested by: rate_limits_test.cc, envelope_test.cc, paths_test.cc.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "base/int128.h"

namespace syncline::drift_bounded {

struct RateLimits {
  static constexpr int kBits = 40;
  static constexpr int64_t kOne = int64_t{1} << kBits;
  // Up to here D is what it says. No clock is taken to run slower than at half the reference's
  // rate: products of spans would leave 64 bits.
  static constexpr double kMostPpm = 500'000;
  // Stands for any rate from a half on, however high.
  static constexpr double kAnyPpm = 1'000'000;

  int64_t slow = 0;  // ≤ fast, ≥ −kOne: time never goes back
  int64_t fast = 0;  // ≤ kOne

  // |rate − 1| ≤ D, rounded outward; beyond kMostPpm any rate from a half on.
  static RateLimits Within(double drift_ppm) {
    if (drift_ppm > kMostPpm) return {-kOne, kOne};
    return Between(-drift_ppm * 1e-6, drift_ppm * 1e-6);
  }
  // Rates from 1 + least to 1 + most, rounded outward; least ≤ most, most > −1.
  static RateLimits Between(double least, double most) {
    // What doubles err by, a few 2^-53 of the value.
    constexpr double kError = 0x1p-49;
    const auto limit = [](double drift, double outward) {
      const double units = -drift / (1 + drift) * static_cast<double>(kOne);
      return units + outward * kError * std::abs(units);
    };
    const double slow = std::floor(limit(most, -1));
    const double fast = least <= -0.5 ? static_cast<double>(kOne) : std::ceil(limit(least, 1));
    return {static_cast<int64_t>(slow), std::min(static_cast<int64_t>(fast), kOne)};
  }
  // The least D that has all of these rates.
  double WidestPpm() const {
    if (slow <= -kOne) return kAnyPpm;
    const auto off = [](int64_t limit) {  // of the rate
      const auto one = static_cast<double>(kOne), l = static_cast<double>(limit);
      return std::abs(l) / (one + l) * 1e6;
    };
    return std::min(std::max(off(slow), off(fast)), kAnyPpm);
  }
  // Half of what lies between the lowest and the highest of them.
  double HalfWidthPpm() const {
    const auto one = static_cast<double>(kOne);
    const double lo = 1 + static_cast<double>(slow) / one, hi = 1 + static_cast<double>(fast) / one;
    return lo > 0 ? std::min((1 / lo - 1 / hi) / 2 * 1e6, kAnyPpm) : kAnyPpm;
  }
  RateLimits And(RateLimits other) const {
    return {std::max(slow, other.slow), std::min(fast, other.fast)};
  }
  RateLimits Or(RateLimits other) const {
    return {std::min(slow, other.slow), std::max(fast, other.fast)};
  }
  friend bool operator==(const RateLimits&, const RateLimits&) = default;
};

// How far d(b)/d(a) is from 1 at most, of readings of a and b. Never infinite.
inline double RelativeRate(RateLimits a, RateLimits b) {
  constexpr double kLeast = 0.001;       // of the global time by b's
  const auto rate = [](int64_t limit) {  // d(global)/d(local)
    return 1 + static_cast<double>(limit) / static_cast<double>(RateLimits::kOne);
  };
  return std::max(rate(a.fast) / std::max(rate(b.slow), kLeast) - 1,
                  1 - rate(a.slow) / rate(b.fast));
}

// floor(span · drift), for spans of either sign.
inline int64_t DriftOver(int64_t span, int64_t drift) {
  return static_cast<int64_t>((static_cast<Int128>(span) * drift) >> RateLimits::kBits);
}

// The least and the greatest global time that may pass in `span` ≥ 0 of local time.
inline int64_t Slowest(int64_t span, RateLimits rate) { return span + DriftOver(span, rate.slow); }
inline int64_t Fastest(int64_t span, RateLimits rate) { return span - DriftOver(-span, rate.fast); }

// The least and the greatest local time that may pass in `span` ≥ 0 of global time; none: 2^61 or
// more.
inline int64_t LeastCounted(int64_t span, RateLimits rate) {
  const Int128 one = RateLimits::kOne;
  return static_cast<int64_t>(FloorDiv(span * one, one + rate.fast));
}
inline std::optional<int64_t> MostCounted(int64_t span, RateLimits rate) {
  const Int128 one = RateLimits::kOne;
  if (rate.slow <= -one) return std::nullopt;
  const Int128 most = CeilDiv(span * one, one + rate.slow);
  return most < int64_t{1} << 61 ? std::optional(static_cast<int64_t>(most)) : std::nullopt;
}

// A lower bound of c(to) − c(from): the weight of the edge from → to.
inline int64_t LeastAdvance(int64_t from, int64_t to, RateLimits rate) {
  return to >= from ? Slowest(to - from, rate) : -Fastest(from - to, rate);
}

}  // namespace syncline::drift_bounded
