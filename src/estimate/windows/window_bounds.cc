#include "estimate/windows/window_bounds.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/int128.h"
#include "estimate/hulls/corridor.h"
#include "estimate/joint/bound_tree.h"
#include "estimate/joint/rate_bounds.h"

namespace syncline {
namespace {

constexpr int64_t kBinsPerPart = 4;
constexpr double kReserve = 1.25;

double LargestBendPpm(const WindowProblem& problem, const std::vector<bool>& was_set) {
  long double largest = 0;
  for (size_t i = 0; i < problem.knotted.size(); ++i) {
    if (was_set[i]) continue;
    const KnottedClock& clock = problem.knotted[i];
    for (size_t s = 0; s + 2 < clock.knots.size(); ++s) {
      const long double bend =
          clock.SegmentLine(s + 1).slope.Drift() - clock.SegmentLine(s).slope.Drift();
      largest = std::max(largest, std::fabs(bend));
    }
  }
  return static_cast<double>(largest * 1e6L);
}

// One bound per pair, in corrected times; nothing of pairs whose clocks hardly overlap the trace.
class PairBounds {
 public:
  PairBounds(std::span<const ClockInput> clocks, const WindowProblem& problem,
             const std::vector<bool>& was_set, double limit_ppm)
      : clocks_(clocks), problem_(problem), was_set_(was_set) {
    for (const PiecewisePair& pair : problem.pairs) {
      const KnottedClock& a = problem.knotted[pair.a];
      const int64_t first = a.knots.front().y;
      const int64_t last = a.knots.back().y;
      const int64_t bins = std::max<int64_t>((last - first) / problem.part_ns, 4) * kBinsPerPart;
      pairs_.emplace_back(first, last, std::min(bins, last - first), PriorRange(limit_ppm));
    }
    for (const WindowCell& cell : problem.cells) {
      if (was_set[cell.earlier] || was_set[cell.later]) continue;
      for (const Point vertex : cell.vertices) Add(cell, vertex);
    }
  }

  std::optional<std::vector<BoundedPair>> Find() const {
    std::vector<BoundedPair> found;
    for (size_t p = 0; p < pairs_.size(); ++p) {
      const auto& [a, b, delays] = problem_.pairs[p];
      if (was_set_[a] || was_set_[b]) continue;
      std::optional<Bounds> bounds = pairs_[p].Find();
      if (!bounds) return std::nullopt;
      const KnottedClock& clock = problem_.knotted[a];
      found.push_back({a, b, *std::move(bounds), clock.knots.front().y, clock.knots.back().y});
    }
    return found;
  }

 private:
  // Corrected times are rounded to nanoseconds, so bounds give way by one each.
  void Add(const WindowCell& cell, Point vertex) {
    KnotTime later = problem_.Later(cell, vertex);
    const int64_t reading_ns = clocks_[problem_.clocks[cell.later]].clock.reading_ns;
    later.ns = Saturate(static_cast<Int128>(later.ns) + reading_ns);
    const int64_t sent = problem_.GlobalAt(problem_.Earlier(cell, vertex));
    const int64_t received = problem_.GlobalAt(later);
    RateBounds& pair = pairs_[cell.pair];
    if (cell.is_a_to_b) {
      pair.AddAToB(sent, Saturate(Int128{received} + 2));
    } else {
      pair.AddBToA(Saturate(Int128{sent} - 2), received);
    }
  }

  std::span<const ClockInput> clocks_;
  const WindowProblem& problem_;
  const std::vector<bool>& was_set_;
  std::vector<RateBounds> pairs_;
};

// A clock's own correction as the first step on the way to the root.
TimeBounds::Step StepOf(const Clock& clock, const Correction& correction) {
  const auto curve = [&](int64_t give_ns) {
    std::vector<Point> points;
    for (const Correction::Knot& knot : correction.knots()) {
      const Point p{clock.NominalNs(knot.local), Saturate(Int128{knot.global.ns} + give_ns)};
      if (points.empty() || (p.x > points.back().x && p.y > points.back().y)) points.push_back(p);
    }
    const size_t n = points.size();
    if (n < 2) return BoundCurve({}, std::move(points), {});
    const Slope left = SlopeOf(points[0], points[1]);
    const Slope right = SlopeOf(points[n - 2], points[n - 1]);
    return BoundCurve(left, std::move(points), right);
  };
  return std::make_shared<const Bounds>(Bounds{.upper = curve(1), .lower = curve(-1)});
}

}  // namespace

std::optional<WindowBounds> FindWindowBounds(std::span<const ClockInput> clocks,
                                             const WindowProblem& problem,
                                             std::span<const Correction> corrections,
                                             const std::vector<bool>& was_set) {
  const double least = kReserve * LargestBendPpm(problem, was_set);
  for (const double limit_ppm :
       {0.1, 0.2, 0.5, 1e0, 2e0, 5e0, 1e1, 2e1, 5e1, 1e2, 2e2, 5e2, 1e3, 1e4, 1e5}) {
    if (limit_ppm < least) continue;
    const auto pairs = PairBounds(clocks, problem, was_set, limit_ppm).Find();
    if (!pairs) continue;
    auto steps = StepsToRoot(problem.clocks.size(), 0, *pairs);
    WindowBounds found{.rate_error_ppm = limit_ppm};
    for (size_t i = 0; i < steps.size(); ++i) {
      const Clock& clock = clocks[problem.clocks[i]].clock;
      if (i > 0 && steps[i].empty()) {
        found.bounds.emplace_back();
        continue;
      }
      if (i > 0) steps[i].insert(steps[i].begin(), StepOf(clock, corrections[i]));
      found.bounds.emplace_back(clock, std::move(steps[i]));
    }
    return found;
  }
  return std::nullopt;
}

}  // namespace syncline
