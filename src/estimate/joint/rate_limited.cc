#include "estimate/joint/rate_limited.h"

#include <algorithm>
#include <utility>

#include "estimate/hulls/corridor.h"
#include "estimate/joint/bound_tree.h"
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

std::vector<TimeBounds> Composed(std::span<const ClockInput> clocks,
                                 const PiecewiseProblem& problem, size_t root,
                                 const PairBounds& pairs) {
  std::vector<BoundedPair> bounded;
  for (size_t p = 0; p < pairs.size(); ++p) {
    const auto& [a, b, delays] = problem.pairs[p];
    const KnottedClock& clock = problem.knotted[a];
    bounded.push_back({a, b, *pairs[p], clock.knots.front().x, clock.knots.back().x});
  }
  const auto steps = StepsToRoot(problem.clocks.size(), root, bounded);
  std::vector<TimeBounds> bounds;
  for (size_t i = 0; i < steps.size(); ++i) {
    bounds.emplace_back(clocks[problem.clocks[i]].clock, steps[i]);
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
