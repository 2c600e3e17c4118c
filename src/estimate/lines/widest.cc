#include "estimate/lines/widest.h"

#include <algorithm>
#include <optional>

namespace syncline {
namespace {

Slope WidestSlope(const Hulls& hulls, SlopeRange admissible) {
  SlopeWalk walk(hulls, admissible);
  while (const std::optional<SlopeStretch> stretch = walk.Next()) {
    // The gap falls where x_u > x_l, and x_u − x_l grows from stretch to stretch.
    const Point u = hulls.upper[stretch->u];
    const Point l = hulls.lower[stretch->l];
    if (u.x < l.x) continue;
    if (u.x == l.x) return Middle(stretch->from, stretch->to);
    if (stretch->from > admissible.min) return stretch->from;
    break;
  }
  return Middle(admissible.min, admissible.max);
}

}  // namespace

Line WidestLine(const Hulls& hulls, SlopeRange admissible) {
  return MiddleLine(hulls, WidestSlope(hulls, admissible));
}

Line WidestLine(const Hulls& hulls, SlopeRange admissible, long double wish) {
  Slope wide = WidestSlope(hulls, admissible);
  const int64_t least_gap = GapAt(hulls, wide) / 2;
  const Slope wished =
      SlopeFromDrift(std::clamp(wish, -1000.0L, 1000.0L), admissible.min, admissible.max);
  if (GapAt(hulls, wished) >= least_gap) return MiddleLine(hulls, wished);
  // The gap is concave in the slope, so it falls all the way from the widest to the wished one.
  Slope narrow = wished;
  constexpr int kSteps = 40;
  for (int step = 0; step < kSteps; ++step) {
    const Slope middle = wide < narrow ? Middle(wide, narrow) : Middle(narrow, wide);
    (GapAt(hulls, middle) >= least_gap ? wide : narrow) = middle;
  }
  return MiddleLine(hulls, wide);
}

}  // namespace syncline
