#include "estimate/widest.h"

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

}  // namespace syncline
