// The times of one Babeltrace message, in cycles of its stream's clock.
#pragma once

#include <cstdint>

namespace syncline::ctf_write {

// Discarded events and packets have two times, other messages one, which is both.
struct MessageTimes {
  uint64_t first = 0;
  uint64_t last = 0;
  friend bool operator==(const MessageTimes&, const MessageTimes&) = default;
};

}  // namespace syncline::ctf_write
