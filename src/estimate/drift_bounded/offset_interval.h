// What messages between two clocks leave for θ, the reading of b less that of a (steps.h).
//
// Between messages θ changes no faster than both limits of rates together. Units: nanoseconds;
// ±kOpen where nothing bounds a side. Tested by: steps_test.cc, attribution_test.cc.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace syncline::drift_bounded {

struct PairMessage {
  int64_t at_a = 0;  // readings since the clocks' origins
  int64_t at_b = 0;
  bool is_upper = false;  // a → b
  int64_t theta = 0;      // the limit of θ
  uint64_t message = 0;
};

struct Jump {
  int64_t least = 0, most = 0;
};

// Whether messages that miss an offset by so much can be of one other offset: as far as delays
// differ, by the width of what right ones leave, or nearly. Of right messages none is.
inline bool AreAlike(int64_t missing, int64_t missed, int64_t width) {
  return missing > 0 && missed > 0 && std::abs(missing - missed) <= std::max(width, missing / 8);
}

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
  // At the reading of the next message on the way, either way, as it leaves it; what does not allow
  // it is of before a step, and forgotten.
  void Follow(const PairMessage& m, double rate) {
    *this = At(m.at_a, rate);
    if (!Allows(m)) *this = {.at = at};
    Narrow(m);
  }
  bool IsOpen() const { return low <= -kOpen || high >= kOpen; }
  int64_t Width() const { return IsOpen() ? 0 : std::max<int64_t>(0, high - low); }
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
