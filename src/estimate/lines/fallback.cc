#include "estimate/lines/fallback.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace syncline {
namespace {

constexpr size_t kMaxCandidates = 64;

// About `kMaxCandidates` points spread evenly over the hull, both ends among them.
std::vector<Point> ThinnedHull(const std::vector<Point>& hull) {
  if (hull.size() <= kMaxCandidates) return hull;
  std::vector<Point> thinned;
  for (size_t i = 0; i < kMaxCandidates; ++i) {
    thinned.push_back(hull[i * (hull.size() - 1) / (kMaxCandidates - 1)]);
  }
  return thinned;
}

// A hull point from an integer origin: e = y − x keeps its digits where slopes are near 1.
struct Deviation {
  long double x = 0;
  long double e = 0;
};

std::vector<Deviation> Deviations(const std::vector<Point>& hull, Point origin) {
  std::vector<Deviation> result;
  result.reserve(hull.size());
  for (const Point p : hull) {
    const int64_t x = p.x - origin.x;
    const int64_t y = p.y - origin.y;
    result.push_back(
        {static_cast<long double>(x), static_cast<long double>(static_cast<Int128>(y) - x)});
  }
  return result;
}

class WidestSearch {
 public:
  explicit WidestSearch(const Hulls& hulls)
      : origin_(hulls.upper.front()),
        upper_(Deviations(hulls.upper, origin_)),
        lower_(Deviations(hulls.lower, origin_)) {}

  void Try(const Line& line) {
    const long double sum = Violation(line);
    if (sum >= best_sum_) return;
    best_sum_ = sum;
    best_ = line;
  }
  bool found() const { return best_sum_ < std::numeric_limits<long double>::infinity(); }
  const Line& best() const { return best_; }

 private:
  // The sum of vertical distances to points on the wrong side; stops when it cannot be the best.
  long double Violation(const Line& line) const {
    const long double drift = line.slope.Drift();
    const Deviation at = Deviations({line.at}, origin_).front();
    const long double height = at.e - drift * at.x;
    long double sum = 0;
    for (const Deviation& p : upper_) sum += std::max(0.0L, height + drift * p.x - p.e);
    if (sum >= best_sum_) return sum;
    for (const Deviation& p : lower_) sum += std::max(0.0L, p.e - height - drift * p.x);
    return sum;
  }

  Point origin_;
  std::vector<Deviation> upper_;
  std::vector<Deviation> lower_;
  Line best_;
  long double best_sum_ = std::numeric_limits<long double>::infinity();
};

}  // namespace

FallbackLine FindFallbackLine(const Hulls& hulls, SlopeRange prior) {
  const std::vector<Point> upper = ThinnedHull(hulls.upper);
  const std::vector<Point> lower = ThinnedHull(hulls.lower);
  WidestSearch search(hulls);
  for (const Point u : upper) {
    for (const Point l : lower) {
      if (u.x == l.x) continue;
      const Slope s = SlopeOf(u, l);
      if (s >= prior.min && s <= prior.max) search.Try({u, s});
    }
  }
  if (!search.found()) {
    for (const std::vector<Point>* hull : {&upper, &lower}) {
      for (const Point p : *hull) {
        search.Try({p, prior.min});
        search.Try({p, prior.max});
      }
    }
  }
  const Violations violations = ViolationsOf(hulls, search.best());
  return {search.best(), violations.count, violations.worst_ns};
}

}  // namespace syncline
