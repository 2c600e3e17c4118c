// Test only: the backward amortization of amortizer.h on a whole array, as defined, event by event.
//
// Cost: O(n) per jump. Shares the format of rises with the fast one (rise.h: LineThrough), nothing
// else; slopes are compared by continued fractions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/int128.h"
#include "logical/amortizer.h"
#include "logical/rise.h"

namespace syncline::oracle {

struct AmortizedEvent {
  int64_t clock_ns = 0;  // LC'
  int64_t jump_ns = 0;   // J
  int64_t latest_ns = INT64_MAX;
  // Another limit, which comes right after the event of this number.
  int64_t late_ns = INT64_MAX;
  size_t late_after = 0;
};

// Whether a/b < c/d. Requires: a, c ≥ 0; b, d > 0.
inline bool IsFractionLess(Int128 a, Int128 b, Int128 c, Int128 d) {
  while (true) {
    if (a / b != c / d) return a / b < c / d;
    const Int128 rest_a = a % b;
    const Int128 rest_c = c % d;
    if (rest_c == 0) return false;
    if (rest_a == 0) return true;
    // rest_a/b < rest_c/d exactly when d/rest_c < b/rest_a.
    a = d;
    c = b;
    b = rest_c;
    d = rest_a;
  }
}

struct HullPoint {
  RisePoint at;
  size_t index = 0;  // of its event; the pieces of the hull begin at these
};

// Whether b lies on or above the line from a to c. Requires: ascending x.
inline bool IsCovered(const HullPoint& a, const HullPoint& b, const HullPoint& c) {
  if (b.at.rise >= c.at.rise) return true;
  if (b.at.x == c.at.x || b.at.rise < a.at.rise) return false;
  if (a.at.x == b.at.x) return true;
  return !IsFractionLess(b.at.rise - a.at.rise, b.at.x - a.at.x, c.at.rise - b.at.rise,
                         c.at.x - b.at.x);
}

// The lower convex chain from the first point, which is lowest, to the last.
inline std::vector<HullPoint> LowerChain(const std::vector<HullPoint>& points) {
  std::vector<HullPoint> chain = {points.front()};
  for (size_t i = 1; i < points.size(); ++i) {
    const HullPoint& p = points[i];
    const bool is_last = i + 1 == points.size();
    if (!is_last && p.at.x == chain.back().at.x && p.at.rise >= chain.back().at.rise) continue;
    while (chain.size() > 1 && IsCovered(chain[chain.size() - 2], chain.back(), p)) {
      chain.pop_back();
    }
    chain.push_back(p);
  }
  return chain;
}

struct Amortized {
  std::vector<int64_t> after_ns;
  std::vector<uint64_t> x;  // the abscissae
};

inline Amortized Amortize(const std::vector<AmortizedEvent>& events,
                          const AmortizationOptions& options) {
  Amortized result;
  std::vector<Int128> raised(events.size(), 0);
  size_t final_count = 0;
  Int128 largest = options.start_difference_ns;
  for (size_t k = 0; k < events.size(); ++k) {
    const Int128 jump = events[k].jump_ns;
    const Int128 step = k == 0 ? jump : Int128{events[k].clock_ns} - events[k - 1].clock_ns;
    result.x.push_back(k == 0 ? 0 : result.x.back() + static_cast<uint64_t>(step - jump));
    const std::vector<uint64_t>& x = result.x;
    largest = std::max(largest, jump);
    const Int128 length = largest * options.error_denominator / options.error_numerator;
    while (final_count < k && Int128{x[k]} - x[final_count] > length) ++final_count;
    if (jump == 0 || final_count == k) continue;

    std::vector<HullPoint> points(1);
    Int128 lowest = jump * kNanosecondRise;
    for (size_t s = final_count; s < k; ++s) {
      const int64_t latest = k > events[s].late_after
                                 ? std::min(events[s].latest_ns, events[s].late_ns)
                                 : events[s].latest_ns;
      if (latest == INT64_MAX) continue;
      const Int128 slack = (Int128{latest} - events[s].clock_ns) * kNanosecondRise;
      points.push_back({{x[s], std::max<Int128>(slack - raised[s], 0)}, s});
      lowest = std::min(lowest, points.back().at.rise);
    }
    points.front() = {{0, lowest}, 0};
    if (final_count > 0) {
      const Int128 begin = std::max<Int128>(Int128{x[k]} - length, x[final_count - 1]);
      points.front() = {{static_cast<uint64_t>(begin), 0}, final_count};
    }
    points.push_back({{x[k], jump * kNanosecondRise}, k});
    const std::vector<HullPoint> chain = LowerChain(points);
    for (size_t i = 0; i + 1 < chain.size(); ++i) {
      const RiseLine line = LineThrough(chain[i].at, chain[i + 1].at);
      for (size_t e = chain[i].index; e < chain[i + 1].index; ++e) {
        raised[e] += static_cast<Int128>(line.At(x[e]));
      }
    }
  }
  for (size_t e = 0; e < events.size(); ++e) {
    const Int128 rise = WholeNs(static_cast<UInt128>(raised[e]));
    result.after_ns.push_back(static_cast<int64_t>(events[e].clock_ns + rise));
  }
  return result;
}

}  // namespace syncline::oracle
