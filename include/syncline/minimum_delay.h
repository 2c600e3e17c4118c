// The least time a message takes, per direction and growing with its size: the µ of the clock
// condition.
//
// Units: nanoseconds; the part per byte in picoseconds, so that 1 ps/B is 1000 GB/s. Cost of Of():
// a look-up in a table of clock pairs.
// Tested by: src/model/minimum_delay_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "syncline/id.h"
#include "syncline/time.h"

namespace syncline {

struct MinimumDelay {
  int64_t fixed_ns = 0;     // ≥ 0
  int64_t ps_per_byte = 0;  // ≥ 0
  friend bool operator==(const MinimumDelay&, const MinimumDelay&) = default;
};

class DelayModel {
 public:
  // The same for all directions.
  explicit DelayModel(MinimumDelay all = {1, 0}) : all_(all) {}

  void Set(ClockId from, ClockId to, MinimumDelay delay) { by_direction_[{from, to}] = delay; }
  // fixed + bytes · per byte, rounded down to nanoseconds; saturates at 2^62.
  Duration Of(ClockId from, ClockId to, uint64_t bytes) const;
  MinimumDelay all() const { return all_; }
  const std::map<std::pair<ClockId, ClockId>, MinimumDelay>& by_direction() const {
    return by_direction_;
  }
  bool is_uniform() const { return by_direction_.empty(); }
  bool grows_with_size() const;
  // For the library itself: what travels to another of its processes.
  static auto Members(auto& self) { return std::tie(self.all_, self.by_direction_); }

 private:
  MinimumDelay all_;
  std::map<std::pair<ClockId, ClockId>, MinimumDelay> by_direction_;
};

}  // namespace syncline
