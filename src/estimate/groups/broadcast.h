// All clocks from the moments at which they received the same broadcasts (Scheuermann et al.,
// 2009), for media where a transmission reaches all at once.
//
// Clocks that chains of broadcasts relate get the lines of broadcast_programme.h. Messages place
// only the others, over as few pairs as can be; a clock that sends broadcasts and receives none is
// one of them.
// Guarantee: none by broadcasts, since nothing says how much later one receiver stamps than
// another. Bounds are those of tree-error with the same root, from messages alone; clocks that
// messages do not relate to it are at best kApproximate. Units: as group.h. Errors: none; where no
// two clocks received a broadcast, messages alone place all. Cost: that of a linear programme of
// FitOptions::most_receptions. Tested by: src/estimate/groups/broadcast_test.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "syncline/id.h"
#include "syncline/time.h"

#include "estimate/group.h"

namespace syncline {

struct TimedReception {
  ClockId clock;
  LocalTime time;
};
using TimedBroadcast = std::vector<TimedReception>;

struct BroadcastOptions {
  // Root of its component; without it the root is chosen as by tree-hops.
  std::optional<ClockId> reference;
  // Of each clock against the one that its broadcasts are counted from.
  std::optional<double> max_drift_ppm = 200;
};

// What became of the clocks that one chain of broadcasts relates.
struct BroadcastFinding {
  std::vector<ClockId> clocks;  // two or more
  bool is_solved = false;       // else messages place them, as far as there are any
  size_t broadcasts = 0;
  size_t used = 0;
  double mean_delay_ns = 0;  // from the earliest possible reception to the stamp
};

struct BroadcastEstimate {
  GroupEstimate group;
  std::vector<BroadcastFinding> findings;
};

// Requires: as EstimateTree.
BroadcastEstimate EstimateBroadcast(std::span<const ClockInput> clocks,
                                    std::span<const PairInput> pairs,
                                    std::span<const TimedBroadcast> broadcasts,
                                    const BroadcastOptions& options);

}  // namespace syncline
