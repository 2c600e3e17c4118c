// Lines of all clocks that received broadcasts together, by linear programming.
//
// A broadcast reaches all its receivers at almost the same instant; what differs is how long each
// takes to stamp it. If those delays are exponential, the most likely lines and send times are
// those with the least sum of delays, none of which is negative (Scheuermann et al., 2009):
//     minimise Σ d(m,i)   subject to   d(m,i) = g_i(x(m,i)) − t(m) ≥ 0,
// with g_i the line of clock i, that of the root being given, and one t(m) per broadcast.
// Units: nominal nanoseconds; the programme itself counts in µs from an integer origin, and its
// lines from a first guess. Errors: none where no line can be had. Guarantee: none, the delays are
// a model; no line leaves the prior. Cost: two columns per clock, one per broadcast, one row per
// reception: 0.5 s for 8000 receptions of 4 clocks, 2 s for as many of 64. Tested by:
// src/estimate/groups/broadcast_programme_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "estimate/hulls/slope_walk.h"
#include "estimate/point.h"

namespace syncline {

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

// None where the solver fails or times lie too far apart (2^60 ns).
std::optional<BroadcastLines> FitBroadcasts(std::span<const Receptions> broadcasts, size_t clocks,
                                            const FitOptions& options);

}  // namespace syncline
