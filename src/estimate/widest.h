// The line in the middle of the widest vertical corridor between two half hulls.
//
// Requires: a corridor in state kOpen found for these hulls. The result is exactly admissible.
// Cost: O(h). Exact: the slope is that of a hull edge; the height is the middle to 1 ns.
// Method: Sirdey and Maurice (Poirier 2010, 3.2): maximise gap(s), concave in s. Departures:
// - Where the gap still grows at a limiting slope of the prior, the messages do not determine the
//   slope, and the middle of the admissible slopes is taken (its gap is at least half the widest);
//   the same within a stretch of equally wide slopes.
// - The widest slope is that of one hull edge, and no better than this edge is founded: on how many
//   messages, over how long a time. Where one direction has few messages, it can be an edge between
//   two of them. If the edge over the centroid of a direction's messages (the one that
//   least_delay.h takes) has more than kMuchBetter times the product of length and messages, it
//   gives the slope, clipped to the admissible ones, and the middle of its gap the height.
// Tested by: src/estimate/lines_test.cc, against a search over all slopes.
#pragma once

#include <cstdint>

#include "estimate/corridor.h"

namespace syncline {

// The messages behind a hull: how many, and their mean time at clock a.
struct Foundation {
  uint64_t messages = 0;
  int64_t centroid_x = 0;
};

inline constexpr double kMuchBetter = 1.5;

// The widest line, however well founded.
Line WidestLine(const Hulls& hulls, SlopeRange admissible);
// The same with the departure for poorly founded slopes.
Line WidestLine(const Hulls& hulls, SlopeRange admissible, Foundation upper, Foundation lower);

}  // namespace syncline
