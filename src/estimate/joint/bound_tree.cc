#include "estimate/joint/bound_tree.h"

#include <algorithm>
#include <memory>

#include "estimate/groups/shortest_paths.h"

namespace syncline {
namespace {

PathCost CostOf(const BoundedPair& pair) {
  const Bounds& bounds = pair.bounds;
  if (!bounds.upper || !bounds.lower) return {.incomplete = 1};
  constexpr int kParts = 64;
  const Int128 length = static_cast<Int128>(pair.last) - pair.first;
  double sum = 0;
  for (int i = 0; i <= kParts; ++i) {
    const auto x = static_cast<int64_t>(pair.first + length * i / kParts);
    sum += static_cast<double>(static_cast<Int128>(bounds.upper->Ceil(x)) - bounds.lower->Floor(x));
  }
  return {.weight = std::max(sum / kParts, 0.0)};
}

}  // namespace

std::vector<std::vector<TimeBounds::Step>> StepsToRoot(size_t clocks, size_t root,
                                                       std::span<const BoundedPair> pairs) {
  std::vector<Edge> edges;
  for (const BoundedPair& pair : pairs) edges.push_back({pair.a, pair.b, CostOf(pair)});
  const Graph graph(clocks, edges);
  std::vector<std::vector<TimeBounds::Step>> steps(clocks);
  for (const auto& [node, via, cost] : graph.TreeFrom(root)) {
    if (!via) continue;
    const BoundedPair& pair = pairs[*via];
    const bool is_forward = pair.a == node;
    const Bounds& bounds = pair.bounds;
    steps[node].push_back(std::make_shared<const Bounds>(is_forward ? bounds : bounds.Inverted()));
    const auto& rest = steps[is_forward ? pair.b : pair.a];
    steps[node].insert(steps[node].end(), rest.begin(), rest.end());
  }
  return steps;
}

}  // namespace syncline
