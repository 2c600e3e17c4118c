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

// The same computed by hand, without events. Only controller C acts: each receive before a tick
// finds LC' ahead by d and the simple clock by MAX = 10 ms + µ − 250 µs, so the tick adds
// γC(d / MAX) · 10 ms, and each message µ.
struct TickLoopByHand {
  double sent_ms = 0;  // when process 0 sends
  // At the ticks of processes 1, 2, … 19 and 0 that follow.
  std::vector<double> quotients;  // d / MAX
  std::vector<double> gammas;
};
std::vector<TickLoopByHand> LoopsByHand(double mu_ms, size_t loops);

}  // namespace syncline
