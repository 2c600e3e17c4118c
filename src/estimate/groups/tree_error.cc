#include "estimate/groups/tree_error.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/parallel.h"
#include "estimate/groups/contradiction.h"
#include "estimate/groups/shortest_paths.h"

namespace syncline {
namespace {

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
    case Quality::kAbsent:
      cost.incomplete = 1;
      break;
  }
  return cost;
}

// Pairs with a clock that cannot be linear claim nothing.
std::vector<PairInput> WithoutDoubtfulClaims(std::span<const PairInput> pairs,
                                             std::span<const ClockInput> clocks,
                                             std::optional<ClockId> reference) {
  const std::vector<bool> is_blamed = ContradictedClocks(clocks.size(), pairs, reference);
  std::vector<PairInput> checked(pairs.begin(), pairs.end());
  for (PairInput& pair : checked) {
    if (!is_blamed[pair.a.index()] && !is_blamed[pair.b.index()]) continue;
    PairEstimate& estimate = pair.estimate;
    if (estimate.quality == Quality::kAccurate) {
      estimate.violations.worst_ns = CostOf(pair, clocks, TreeOptions::Weights::kError).weight;
      estimate.quality = Quality::kApproximate;
      estimate.reason = "no straight line fits its messages with a third clock";
    }
    estimate.bounds = {};
  }
  return checked;
}

// The pairs that have a line, as edges; `pair_of` names the pair behind each.
struct PairGraph {
  std::vector<Edge> edges;
  std::vector<size_t> pair_of;
};

PairGraph BuildGraph(std::span<const ClockInput> clocks, std::span<const PairInput> pairs,
                     TreeOptions::Weights weights) {
  PairGraph graph;
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (!pairs[i].estimate.line) continue;
    graph.edges.push_back(
        {pairs[i].a.index(), pairs[i].b.index(), CostOf(pairs[i], clocks, weights)});
    graph.pair_of.push_back(i);
  }
  return graph;
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

ClockEstimate Alone(const ClockInput& input) {
  ClockEstimate estimate = DescribeClock(input, Affine(), TimeBounds(), Quality::kAbsent);
  if (estimate.reason.empty()) estimate.reason = "no messages relate this clock to another";
  return estimate;
}

ClockEstimate Described(const ClockInput& input, const Path& path) {
  ClockEstimate estimate =
      DescribeClock(input, path.to_global, TimeBounds(input.clock, path.steps), path.quality);
  if (estimate.reason.empty()) estimate.reason = path.reason;
  estimate.parent = path.parent;
  return estimate;
}

}  // namespace

GroupEstimate EstimateTree(std::span<const ClockInput> clocks,
                           std::span<const PairInput> given_pairs, const TreeOptions& options) {
  SYNCLINE_CHECK(!options.reference || options.reference->index() < clocks.size());
  for (const PairInput& pair : given_pairs) {
    SYNCLINE_CHECK(pair.a.index() < clocks.size() && pair.b.index() < clocks.size());
  }
  const std::vector<PairInput> pairs =
      WithoutDoubtfulClaims(given_pairs, clocks, options.reference);
  const PairGraph pair_graph = BuildGraph(clocks, pairs, options.weights);
  const Graph graph(clocks.size(), pair_graph.edges);
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
      if (via) {
        const Edge& edge = pair_graph.edges[*via];
        const PairInput& pair = pairs[pair_graph.pair_of[*via]];
        paths[node] = Extended(pair, node, paths[edge.a == node ? edge.b : edge.a]);
      }
    }
    // The reference defines the time, whether or not anything relates to it.
    const bool is_alone = tree.size() == 1 && component > 0;
    ForEachParallel(tree.size(), [&](size_t i) {
      const size_t node = tree[i].node;
      ClockEstimate& estimate = group.clocks[node];
      estimate = is_alone ? Alone(clocks[node]) : Described(clocks[node], paths[node]);
      estimate.component = component;
    });
  }
  return group;
}

}  // namespace syncline
