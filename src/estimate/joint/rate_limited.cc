#include "estimate/joint/rate_limited.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "estimate/groups/shortest_paths.h"
#include "estimate/hulls/corridor.h"
#include "estimate/joint/rate_bounds.h"

namespace syncline {
namespace {

// Of a pair; fewer where many clocks make ways to the root long.
constexpr size_t kMostBins = 8192;
constexpr size_t kBinsTimesClocks = size_t{1} << 16;
constexpr double kReserve = 1.25;

// The difference of the fastest and the slowest rate of all segments, in ppm.
double SpreadPpm(const PiecewiseProblem& problem) {
  long double least = 0;
  long double most = 0;
  for (const KnottedClock& clock : problem.knotted) {
    for (size_t s = 0; s + 1 < clock.knots.size(); ++s) {
      const long double drift = clock.SegmentLine(s).slope.Drift();
      least = std::min(least, drift);
      most = std::max(most, drift);
    }
  }
  return static_cast<double>((most - least) * 1e6L);
}

using PairBounds = std::vector<std::optional<Bounds>>;

// Bounds of every pair; none where one pair's contradict each other.
Result<std::optional<PairBounds>> BoundPairs(const PiecewiseProblem& problem, size_t clocks,
                                             double limit_ppm, const MessagePass& messages) {
  const SlopeRange slopes = PriorRange(limit_ppm);
  std::vector<RateBounds> pairs;
  for (const PiecewisePair& pair : problem.pairs) {
    const int64_t first = problem.knotted[pair.a].knots.front().x;
    const int64_t last = problem.knotted[pair.a].knots.back().x;
    const size_t bins = std::clamp<size_t>(kBinsTimesClocks / problem.clocks.size(), 16, kMostBins);
    const auto length = static_cast<uint64_t>(last - first);
    pairs.emplace_back(first, last, std::min<uint64_t>(bins, length), slopes);
  }
  MessagePlaces places(problem, clocks);
  auto ok = messages([&](const RecordedMessage& recorded) {
    const auto message = places.Of(recorded);
    if (!message) return;
    RateBounds& pair = pairs[message->pair];
    message->is_a_to_b ? pair.AddAToB(message->earlier_ns, message->later_ns)
                       : pair.AddBToA(message->earlier_ns, message->later_ns);
  });
  if (!ok) return tl::unexpected(ok.error());
  PairBounds all;
  for (const RateBounds& pair : pairs) {
    all.push_back(pair.Find());
    if (!all.back()) return std::nullopt;
  }
  return all;
}

PathCost CostOf(const Bounds& bounds, const KnottedClock& a) {
  if (!bounds.upper || !bounds.lower) return {.incomplete = 1};
  constexpr int kParts = 64;
  const Int128 length = static_cast<Int128>(a.knots.back().x) - a.knots.front().x;
  double sum = 0;
  for (int i = 0; i <= kParts; ++i) {
    const auto x = static_cast<int64_t>(a.knots.front().x + length * i / kParts);
    sum += static_cast<double>(static_cast<Int128>(bounds.upper->Ceil(x)) - bounds.lower->Floor(x));
  }
  return {.weight = std::max(sum / kParts, 0.0)};
}

std::vector<TimeBounds> Composed(std::span<const ClockInput> clocks,
                                 const PiecewiseProblem& problem, size_t root,
                                 const PairBounds& pairs) {
  std::vector<Edge> edges;
  for (size_t p = 0; p < pairs.size(); ++p) {
    const auto& [a, b, delays] = problem.pairs[p];
    edges.push_back({a, b, CostOf(*pairs[p], problem.knotted[a])});
  }
  const Graph graph(problem.clocks.size(), edges);
  std::vector<std::vector<TimeBounds::Step>> steps(problem.clocks.size());
  std::vector<TimeBounds> bounds(problem.clocks.size());
  for (const auto& [place, via, cost] : graph.TreeFrom(root)) {
    if (via) {
      const bool is_forward = edges[*via].a == place;
      const Bounds& pair = *pairs[*via];
      steps[place].push_back(std::make_shared<const Bounds>(is_forward ? pair : pair.Inverted()));
      const auto& rest = steps[is_forward ? edges[*via].b : edges[*via].a];
      steps[place].insert(steps[place].end(), rest.begin(), rest.end());
    }
    bounds[place] = TimeBounds(clocks[problem.clocks[place]].clock, steps[place]);
  }
  return bounds;
}

}  // namespace

Result<std::optional<RateLimitedBounds>> FindRateLimitedBounds(std::span<const ClockInput> clocks,
                                                               const PiecewiseProblem& given,
                                                               size_t root,
                                                               std::optional<double> prior_ppm,
                                                               const MessagePass& messages) {
  PiecewiseProblem problem = given;
  for (size_t i = 0; i < problem.clocks.size(); ++i) {
    problem.readings_ns[i] = clocks[problem.clocks[i]].clock.reading_ns;
  }
  const double least = kReserve * SpreadPpm(problem);
  for (const double limit_ppm : {prior_ppm.value_or(0), 1e3, 1e4, 1e5}) {
    if (limit_ppm < least || limit_ppm < prior_ppm.value_or(0)) continue;
    auto pairs = BoundPairs(problem, clocks.size(), limit_ppm, messages);
    if (!pairs) return tl::unexpected(pairs.error());
    if (!*pairs) continue;
    return RateLimitedBounds{limit_ppm, Composed(clocks, problem, root, **pairs)};
  }
  return std::nullopt;
}

}  // namespace syncline
