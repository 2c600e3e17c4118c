#include "estimate/widest.h"

#include <algorithm>
#include <vector>

namespace syncline {
namespace {

// What speaks for a slope: the length in time of a hull edge, times the messages behind the hull.
struct Candidate {
  Slope slope;
  double merit = 0;  // 0: there is no edge
};

Candidate MakeCandidate(Point p, Point q, const Foundation& foundation) {
  return {SlopeOf(p, q), static_cast<double>(q.x - p.x) * static_cast<double>(foundation.messages)};
}

Candidate EdgeOverCentroid(const std::vector<Point>& hull, const Foundation& foundation) {
  if (hull.size() < 2) return {};
  const auto after = std::find_if(hull.begin() + 1, hull.end() - 1,
                                  [&](const Point& p) { return p.x >= foundation.centroid_x; });
  return MakeCandidate(*std::prev(after), *after, foundation);
}

double MeritOf(const std::vector<Point>& hull, Slope slope, const Foundation& foundation) {
  for (size_t i = 1; i < hull.size(); ++i) {
    const Candidate edge = MakeCandidate(hull[i - 1], hull[i], foundation);
    if (edge.slope == slope) return edge.merit;
  }
  return 0;
}

Slope WellFounded(const Hulls& hulls, Slope widest, const Foundation& upper,
                  const Foundation& lower) {
  const double merit =
      std::max(MeritOf(hulls.upper, widest, upper), MeritOf(hulls.lower, widest, lower));
  const Candidate above = EdgeOverCentroid(hulls.upper, upper);
  const Candidate below = EdgeOverCentroid(hulls.lower, lower);
  const Candidate& best = below.merit > above.merit ? below : above;
  return best.merit > kMuchBetter * merit ? best.slope : widest;
}

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

Line WidestLine(const Hulls& hulls, SlopeRange admissible, Foundation upper, Foundation lower) {
  const Slope slope = WellFounded(hulls, WidestSlope(hulls, admissible), upper, lower);
  return MiddleLine(hulls, std::clamp(slope, admissible.min, admissible.max));
}

}  // namespace syncline
