// Whether the counter shows the same on every core that this process may run on.
//
// Units: ticks. Sign: offset = this core's counter − the first core's. Requires: nothing; cores
// that another process occupies answer late, which widens bounds. Errors: a core that no thread can
// be bound to is left out of the result. Cost: at most 50 ms per core. Method: Cristian's: readings
// are passed to and fro through memory; none arrives before it was taken, so each bounds the offset
// from one side.
// Tested by: cores_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "record/counter/counter.h"

namespace syncline {

struct CoreOffset {
  int core = 0;
  int against = 0;  // the first core
  // The true offset lies between them.
  int64_t low_ticks = 0;
  int64_t high_ticks = 0;
  uint64_t exchanges = 0;
  bool MayBeEqual() const { return low_ticks <= 0 && high_ticks >= 0; }
};

// One bound, of readings taken before sending and after receiving, in both directions.
class OffsetBounds {
 public:
  void AddThere(int64_t sent, int64_t received);  // from the first core
  void AddBack(int64_t sent, int64_t received);   // to the first core
  int64_t low() const { return low_; }
  int64_t high() const { return high_; }

 private:
  int64_t low_ = INT64_MIN;
  int64_t high_ = INT64_MAX;
};

// By number of core, the first one left out. Empty where only one core may be used.
std::vector<CoreOffset> CompareCores(CounterKind counter);

}  // namespace syncline
