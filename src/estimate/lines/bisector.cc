#include "estimate/lines/bisector.h"

#include <cmath>

namespace syncline {
namespace {

// The angle of a slope 1 + drift, less 45°.
long double AngleFromDiagonal(long double drift) { return std::atan(drift / (2 + drift)); }

// tan(45° + angle) − 1.
long double DriftOfAngle(long double angle) {
  const long double t = std::tan(angle);
  return 2 * t / (1 - t);
}

}  // namespace

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

}  // namespace syncline
