#include "estimate/groups/shortest_paths.h"

#include <algorithm>
#include <queue>
#include <tuple>

#include "base/check.h"

namespace syncline {

Graph::Graph(size_t nodes, std::span<const Edge> edges) : links_(nodes) {
  for (size_t i = 0; i < edges.size(); ++i) {
    const Edge& edge = edges[i];
    SYNCLINE_CHECK(edge.a < nodes && edge.b < nodes && edge.a != edge.b);
    links_[edge.a].push_back({edge.b, i, edge.cost});
    links_[edge.b].push_back({edge.a, i, edge.cost});
  }
}

std::vector<Graph::Reached> Graph::TreeFrom(size_t root) const {
  const auto is_later = [](const Reached& a, const Reached& b) {
    return std::tie(a.cost, a.node, a.via) > std::tie(b.cost, b.node, b.via);
  };
  std::priority_queue<Reached, std::vector<Reached>, decltype(is_later)> queue(is_later);
  std::vector<Reached> tree;
  std::vector<bool> is_done(links_.size());
  std::vector<std::optional<Reached>> best(links_.size());  // of what waits
  queue.push({root, std::nullopt, {}});
  while (!queue.empty()) {
    const Reached next = queue.top();
    queue.pop();
    if (is_done[next.node]) continue;
    is_done[next.node] = true;
    tree.push_back(next);
    for (const Link& link : links_[next.node]) {
      if (is_done[link.to]) continue;
      const Reached reached{link.to, link.edge, next.cost + link.cost};
      std::optional<Reached>& before = best[link.to];
      if (before && !is_later(*before, reached)) continue;
      before = reached;
      queue.push(reached);
    }
  }
  return tree;
}

size_t Graph::Center(size_t node) const {
  std::vector<size_t> members;
  for (const Reached& reached : TreeFrom(node)) members.push_back(reached.node);
  std::ranges::sort(members);
  size_t center = node;
  std::optional<PathCost> least;
  for (const size_t root : members) {
    PathCost sum;
    for (const Reached& reached : TreeFrom(root)) sum = sum + reached.cost;
    if (least && !(sum < *least)) continue;
    least = sum;
    center = root;
  }
  return center;
}

std::vector<size_t> ChooseRoots(const Graph& graph, size_t nodes, std::optional<size_t> reference) {
  std::vector<size_t> roots;
  std::vector<bool> is_seen(nodes);
  size_t first = 0;
  size_t largest = 0;
  for (size_t node = 0; node < nodes; ++node) {
    if (is_seen[node]) continue;
    const std::vector<Graph::Reached> members = graph.TreeFrom(node);
    bool has_reference = false;
    for (const Graph::Reached& member : members) {
      is_seen[member.node] = true;
      has_reference |= reference && *reference == member.node;
    }
    if (has_reference || (!reference && members.size() > largest)) {
      first = roots.size();
      largest = members.size();
    }
    roots.push_back(has_reference ? *reference : graph.Center(node));
  }
  if (!roots.empty()) {
    std::rotate(roots.begin(), roots.begin() + static_cast<ptrdiff_t>(first),
                roots.begin() + static_cast<ptrdiff_t>(first) + 1);
  }
  return roots;
}

}  // namespace syncline
