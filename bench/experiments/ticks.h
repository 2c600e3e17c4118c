// A token passed 0 → 19 → 0 in loops of 10 ms by processes whose clocks tick once per loop.
//
// Units: nanoseconds. Method: Rabenseifner 2000, chapter 6.3.2; messages take 250 µs, controllers
// A, B and C. Tested by: logical_experiments_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "syncline/result.h"

namespace syncline {

struct TickLoop {
  int64_t before_ns = 0;  // when process 0 sends, as its clock shows
  int64_t after_ns = 0;   // … as the logical clock does
  int64_t length_ns = 0;  // from the send in the loop before; 0 for the first
  // Least and largest ΔLC' / ΔC of the sends that a tick precedes: γ, where no other term of LC' is
  // larger.
  double slowest = 0;
  double fastest = 0;
};

Result<std::vector<TickLoop>> RunTicks(int64_t mu_ns, uint64_t loops);

}  // namespace syncline
