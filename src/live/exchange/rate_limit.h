// How much of a rate a peer has used: so many a second on average, and so many at once.
//
// Units: nanoseconds of a clock that is never set. Requires: times below 2^62 that do not fall.
// Cost: O(1), 8 bytes. Method: the generic cell rate algorithm (ITU-T I.371, annex A).
// Tested by: rate_limit_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>

namespace syncline {

struct Rate {
  int64_t per_second = 1000;  // 1 to 10^9
  int64_t at_once = 1000;     // 1 to 10^6
};

class RateLimit {
 public:
  // Whether one more is within the rate; only then it counts.
  bool Take(const Rate& rate, int64_t now_ns) {
    const int64_t interval_ns = 1'000'000'000 / rate.per_second;
    const int64_t due_ns = std::max(due_ns_, now_ns);
    if (due_ns - now_ns > interval_ns * (rate.at_once - 1)) return false;
    due_ns_ = due_ns + interval_ns;
    return true;
  }

 private:
  int64_t due_ns_ = INT64_MIN;  // when the next one would come if all kept the average
};

}  // namespace syncline
