#include "estimate/hulls/corridor.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace syncline {
namespace {

// The first vertex of a hull whose edge to the right does not satisfy `is_before`.
template <typename Predicate>
size_t FirstVertex(const std::vector<Point>& hull, Predicate is_before) {
  size_t low = 0;
  size_t high = hull.size() - 1;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (is_before(SlopeOf(hull[middle], hull[middle + 1]))) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// The part of a stretch of slopes where the gap is not negative, if any.
std::optional<SlopeRange> FeasiblePart(const SlopeStretch& stretch, Point u, Point l) {
  const int64_t width = u.x - l.x;
  SlopeRange part{stretch.from, stretch.to};
  if (width == 0) {
    if (u.y < l.y) return std::nullopt;
    return part;
  }
  const Slope tangent = SlopeOf(u, l);
  if (width > 0) {
    part.max = std::min(part.max, tangent);
  } else {
    part.min = std::max(part.min, tangent);
  }
  if (part.min > part.max) return std::nullopt;
  return part;
}

struct Contacts {
  SlopeRange slopes;
  size_t u_min, u_max;  // supports of slopes.min and slopes.max on H(AB)
  size_t l_min, l_max;  // the same on H(BA)
};

std::optional<Contacts> FindContacts(const Hulls& hulls, SlopeRange range) {
  std::optional<Contacts> contacts;
  WalkSlopes(hulls, range, [&](const SlopeStretch& stretch) {
    const auto part = FeasiblePart(stretch, hulls.upper[stretch.u], hulls.lower[stretch.l]);
    // The gap is concave: there is no second feasible stretch.
    if (!part) return !contacts.has_value();
    if (!contacts) contacts = {*part, stretch.u, stretch.u, stretch.l, stretch.l};
    contacts->slopes.max = part->max;
    contacts->u_max = stretch.u;
    contacts->l_max = stretch.l;
    return true;
  });
  return contacts;
}

BoundCurve CurveBetween(const std::vector<Point>& hull, size_t first, size_t last, Slope left,
                        Slope right) {
  const auto begin = hull.begin();
  return {left,
          std::vector<Point>(begin + static_cast<ptrdiff_t>(first),
                             begin + static_cast<ptrdiff_t>(last) + 1),
          right};
}

Corridor OneSided(const Hulls& hulls, SlopeRange prior) {
  Corridor corridor;
  corridor.state = Corridor::State::kOneSided;
  corridor.slopes = prior;
  if (!hulls.upper.empty()) {
    corridor.bounds.upper =
        CurveBetween(hulls.upper, SupportOfUpper(hulls.upper, prior.min),
                     SupportOfUpper(hulls.upper, prior.max), prior.min, prior.max);
  } else {
    corridor.bounds.lower =
        CurveBetween(hulls.lower, SupportOfLower(hulls.lower, prior.max),
                     SupportOfLower(hulls.lower, prior.min), prior.max, prior.min);
  }
  return corridor;
}

}  // namespace

size_t SupportOfUpper(const std::vector<Point>& upper, Slope s) {
  return FirstVertex(upper, [s](Slope edge) { return edge < s; });
}

size_t SupportOfLower(const std::vector<Point>& lower, Slope s) {
  return FirstVertex(lower, [s](Slope edge) { return edge > s; });
}

void WalkSlopes(const Hulls& hulls, SlopeRange range,
                const std::function<bool(const SlopeStretch&)>& visit) {
  const auto& [upper, lower] = hulls;
  SlopeStretch stretch{range.min, range.min, SupportOfUpper(upper, range.min),
                       SupportOfLower(lower, range.min)};
  auto& [from, to, u, l] = stretch;
  do {
    from = to;
    while (u + 1 < upper.size() && SlopeOf(upper[u], upper[u + 1]) <= from) ++u;
    while (l > 0 && SlopeOf(lower[l - 1], lower[l]) <= from) --l;
    to = range.max;
    if (u + 1 < upper.size()) to = std::min(to, SlopeOf(upper[u], upper[u + 1]));
    if (l > 0) to = std::min(to, SlopeOf(lower[l - 1], lower[l]));
  } while (visit(stretch) && to != range.max);
}

SlopeRange PriorRange(std::optional<double> max_drift_ppm) {
  constexpr int64_t kUnit = 1'000'000'000'000;  // of 10^-6 ppm
  constexpr int64_t kWide = int64_t{1} << 20;
  if (!max_drift_ppm || *max_drift_ppm >= 999'999) return {{1, kWide}, {kWide, 1}};
  SYNCLINE_CHECK(*max_drift_ppm >= 0);
  const auto drift = static_cast<int64_t>(std::ceil(*max_drift_ppm * 1e6));
  return {{kUnit - drift, kUnit}, {kUnit, kUnit - drift}};
}

Hulls ShiftedHulls(const PairPoints& points, MinDelays min_delays) {
  Hulls hulls{points.HullAToB(), points.HullBToA()};
  for (Point& p : hulls.upper) p.y -= min_delays.ab_ns;
  for (Point& p : hulls.lower) p.y += min_delays.ba_ns;
  return hulls;
}

Hulls WithReadings(Hulls hulls, int64_t reading_a_ns, int64_t reading_b_ns) {
  for (Point& p : hulls.upper) p.y += reading_b_ns;
  for (Point& p : hulls.lower) p.x += reading_a_ns;
  return hulls;
}

Corridor FindCorridor(const Hulls& hulls, SlopeRange prior) {
  Corridor corridor;
  if (hulls.upper.empty() && hulls.lower.empty()) return corridor;
  if (hulls.upper.empty() || hulls.lower.empty()) return OneSided(hulls, prior);
  const std::optional<Contacts> contacts = FindContacts(hulls, prior);
  if (!contacts) {
    corridor.state = FindContacts(hulls, PriorRange(std::nullopt)) ? Corridor::State::kEmptyByPrior
                                                                   : Corridor::State::kEmpty;
    return corridor;
  }
  const auto& [slopes, u_min, u_max, l_min, l_max] = *contacts;
  corridor.state = Corridor::State::kOpen;
  corridor.slopes = slopes;
  corridor.bounds.upper = CurveBetween(hulls.upper, u_min, u_max, slopes.min, slopes.max);
  corridor.bounds.lower = CurveBetween(hulls.lower, l_max, l_min, slopes.max, slopes.min);
  return corridor;
}

int64_t GapAt(const Hulls& hulls, Slope s) {
  const Point u = hulls.upper[SupportOfUpper(hulls.upper, s)];
  const Point l = hulls.lower[SupportOfLower(hulls.lower, s)];
  const Int128 width = static_cast<Int128>(u.x) - l.x;
  return Saturate(static_cast<Int128>(u.y) - l.y - CeilDiv(width * s.num, s.den));
}

Line PlaceLine(const Hulls& hulls, Slope s, Point wish) {
  Line line{wish, s};
  if (!hulls.lower.empty()) {
    const Point l = hulls.lower[SupportOfLower(hulls.lower, s)];
    if (line.Side(l) > 0) line.at = l;
  }
  if (!hulls.upper.empty()) {
    const Point u = hulls.upper[SupportOfUpper(hulls.upper, s)];
    if (line.Side(u) < 0) line.at = u;
  }
  return line;
}

Line MiddleLine(const Hulls& hulls, Slope s) {
  const Point u = hulls.upper[SupportOfUpper(hulls.upper, s)];
  return PlaceLine(hulls, s, {u.x, u.y - GapAt(hulls, s) / 2});
}

bool IsAdmissible(const Hulls& hulls, const Line& line) {
  return ViolationsOf(hulls, line).count == 0;
}

Violations ViolationsOf(const Hulls& hulls, const Line& line) {
  Violations violations;
  const auto count = [&](const std::vector<Point>& hull, int wrong_side) {
    for (const Point p : hull) {
      if (line.Side(p) != wrong_side) continue;
      ++violations.count;
      violations.worst_ns = std::max(violations.worst_ns, wrong_side * line.Residual(p));
    }
  };
  count(hulls.upper, -1);
  count(hulls.lower, 1);
  return violations;
}

}  // namespace syncline
