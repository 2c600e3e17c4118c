// All clocks from the moments at which they received the same broadcasts, for media where a
// transmission reaches all at once.
//
// A broadcast reaches all its receivers at almost the same instant; what differs is how long each
// takes to stamp it. If those delays are exponential, the most likely lines and send times are
// those with the least sum of delays, none of which is negative (Scheuermann et al., 2009):
//     minimise Σ d(m,i)   subject to   d(m,i) = g_i(x(m,i)) − t(m) ≥ 0,
// with g_i the line of clock i, that of the root being given, and one t(m) per broadcast. The
// programme counts in µs from an integer origin, and its lines from a first guess; no line leaves
// the prior. Messages place only clocks that no chain of broadcasts relates, over as few pairs as
// can be; a clock that sends broadcasts and receives none is one of them.
// Guarantee: none by broadcasts, since the delays are a model, and nothing says how much later one
// receiver stamps than another. Bounds are those of tree-error with the same root, from messages
// alone; clocks that messages do not relate to it are at best kApproximate. Units: as group.h.
// Errors: none; where no two clocks received a broadcast, messages alone place all.
// Tested by: src/estimate/groups/broadcast_test.cc, broadcast_programme_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "syncline/id.h"
#include "syncline/time.h"

#include "estimate/group.h"
#include "estimate/hulls/corridor.h"
#include "estimate/point.h"

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

struct Reception {
  size_t clock = 0;
  int64_t nominal_ns = 0;
};
using Receptions = std::vector<Reception>;  // of one broadcast, at most one per clock

struct FitOptions {
  size_t root = 0;
  SlopeRange prior;
  // Every clock gets the same share of so many receptions, at least 20, spread over time, or all it
  // has; it gets more where other clocks need the broadcasts.
  size_t most_receptions = 8000;
};

struct BroadcastLines {
  // By clock: its nominal time to the root's; the root's is the identity. None for clocks that no
  // chain of broadcasts relates to the root.
  std::vector<std::optional<Line>> lines;
  size_t related = 0;        // broadcasts that relate some of these clocks
  size_t used = 0;           // of them
  double mean_delay_ns = 0;  // d, over all receptions used
};

// Lines of all clocks that received broadcasts together, by linear programming. None where the
// solver fails or times lie too far apart (2^60 ns). Cost: two columns per clock, one per
// broadcast, one row per reception: 0.5 s for 8000 receptions of 4 clocks, 2 s for as many of 64.
std::optional<BroadcastLines> FitBroadcasts(std::span<const Receptions> broadcasts, size_t clocks,
                                            const FitOptions& options);

}  // namespace syncline
