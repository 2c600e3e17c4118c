// Shortest paths in the graph of pairs, for the tree methods.
//
// Cost: O(p log n) per root for p edges. Deterministic: ties go to the lower clock, then the
// earlier edge. Tested by: src/estimate/groups/shortest_paths_test.cc.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace syncline {

// Compared from top to bottom: one incomplete edge outweighs any number of others.
struct PathCost {
  uint32_t incomplete = 0;
  uint32_t approximate = 0;
  double weight = 0;

  friend auto operator<=>(const PathCost&, const PathCost&) = default;
  friend PathCost operator+(PathCost a, PathCost b) {
    return {a.incomplete + b.incomplete, a.approximate + b.approximate, a.weight + b.weight};
  }
};

struct Edge {
  size_t a = 0;
  size_t b = 0;
  PathCost cost;  // ≥ 0, finite
};

// An undirected graph of nodes 0 … n − 1.
class Graph {
 public:
  Graph(size_t nodes, std::span<const Edge> edges);

  struct Reached {
    size_t node = 0;
    std::optional<size_t> via;  // the edge towards the root; none for the root
    PathCost cost;
  };
  // All nodes connected to `root`, nearest first, so that parents precede their children.
  std::vector<Reached> TreeFrom(size_t root) const;
  // Of the nodes connected to `node`, the one with the least sum of path costs to all of them.
  size_t Center(size_t node) const;

 private:
  struct Link {
    size_t to = 0;
    size_t edge = 0;
    PathCost cost;
  };
  std::vector<std::vector<Link>> links_;
};

// One root per component of the graph of `nodes`: the reference, else the center. The reference's
// component comes first, without one the largest, then the others by their first node.
std::vector<size_t> ChooseRoots(const Graph& graph, size_t nodes, std::optional<size_t> reference);

}  // namespace syncline
