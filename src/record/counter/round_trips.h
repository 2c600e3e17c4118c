// What the round trips of a burst of exchanges tell: the least, the largest, and the mean of those
// that nothing delayed.
//
// Units: those of the trips. Cost: O(n). Method: Tinetti and Romero, Sincronización de Relojes en
// Ambientes Distribuidos, 2.2: trips of more than twice the least are left out of the mean.
// Tested by: clock_exchange_test.cc, burst_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/int128.h"

namespace syncline {

struct RoundTrips {
  uint64_t used = 0;  // in the mean
  int64_t least_ns = 0;
  int64_t mean_ns = 0;
  int64_t largest_ns = 0;
};

// Requires: at least one.
inline RoundTrips RoundTripsOf(std::span<const int64_t> trips) {
  const auto [least, largest] = std::minmax_element(trips.begin(), trips.end());
  RoundTrips result = {.least_ns = *least, .largest_ns = *largest};
  Int128 sum = 0;
  for (const int64_t trip : trips) {
    if (trip > static_cast<Int128>(*least) * 2) continue;
    sum += trip;
    ++result.used;
  }
  result.mean_ns = Saturate(sum / static_cast<Int128>(result.used));
  return result;
}

}  // namespace syncline
