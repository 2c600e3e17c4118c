#include "estimate/lines/hull_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "base/check.h"
#include "estimate/lines/line_fit.h"

namespace syncline {
namespace {

Slope WidestSlope(const Hulls& hulls, SlopeRange admissible) {
  Slope widest = Middle(admissible.min, admissible.max);
  WalkSlopes(hulls, admissible, [&](const SlopeStretch& stretch) {
    // The gap falls where x_u > x_l, and x_u − x_l grows from stretch to stretch.
    const Point u = hulls.upper[stretch.u];
    const Point l = hulls.lower[stretch.l];
    if (u.x < l.x) return true;
    if (u.x == l.x) {
      widest = Middle(stretch.from, stretch.to);
    } else if (stretch.from > admissible.min) {
      widest = stretch.from;
    }
    return false;
  });
  return widest;
}

// The angle of a slope 1 + drift, less 45°.
long double AngleFromDiagonal(long double drift) { return std::atan(drift / (2 + drift)); }

// tan(45° + angle) − 1.
long double DriftOfAngle(long double angle) {
  const long double t = std::tan(angle);
  return 2 * t / (1 - t);
}

// The slope nearest to 1 among those of lines that touch the hull at `x`: one on an edge, a range
// at a vertex.
Slope SlopeTouching(const std::vector<Point>& hull, int64_t x, bool is_upper) {
  const auto from = std::ranges::lower_bound(hull, x, {}, &Point::x);
  const auto after =
      std::upper_bound(from, hull.end(), x, [](int64_t v, const Point& p) { return v < p.x; });
  Slope s;  // 1
  if (from != hull.begin() && from != hull.end()) {
    const Slope left = SlopeOf(*std::prev(from), *from);
    s = is_upper ? std::max(s, left) : std::min(s, left);
  }
  if (after != hull.begin() && after != hull.end()) {
    const Slope right = SlopeOf(*std::prev(after), *after);
    s = is_upper ? std::min(s, right) : std::max(s, right);
  }
  return s;
}

// A hull point from an integer origin: e = y − x keeps its digits where slopes are near 1.
struct Deviation {
  long double x = 0;
  long double e = 0;
};

std::vector<Deviation> Deviations(const std::vector<Point>& points, Point origin) {
  std::vector<Deviation> result;
  for (const Point p : points) {
    const int64_t x = p.x - origin.x;
    const int64_t y = p.y - origin.y;
    result.push_back({static_cast<long double>(x), static_cast<long double>(Minus(y, x))});
  }
  return result;
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

Line BisectorLine(const Hulls& hulls, SlopeRange admissible) {
  const long double drift_min = admissible.min.Drift();
  const long double drift_max = admissible.max.Drift();
  const long double drift =
      DriftOfAngle((AngleFromDiagonal(drift_min) + AngleFromDiagonal(drift_max)) / 2);
  const Slope slope = std::fabs(drift) <= 1000
                          ? SlopeFromDrift(drift, admissible.min, admissible.max)
                          : Middle(admissible.min, admissible.max);
  // Heights at the middle of the hulls' common stretch: α_min, α_max of the two lines there.
  const Line line_min = MiddleLine(hulls, admissible.min);
  const Line line_max = MiddleLine(hulls, admissible.max);
  const int64_t x0 = line_min.at.x / 2 + line_max.at.x / 2;
  const int64_t alpha_min = line_min.Nearest(x0);
  const int64_t alpha_max = line_max.Nearest(x0);
  if (admissible.min == admissible.max) return PlaceLine(hulls, slope, {x0, alpha_min});
  // Through the intersection: the way from line_min to line_max is shared out alike for the height
  // everywhere and for the slope. Haddad's form of (β − β_min) / (β_max − β_min).
  const long double beta = 1 + drift;
  const long double share = (beta * beta + 1) / (beta * (1 + drift_max) + 1) / 2;
  const long double climb = share * static_cast<long double>(alpha_max - alpha_min);
  return PlaceLine(hulls, slope, {x0, alpha_min + std::llround(climb)});
}

Line LeastDelayLine(const Hulls& hulls, int64_t centroid_x, SlopeRange prior) {
  SYNCLINE_CHECK(hulls.upper.empty() != hulls.lower.empty());
  const bool is_upper = hulls.lower.empty();
  const std::vector<Point>& hull = is_upper ? hulls.upper : hulls.lower;
  const Slope s = std::clamp(SlopeTouching(hull, centroid_x, is_upper), prior.min, prior.max);
  return {hull[is_upper ? SupportOfUpper(hull, s) : SupportOfLower(hull, s)], s};
}

Line FallbackLine(const Hulls& hulls, SlopeRange prior) {
  const Point origin = hulls.upper.front();
  const std::vector<Deviation> above = Deviations(hulls.upper, origin);
  const std::vector<Deviation> below = Deviations(hulls.lower, origin);
  long double least = std::numeric_limits<long double>::infinity();
  std::optional<Line> best;
  const auto consider = [&](Point at, Slope slope) {
    const long double drift = slope.Drift();
    const Deviation through = Deviations({at}, origin).front();
    const long double height = through.e - drift * through.x;
    long double sum = 0;  // of vertical distances to points on the wrong side
    for (const Deviation& p : above) sum += std::max(0.0L, height + drift * p.x - p.e);
    if (sum >= least) return;
    for (const Deviation& p : below) sum += std::max(0.0L, p.e - height - drift * p.x);
    if (sum >= least) return;
    least = sum;
    best = {at, slope};
  };
  constexpr size_t kHullPoints = 64;
  const std::vector<Point> upper = Thinned(hulls.upper, kHullPoints);
  const std::vector<Point> lower = Thinned(hulls.lower, kHullPoints);
  for (const Point u : upper) {
    for (const Point l : lower) {
      if (u.x == l.x) continue;
      const Slope s = SlopeOf(u, l);
      if (s >= prior.min && s <= prior.max) consider(u, s);
    }
  }
  if (best) return *best;
  for (const std::vector<Point>* hull : {&upper, &lower}) {
    for (const Point p : *hull) {
      consider(p, prior.min);
      consider(p, prior.max);
    }
  }
  return best.value_or(Line{});
}

}  // namespace syncline
