#include "estimate/joint/potentials.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncline {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

TEST(FitPotentials, ConsistentDifferencesAreMetExactly) {
  const std::vector<PotentialEdge> edges = {{0, 1, 5, 1}, {2, 1, 3, 10}, {0, 2, 2, 1e-6}};
  EXPECT_THAT(FitPotentials(3, edges), ElementsAre(0, DoubleNear(5, 1e-9), DoubleNear(2, 1e-9)));
}

TEST(FitPotentials, ACirclesExcessIsSpreadInverselyToWeights) {
  // Around the circle 0 → 1 → 2 → 0 the wishes add up to 7 instead of 0. With weights 1, 2, 4 they
  // give way in the proportion 4 : 2 : 1.
  const std::vector<PotentialEdge> edges = {{0, 1, 7, 1}, {1, 2, 0, 2}, {2, 0, 0, 4}};
  EXPECT_THAT(FitPotentials(3, edges),
              ElementsAre(0, DoubleNear(7 - 4, 1e-9), DoubleNear(7 - 4 - 2, 1e-9)));
}

TEST(FitPotentials, TheFirstOfNodesThatEdgesConnectStaysAtZero) {
  const std::vector<PotentialEdge> edges = {{1, 2, 6, 1}, {0, 3, 5, 0}};
  EXPECT_THAT(FitPotentials(4, edges), ElementsAre(0, 0, DoubleNear(6, 1e-9), 0));
  EXPECT_TRUE(FitPotentials(0, {}).empty());
}

// At the minimum no single node gains by moving.
TEST(FitPotentials, RandomGraphsAreInBalance) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const size_t nodes = 2 + random() % 30;
    std::vector<PotentialEdge> edges;
    for (size_t b = 1; b < nodes; ++b) {
      for (size_t a : {random() % b, random() % b}) {
        edges.push_back({a, b, static_cast<double>(random() % 1000) - 500,
                         std::pow(10.0, static_cast<double>(random() % 5))});
      }
    }
    const std::vector<double> values = FitPotentials(nodes, edges);
    std::vector<double> pull(nodes);
    double largest = 0;
    for (const PotentialEdge& e : edges) {
      const double force = e.weight * (values[e.to] - values[e.from] - e.difference);
      pull[e.to] += force;
      pull[e.from] -= force;
      largest = std::max(largest, std::abs(force));
    }
    for (const double p : pull) EXPECT_NEAR(p, 0, 1e-9 * largest);
  }
}

TEST(FitPotentials, ComesAsCloseAsIsAskedFor) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<PotentialEdge> edges;
  for (size_t i = 1; i < 200; ++i) {
    edges.push_back({0, i, 0, 0.1});
    edges.push_back({i, 1 + random() % 199, any(random), 1});
  }
  const std::vector<double> exact = FitPotentials(200, edges);
  const auto off = [&](double tolerance) {
    const std::vector<double> values = FitPotentials(200, edges, tolerance);
    double most = 0;
    for (size_t i = 0; i < 200; ++i) most = std::max(most, std::fabs(values[i] - exact[i]));
    return most;
  };
  EXPECT_LT(off(1e-6), 1e-4);
  EXPECT_GT(off(0.3), 1e-3);
}

}  // namespace
}  // namespace syncline
