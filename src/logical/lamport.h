// Lamport's discrete clock: numbers that order events causally.
//
// Requires: events in a causal order, each process's in program order.
// Method: L. Lamport, Time, Clocks, and the Ordering of Events in a Distributed System (1978).
// Tested by: src/logical/lamport_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace syncline {

// The clock of one process.
class LamportClock {
 public:
  // An internal or send event: 0 for the first, else one more than the event before.
  uint64_t Step() {
    last_ = last_ ? *last_ + 1 : 0;
    return *last_;
  }
  // A receive of what was sent at `send`, the sender's number: later than both.
  uint64_t Receive(uint64_t send) {
    last_ = std::max(last_ ? *last_ + 1 : 0, send + 1);
    return *last_;
  }

 private:
  std::optional<uint64_t> last_;
};

}  // namespace syncline
