// The corridor of a pair of clocks: which lines are admissible, and the bounds they leave.
//
// Symbols: H(AB) = upper, the convex lower half hull of the upper points; H(BA) = lower, the
// concave upper half hull of the lower points. A line is admissible when no upper point lies below
// it, no lower point above it, and its slope respects the prior. Then
//   U(x) = max over admissible lines: the line of slope_min left of its contact with H(AB), H(AB)
//          between its two contacts, the line of slope_max right of that; convex.
//   L(x) = min over admissible lines: slope_max, H(BA), slope_min; concave.
// slope_min and slope_max are those of the cross tangents, or the prior's where that is tighter.
// Units: nominal nanoseconds; slopes d(time at b)/d(time at a).
// Errors: none; an empty corridor says why in `state`.
// Cost: O(h) to build, O(log h) a query. Exact: 128-bit integers throughout.
// Method: Poirier 2010, ch. 3; his two linear programmes per hull point are not needed.
// Tested by: src/estimate/hulls/corridor_test.cc (brute force over all pairs of points) and
// src/estimate/hulls/corridor_clp_test.cc (linear programmes).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "estimate/hulls/bound_curve.h"
#include "estimate/hulls/pair_points.h"
#include "estimate/point.h"

namespace syncline {

struct Hulls {
  std::vector<Point> upper;  // H(AB), minimum delay already subtracted
  std::vector<Point> lower;  // H(BA), minimum delay already added
};

struct SlopeRange {
  Slope min;
  Slope max;
};

// Lower bounds of travel times, in nanoseconds of clock b. |values| < 2^50.
struct MinDelays {
  int64_t ab_ns = 0;
  int64_t ba_ns = 0;
  friend bool operator==(const MinDelays&, const MinDelays&) = default;
};

// Slopes allowed by a prior of D = max_drift_ppm, rounded outward to 10^-6 ppm: from 1 − D to
// 1/(1 − D), so that either clock's rate by the other one may differ from 1 by D. Without a prior,
// and from 999 999 ppm on, from 2^-20 to 2^20: whatever runs forward at all.
// Requires max_drift_ppm ≥ 0.
SlopeRange PriorRange(std::optional<double> max_drift_ppm);

// The hulls of `points`, the minimum delays taken off the upper and added to the lower ordinates.
Hulls ShiftedHulls(const PairPoints& points, MinDelays min_delays);

// What the messages say when a receive may be up to a reading later than its stamp.
Hulls WithReadings(Hulls hulls, int64_t reading_a_ns, int64_t reading_b_ns);

struct Corridor {
  enum class State {
    kNoMessages,    // neither bound
    kOneSided,      // one bound only
    kOpen,          // both bounds, at least one admissible line
    kEmptyByPrior,  // lines exist, but none within the prior
    kEmpty,         // no line at all
  };
  State state = State::kNoMessages;
  // The slopes of admissible lines; the prior itself where messages go one way only. Set in states
  // kOneSided and kOpen.
  SlopeRange slopes;
  Bounds bounds;  // U when there are upper points and a line, L when there are lower ones
};

Corridor FindCorridor(const Hulls& hulls, SlopeRange prior);

// gap(s) rounded down: how far lines of slope s can move between the hulls, in ns. Requires points
// in both hulls.
int64_t GapAt(const Hulls& hulls, Slope s);

// The line of slope s through or near `wish`: moved up or down the least that makes it respect both
// hulls. Exactly admissible when gap(s) ≥ 0. Requires a point in at least one hull.
Line PlaceLine(const Hulls& hulls, Slope s, Point wish);
// The line of slope s in the middle of the gap. Requires points in both hulls and gap(s) ≥ 0.
Line MiddleLine(const Hulls& hulls, Slope s);
// True when no hull point is on the wrong side of the line.
bool IsAdmissible(const Hulls& hulls, const Line& line);

struct Violations {
  size_t count = 0;     // hull points on the wrong side, exactly
  double worst_ns = 0;  // the largest vertical distance among them
};
Violations ViolationsOf(const Hulls& hulls, const Line& line);

// For all slopes in [from, to], upper[u] and lower[l] support.
struct SlopeStretch {
  Slope from;
  Slope to;
  size_t u = 0;
  size_t l = 0;
};

// Walks the slopes of all lines that can pass between two half hulls, smallest first, and names for
// each stretch of slopes the two vertices that bind, until `visit` returns false; the first begins
// at range.min, the last ends at range.max. A line of slope s has, between its support u on H(AB)
// and its support l on H(BA),
//     gap(s) = (y_u − y_l) − s · (x_u − x_l),   concave in s.
// As s grows u moves right and l moves left, so all supports are seen in O(h).
// Requires: both hulls non-empty, x strictly increasing; range.min ≤ range.max. Exact.
void WalkSlopes(const Hulls& hulls, SlopeRange range,
                const std::function<bool(const SlopeStretch&)>& visit);

// The supports of one slope: where H(AB) is lowest above, H(BA) highest below lines of slope s.
// Requires a non-empty hull. Cost O(log h).
size_t SupportOfUpper(const std::vector<Point>& upper, Slope s);
size_t SupportOfLower(const std::vector<Point>& lower, Slope s);

}  // namespace syncline
