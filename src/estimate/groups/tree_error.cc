#include "estimate/groups/tree_error.h"

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/parallel.h"
#include "estimate/groups/shortest_paths.h"

namespace syncline {
namespace {

// Of one clock's pairs with messages in both directions.
struct Tally {
  uint64_t contradicting = 0;
  uint64_t open = 0;  // contradicting and not yet explained
  uint64_t all = 0;
};

// A blamed clock that only one pair speaks against, besides those that other blamed clocks explain,
// is no more to blame than its partner.
std::vector<bool> WithEquallyToBlame(const std::vector<bool>& is_blamed,
                                     std::span<const PairInput> pairs) {
  std::vector<size_t> private_pairs(is_blamed.size());
  std::vector<std::pair<size_t, size_t>> blamed_and_partner;
  for (const PairInput& pair : pairs) {
    const size_t a = pair.a.index(), b = pair.b.index();
    if (pair.estimate.quality != Quality::kApproximate || is_blamed[a] == is_blamed[b]) continue;
    blamed_and_partner.emplace_back(is_blamed[a] ? std::pair(a, b) : std::pair(b, a));
    ++private_pairs[blamed_and_partner.back().first];
  }
  std::vector<bool> all = is_blamed;
  for (const auto& [blamed, partner] : blamed_and_partner) {
    if (private_pairs[blamed] == 1) all[partner] = true;
  }
  return all;
}

// The mean of (U − L)/2 over the nominal times of a clock's traced interval.
double MeanHalfWidth(const Bounds& bounds, const ClockInput& input) {
  constexpr int kParts = 64;
  const Int128 first = input.clock.NominalNs(input.first);
  const Int128 length = input.clock.NominalNs(input.last) - first;
  double sum = 0;
  for (int i = 0; i <= kParts; ++i) {
    const auto x = static_cast<int64_t>(first + length * i / kParts);
    const Int128 width = static_cast<Int128>(bounds.upper->Ceil(x)) - bounds.lower->Floor(x);
    sum += static_cast<double>(width) / 2 * (i == 0 || i == kParts ? 0.5 : 1.0);
  }
  return sum / kParts;
}

PathCost CostOf(const PairInput& pair, std::span<const ClockInput> clocks,
                TreeOptions::Weights weights) {
  const PairEstimate& estimate = pair.estimate;
  PathCost cost{.weight = 1};
  switch (estimate.quality) {
    case Quality::kAccurate:
      if (weights == TreeOptions::Weights::kError) {
        cost.weight = (MeanHalfWidth(estimate.bounds, clocks[pair.a.index()]) +
                       MeanHalfWidth(estimate.bounds.Inverted(), clocks[pair.b.index()])) /
                      2;
      }
      break;
    case Quality::kApproximate:
      cost.approximate = 1;
      if (weights == TreeOptions::Weights::kError) cost.weight = estimate.violations.worst_ns;
      break;
    case Quality::kIncomplete:
    case Quality::kAbsent: cost.incomplete = 1; break;
  }
  return cost;
}

// The pairs that have a line; those with a clock that cannot be linear claim nothing.
std::vector<PairInput> UsablePairs(std::span<const PairInput> pairs,
                                   std::span<const ClockInput> clocks,
                                   std::optional<ClockId> reference) {
  const std::vector<bool> is_blamed = ContradictedClocks(clocks.size(), pairs, reference);
  std::vector<PairInput> usable;
  for (const PairInput& given : pairs) {
    if (!given.estimate.line) continue;
    PairInput& pair = usable.emplace_back(given);
    if (!is_blamed[pair.a.index()] && !is_blamed[pair.b.index()]) continue;
    PairEstimate& estimate = pair.estimate;
    if (estimate.quality == Quality::kAccurate) {
      estimate.violations.worst_ns = CostOf(pair, clocks, TreeOptions::Weights::kError).weight;
      estimate.quality = Quality::kApproximate;
      estimate.reason = "no straight line fits its messages with a third clock";
    }
    estimate.bounds = {};
  }
  return usable;
}

// How a clock reaches its root.
struct Path {
  Quality quality = Quality::kAccurate;
  std::string reason;
  Affine to_global;
  std::vector<TimeBounds::Step> steps;
  std::optional<ClockId> parent;
};

// The path of the clock `child` on one side of `pair`, given that of the clock on its other side.
Path Extended(const PairInput& pair, size_t child, const Path& rest) {
  const bool is_forward = pair.a.index() == child;
  const PairEstimate& estimate = pair.estimate;
  const Line line = is_forward ? *estimate.line : estimate.line->Inverted();
  Bounds bounds;
  if (estimate.quality != Quality::kApproximate) {
    bounds = is_forward ? estimate.bounds : estimate.bounds.Inverted();
  }
  Path path;
  path.quality = std::max(estimate.quality, rest.quality);
  const bool is_nearer_reason = estimate.quality >= rest.quality && !estimate.reason.empty();
  path.reason = is_nearer_reason ? estimate.reason : rest.reason;
  path.to_global = Affine(line).Then(rest.to_global);
  path.steps.push_back(std::make_shared<const Bounds>(std::move(bounds)));
  path.steps.insert(path.steps.end(), rest.steps.begin(), rest.steps.end());
  path.parent = is_forward ? pair.b : pair.a;
  return path;
}

}  // namespace

std::vector<bool> ContradictedClocks(size_t clocks, std::span<const PairInput> pairs,
                                     std::optional<ClockId> reference) {
  std::vector<bool> is_blamed(clocks);
  for (;;) {
    std::vector<Tally> tallies(clocks);
    for (const PairInput& pair : pairs) {
      const Quality quality = pair.estimate.quality;
      if (quality != Quality::kAccurate && quality != Quality::kApproximate) continue;
      const bool contradicts = quality == Quality::kApproximate;
      const bool is_open = contradicts && !is_blamed[pair.a.index()] && !is_blamed[pair.b.index()];
      for (const ClockId clock : {pair.a, pair.b}) {
        Tally& tally = tallies[clock.index()];
        ++tally.all;
        tally.contradicting += contradicts ? 1 : 0;
        tally.open += is_open ? 1 : 0;
      }
    }
    const auto blame_of = [&](size_t i) {
      const Tally& t = tallies[i];
      const double share =
          t.all == 0 ? 0 : static_cast<double>(t.contradicting) / static_cast<double>(t.all);
      return std::tuple(t.open, share, !(reference && reference->index() == i), i);
    };
    size_t worst = 0;
    for (size_t i = 1; i < clocks; ++i) {
      if (blame_of(i) > blame_of(worst)) worst = i;
    }
    if (clocks == 0 || tallies[worst].open == 0) return WithEquallyToBlame(is_blamed, pairs);
    is_blamed[worst] = true;
  }
}

GroupEstimate EstimateTree(std::span<const ClockInput> clocks,
                           std::span<const PairInput> given_pairs, const TreeOptions& options) {
  SYNCLINE_CHECK(!options.reference || options.reference->index() < clocks.size());
  for (const PairInput& pair : given_pairs) {
    SYNCLINE_CHECK(pair.a.index() < clocks.size() && pair.b.index() < clocks.size());
  }
  const std::vector<PairInput> pairs = UsablePairs(given_pairs, clocks, options.reference);
  std::vector<Edge> edges;
  for (const PairInput& pair : pairs) {
    edges.push_back({pair.a.index(), pair.b.index(), CostOf(pair, clocks, options.weights)});
  }
  const Graph graph(clocks.size(), edges);
  std::optional<size_t> reference;
  if (options.reference) reference = options.reference->index();
  const std::vector<size_t> roots = ChooseRoots(graph, clocks.size(), reference);

  std::vector<Path> paths(clocks.size());
  GroupEstimate group;
  group.clocks.resize(clocks.size());
  for (size_t component = 0; component < roots.size(); ++component) {
    group.roots.emplace_back(static_cast<uint32_t>(roots[component]));
    const std::vector<Graph::Reached> tree = graph.TreeFrom(roots[component]);
    for (const auto& [node, via, cost] : tree) {
      if (!via) continue;
      const Edge& edge = edges[*via];
      paths[node] = Extended(pairs[*via], node, paths[edge.a == node ? edge.b : edge.a]);
    }
    // The reference defines the time, whether or not anything relates to it.
    if (tree.size() == 1 && component > 0) {
      paths[tree[0].node] = {.quality = Quality::kAbsent,
                             .reason = "no messages relate this clock to another"};
    }
    ForEachParallel(tree.size(), [&](size_t i) {
      const size_t node = tree[i].node;
      const Path& path = paths[node];
      TimeBounds bounds = path.quality == Quality::kAbsent
                              ? TimeBounds()
                              : TimeBounds(clocks[node].clock, path.steps);
      ClockEstimate& estimate = group.clocks[node];
      const bool is_measured = options.measures_bounds || !path.parent;
      estimate = DescribeClock(clocks[node], path.to_global, is_measured ? bounds : TimeBounds(),
                               path.quality, path.reason);
      if (estimate.quality != Quality::kAbsent) estimate.bounds = std::move(bounds);
      estimate.parent = path.parent;
      estimate.component = component;
    });
  }
  return group;
}

}  // namespace syncline
