// Roughly what one clock shows when another shows t, as messages between them tell.
//
// Units: nanoseconds of each clock. Good to the delay of a message near t, and to 1000 ppm of the
// time to it. Holds a sample of at most kMaxSamples messages per pair of clocks, thinned by a hash,
// so it does not depend on the order of calls. Cost: O(1) per message; O(log samples) per
// conversion after a first sort. Tested by: clock_tracks_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "syncline/id.h"

namespace syncline {

class ClockTracks {
 public:
  static constexpr size_t kMaxSamples = 2048;
  // Beyond this distance from the nearest message nothing is said.
  static constexpr int64_t kMaxDistanceNs = 100'000'000'000;

  // Clocks `a` and `b` showed these times not longer than a message's delay apart.
  void Add(ClockId a, int64_t time_a, ClockId b, int64_t time_b);
  // None where no message between the two is near.
  std::optional<int64_t> Convert(ClockId from, int64_t time, ClockId to);

 private:
  using Sample = std::pair<int64_t, int64_t>;  // times of the lower and the higher clock
  struct Track {
    std::vector<Sample> by_low;
    std::vector<Sample> by_high;  // the same, swapped; empty until sorted
    uint64_t mask = 0;
    bool is_sorted = false;
  };
  static void Sort(Track& track);

  absl::flat_hash_map<uint64_t, Track> tracks_;  // by both clocks, lower first
};

}  // namespace syncline
