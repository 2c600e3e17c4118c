// What messages between two clocks leave for θ, the reading of b less that of a (steps.h).
//
// Between messages θ changes no faster than both limits of rates together. Units: nanoseconds;
// ±kOpen where nothing bounds a side. Tested by: steps_test.cc, attribution_test.cc.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "estimate/drift_bounded/steps.h"

namespace syncline::drift_bounded {

struct Jump {
  int64_t least = 0, most = 0;
};

// At a reading of a.
struct OffsetInterval {
  static constexpr int64_t kOpen = INT64_MAX / 4;

  int64_t low = -kOpen;
  int64_t high = kOpen;
  int64_t at = 0;

  OffsetInterval At(int64_t reading, double rate) const {
    const auto wider = static_cast<int64_t>(
        std::ceil(std::abs(static_cast<double>(reading) - static_cast<double>(at)) * rate));
    const auto out = [&](int64_t v, int64_t by) { return std::abs(v) >= kOpen ? v : v + by; };
    return {out(low, -wider), out(high, wider), reading};
  }
  bool Allows(const PairMessage& m) const { return m.is_upper ? m.theta >= low : m.theta <= high; }
  void Narrow(const PairMessage& m) {
    if (m.is_upper)
      high = std::min(high, m.theta);
    else
      low = std::max(low, m.theta);
  }
  bool IsOpen() const { return low <= -kOpen || high >= kOpen; }
  // By how much a message misses it.
  int64_t Missing(const PairMessage& m) const {
    return m.is_upper ? low - m.theta : m.theta - high;
  }
  // To what messages behind it leave.
  Jump To(const OffsetInterval& behind) const {
    return {behind.low <= -kOpen || high >= kOpen ? -kOpen : behind.low - high,
            behind.high >= kOpen || low <= -kOpen ? kOpen : behind.high - low};
  }
};

}  // namespace syncline::drift_bounded
