// The trees of tree_error.h against every path there is, with bounds composed by hand.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/times.h"
#include "estimate/groups/shortest_paths.h"
#include "estimate/groups/tree_error.h"

namespace syncline {
namespace {

// A pair of clocks of one rate: b reads `offset` more than a, known to ± half_width, or, with
// messages one way only, to no more than + half_width (a → b) or no less than − half_width.
struct KnownPair {
  enum class Messages { kBothWays, kAToB, kBToA } messages = Messages::kBothWays;
  size_t a = 0;
  size_t b = 0;
  int64_t offset = 0;
  int64_t half_width = 0;

  bool HasUpper() const { return messages != Messages::kBToA; }
  bool HasLower() const { return messages != Messages::kAToB; }
  PathCost Cost(TreeOptions::Weights weights) const {
    if (messages != Messages::kBothWays) return {.incomplete = 1, .weight = 1};
    const bool is_hops = weights == TreeOptions::Weights::kHops;
    return {.weight = is_hops ? 1 : static_cast<double>(half_width)};
  }
  PairInput ToInput() const {
    PairPoints points;
    for (const int64_t x : {int64_t{0}, kSecond}) {
      if (HasUpper()) points.AddAToB(x, x + offset + half_width);
      if (HasLower()) points.AddBToA(x + offset - half_width, x);
    }
    return {ClockId(static_cast<uint32_t>(a)), ClockId(static_cast<uint32_t>(b)),
            EstimatePair(points, {.max_drift_ppm = 0})};
  }
};

// What is known of a clock's time at the root: t + offset and what bounds it.
struct Composed {
  PathCost cost;
  std::optional<int64_t> lower = 0;
  std::optional<int64_t> upper = 0;
};

Composed Extended(const KnownPair& pair, size_t from, const Composed& rest,
                  TreeOptions::Weights weights) {
  const bool is_forward = pair.a == from;
  const int64_t offset = is_forward ? pair.offset : -pair.offset;
  const bool has_upper = is_forward ? pair.HasUpper() : pair.HasLower();
  const bool has_lower = is_forward ? pair.HasLower() : pair.HasUpper();
  Composed path{.cost = pair.Cost(weights) + rest.cost, .lower = {}, .upper = {}};
  if (has_upper && rest.upper) path.upper = *rest.upper + offset + pair.half_width;
  if (has_lower && rest.lower) path.lower = *rest.lower + offset - pair.half_width;
  return path;
}

// The cheapest of all paths that pass no clock twice.
std::optional<Composed> CheapestOfAllPaths(const std::vector<KnownPair>& pairs, size_t from,
                                           size_t root, TreeOptions::Weights weights,
                                           std::vector<bool> passed) {
  if (from == root) return Composed{};
  passed[from] = true;
  std::optional<Composed> best;
  for (const KnownPair& pair : pairs) {
    if (pair.a != from && pair.b != from) continue;
    const size_t next = pair.a == from ? pair.b : pair.a;
    if (passed[next]) continue;
    const auto rest = CheapestOfAllPaths(pairs, next, root, weights, passed);
    if (!rest) continue;
    const Composed path = Extended(pair, from, *rest, weights);
    if (!best || path.cost < best->cost) best = path;
  }
  return best;
}

// Half-widths are powers of two, so no two sets of pairs cost the same by error.
std::vector<KnownPair> RandomPairs(size_t clocks, std::mt19937_64& random) {
  std::vector<KnownPair> pairs;
  std::vector<int64_t> widths;
  for (int i = 4; i < 40; ++i) widths.push_back(int64_t{1} << i);
  std::shuffle(widths.begin(), widths.end(), random);
  for (size_t a = 0; a < clocks; ++a) {
    for (size_t b = a + 1; b < clocks; ++b) {
      if (random() % 5 < 2) continue;
      KnownPair pair{.a = a, .b = b, .offset = static_cast<int64_t>(random() % 2'000'000)};
      if (random() % 2 == 0) std::swap(pair.a, pair.b);
      pair.half_width = widths.back();
      widths.pop_back();
      const uint64_t kind = random() % 8;
      if (kind == 0) pair.messages = KnownPair::Messages::kAToB;
      if (kind == 1) pair.messages = KnownPair::Messages::kBToA;
      pairs.push_back(pair);
    }
  }
  return pairs;
}

struct Network {
  std::vector<ClockInput> clocks;
  std::vector<KnownPair> pairs;
  std::vector<PairInput> inputs;
};

Network RandomNetwork(uint64_t seed) {
  std::mt19937_64 random(seed);
  Network network;
  const size_t clocks = 2 + random() % 5;
  for (size_t i = 0; i < clocks; ++i) network.clocks.push_back({{.name = "x"}, {0}, {kSecond}});
  network.pairs = RandomPairs(clocks, random);
  for (const KnownPair& pair : network.pairs) network.inputs.push_back(pair.ToInput());
  return network;
}

std::optional<int64_t> Since(std::optional<GlobalTime> bound, int64_t t) {
  if (!bound) return std::nullopt;
  return bound->ns - t;
}

// Composed along the path that the parents of the estimate describe.
Composed AlongParents(const Network& network, const GroupEstimate& group, size_t clock,
                      TreeOptions::Weights weights) {
  if (!group.clocks[clock].parent) return {};
  const size_t parent = group.clocks[clock].parent->index();
  const auto pair =
      std::find_if(network.pairs.begin(), network.pairs.end(), [&](const KnownPair& p) {
        return std::pair(p.a, p.b) == std::pair(clock, parent) ||
               std::pair(p.a, p.b) == std::pair(parent, clock);
      });
  return Extended(*pair, clock, AlongParents(network, group, parent, weights), weights);
}

class TreePaths : public testing::TestWithParam<TreeOptions::Weights> {};

TEST_P(TreePaths, AreTheCheapestOfAllPaths) {
  size_t reached = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    const Network network = RandomNetwork(seed);
    const GroupEstimate group = EstimateTree(network.clocks, network.inputs,
                                             {.reference = ClockId(0), .weights = GetParam()});
    for (size_t i = 0; i < network.clocks.size(); ++i) {
      const auto best = CheapestOfAllPaths(network.pairs, i, 0, GetParam(),
                                           std::vector<bool>(network.clocks.size()));
      ASSERT_EQ(group.clocks[i].component == 0, best.has_value());
      if (!best) continue;
      ++reached;
      const PathCost cost = AlongParents(network, group, i, GetParam()).cost;
      EXPECT_TRUE(cost == best->cost) << cost.weight << " and " << best->cost.weight;
    }
  }
  EXPECT_GT(reached, 900u);
}

TEST_P(TreePaths, ComposeTheBoundsOfTheirPairs) {
  size_t bounded = 0;
  size_t open = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    const Network network = RandomNetwork(seed);
    const GroupEstimate group = EstimateTree(network.clocks, network.inputs,
                                             {.reference = ClockId(0), .weights = GetParam()});
    for (size_t i = 0; i < network.clocks.size(); ++i) {
      if (group.clocks[i].component != 0) continue;
      const Composed by_hand = AlongParents(network, group, i, GetParam());
      for (const int64_t t : {-kSecond, int64_t{0}, 3 * kSecond}) {
        EXPECT_EQ(Since(group.clocks[i].bounds.Upper({t}), t), by_hand.upper);
        EXPECT_EQ(Since(group.clocks[i].bounds.Lower({t}), t), by_hand.lower);
      }
      ++(by_hand.upper && by_hand.lower ? bounded : open);
    }
  }
  EXPECT_GT(bounded, 700u);
  EXPECT_GT(open, 30u);
}

TEST_P(TreePaths, LeadToTheRootWithTheLeastSum) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    const Network network = RandomNetwork(seed);
    const size_t clocks = network.clocks.size();
    const GroupEstimate group =
        EstimateTree(network.clocks, network.inputs, {.weights = GetParam()});
    const auto sum_to = [&](size_t root) {
      PathCost sum;
      for (size_t i = 0; i < clocks; ++i) {
        const auto path =
            CheapestOfAllPaths(network.pairs, i, root, GetParam(), std::vector<bool>(clocks));
        if (path) sum = sum + path->cost;
      }
      return sum;
    };
    for (size_t c = 0; c < group.roots.size(); ++c) {
      const PathCost chosen = sum_to(group.roots[c].index());
      for (size_t i = 0; i < clocks; ++i) {
        if (group.clocks[i].component != c) continue;
        EXPECT_FALSE(sum_to(i) < chosen) << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Weights, TreePaths,
                         testing::Values(TreeOptions::Weights::kError,
                                         TreeOptions::Weights::kHops));

}  // namespace
}  // namespace syncline
