#include "estimate/groups/shortest_paths.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncline {
namespace {

using ::testing::ElementsAre;

std::vector<size_t> Nodes(const std::vector<Graph::Reached>& tree) {
  std::vector<size_t> nodes;
  nodes.reserve(tree.size());
  for (const Graph::Reached& reached : tree) nodes.push_back(reached.node);
  return nodes;
}

TEST(Graph, TakesTheCheaperDetour) {
  const std::vector<Edge> edges = {{0, 1, {0, 0, 10}}, {0, 2, {0, 0, 3}}, {2, 1, {0, 0, 4}}};
  const auto tree = Graph(3, edges).TreeFrom(0);
  EXPECT_THAT(Nodes(tree), ElementsAre(0, 2, 1));
  EXPECT_EQ(tree[2].via, 2u);
  EXPECT_EQ(tree[2].cost.weight, 3 + 4);
}

TEST(Graph, AnyNumberOfBetterEdgesIsCheaperThanOneIncomplete) {
  const std::vector<Edge> edges = {
      {0, 1, {1, 0, 0}}, {0, 2, {0, 0, 1e12}}, {2, 3, {0, 1, 1e12}}, {3, 1, {0, 1, 1e12}}};
  const auto tree = Graph(4, edges).TreeFrom(0);
  EXPECT_THAT(Nodes(tree), ElementsAre(0, 2, 3, 1));
}

TEST(Graph, TiesGoToTheEarlierEdge) {
  const std::vector<Edge> edges = {{0, 1, {0, 0, 5}}, {1, 0, {0, 0, 5}}};
  EXPECT_EQ(Graph(2, edges).TreeFrom(0)[1].via, 0u);
}

TEST(Graph, CenterHasTheLeastSumAndIsTheFirstAmongEquals) {
  const std::vector<Edge> star = {{3, 0, {0, 0, 1}}, {3, 1, {0, 0, 1}}, {3, 2, {0, 0, 1}}};
  EXPECT_EQ(Graph(5, star).Center(0), 3u);
  const std::vector<Edge> ring = {{0, 1, {0, 0, 1}}, {1, 2, {0, 0, 1}}, {2, 0, {0, 0, 1}}};
  EXPECT_EQ(Graph(3, ring).Center(2), 0u);
  EXPECT_EQ(Graph(5, star).Center(4), 4u);  // alone
}

TEST(Graph, MatchesFloydWarshall) {
  for (uint32_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const size_t n = 2 + seed % 9;
    std::vector<Edge> edges;
    std::vector<std::vector<std::optional<PathCost>>> best(n, {n, std::nullopt});
    for (size_t i = 0; i < n; ++i) best[i][i] = PathCost{};
    for (size_t i = 0; i < 2 * n; ++i) {
      const size_t a = random() % n;
      const size_t b = random() % n;
      if (a == b) continue;
      const PathCost cost{static_cast<uint32_t>(random() % 2), static_cast<uint32_t>(random() % 2),
                          static_cast<double>(random() % 10)};
      edges.push_back({a, b, cost});
      if (!best[a][b] || cost < *best[a][b]) best[a][b] = best[b][a] = cost;
    }
    for (size_t k = 0; k < n; ++k) {
      for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) {
          if (!best[i][k] || !best[k][j]) continue;
          const PathCost through = *best[i][k] + *best[k][j];
          if (!best[i][j] || through < *best[i][j]) best[i][j] = through;
        }
      }
    }
    for (size_t root = 0; root < n; ++root) {
      const auto tree = Graph(n, edges).TreeFrom(root);
      for (const Graph::Reached& reached : tree) {
        EXPECT_TRUE(best[root][reached.node] == reached.cost);
      }
      EXPECT_EQ(static_cast<ptrdiff_t>(tree.size()),
                std::count_if(best[root].begin(), best[root].end(),
                              [](const auto& cost) { return cost.has_value(); }));
    }
  }
}

}  // namespace
}  // namespace syncline
