#include "estimate/drift_bounded/paths.h"

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "estimate/drift_bounded/component.h"
#include "estimate/drift_bounded/drift_bounded_test_util.h"

namespace syncline::drift_bounded {
namespace {

constexpr RateLimits kQuarterRate{-RateLimits::kOne / 4, RateLimits::kOne / 4};

// A graph after envelopes, and what outlives it.
struct Built {
  Built(const std::vector<Track>& tracks, std::span<const TestMessage> messages)
      : directions(tracks, messages),
        graph(tracks, directions.all(), Graph::ShiftFor(directions.all())) {}

  // The value of a reading; none where no path leads.
  std::optional<double> Ns(const Paths& paths, uint32_t track, int64_t reading) const {
    for (int32_t n = graph.first(track); n < graph.first(track + 1); ++n) {
      if (graph.readings()[n] != graph.Units(reading)) continue;
      if (paths.value[n] == Paths::kNone) return std::nullopt;
      return static_cast<double>(paths.value[n]) / static_cast<double>(graph.Units(1));
    }
    ADD_FAILURE() << "no node at " << reading;
    return std::nullopt;
  }
  Int128 Unit() const { return Int128{1} << (RateLimits::kBits - graph.shift()); }

  Directions directions;
  Graph graph;
};

// The weight of the best edge between two nodes, in 2^-40 ns.
std::optional<Int128> WeightOf(const Graph& graph, int32_t from, int32_t to) {
  const uint32_t track = graph.TrackOf(from);
  const auto ns = [&](int32_t n) { return graph.FloorNs(graph.readings()[n]); };
  if (track == graph.TrackOf(to)) return ExactAdvance(ns(from), ns(to), graph.track(track).rate);
  std::optional<Int128> best;
  for (const Graph::Links& links : graph.links()) {
    for (const Graph::Link& link : links.links) {
      if (link.send != from || link.receive != to) continue;
      const Int128 weight = Exactly(graph.FloorNs(links.least_delay));
      best = best ? std::max(*best, weight) : weight;
    }
  }
  return best;
}

void ExpectPositiveCycle(const Graph& graph, const std::vector<int32_t>& cycle) {
  EXPECT_EQ(std::set<int32_t>(cycle.begin(), cycle.end()).size(), cycle.size());
  Int128 sum = 0;
  for (size_t k = 0; k < cycle.size(); ++k) {
    const auto weight = WeightOf(graph, cycle[k], cycle[(k + 1) % cycle.size()]);
    ASSERT_TRUE(weight) << "no edge leaves node " << cycle[k] << " of the cycle";
    sum += *weight;
  }
  EXPECT_GT(ToNs(sum), 0);
}

// Values lie on the safe side of exact ones: by a unit per message, and another one where the walk
// behind it is rounded.
void ExpectValuesOf(const Built& built, const Paths& paths, const NaiveGraph::Values& exact) {
  for (uint32_t t = 0; t < built.graph.tracks(); ++t) {
    for (int32_t n = built.graph.first(t); n < built.graph.first(t + 1); ++n) {
      const int64_t reading = built.graph.FloorNs(built.graph.readings()[n]);
      const auto& expected = exact.at({t, reading});
      ASSERT_EQ(paths.value[n] != Paths::kNone, expected.has_value())
          << "track " << t << " at " << reading;
      if (!expected) continue;
      const Int128 value = paths.value[n] * built.Unit();
      EXPECT_LE(ToNs(value - expected->worth), 0) << "track " << t << " at " << reading;
      EXPECT_LE(ToNs(expected->worth - value), 2 * expected->hops * ToNs(built.Unit()))
          << "track " << t << " at " << reading;
    }
  }
}

SimulationSetup RandomPaths(uint64_t seed, std::mt19937_64& random) {
  SimulationSetup setup;
  setup.shape = kShapes[seed % 5];
  setup.clocks = setup.shape == Shape::kPair ? 2 : 3 + static_cast<uint32_t>(random() % 4);
  switch (random() % 4) {
    case 0: setup.rate = kQuarterRate; break;
    case 1:  // exactly known, or nearly
      setup.rate = {-static_cast<int64_t>(random() % 3), static_cast<int64_t>(random() % 4)};
      break;
    default: setup.rate = RateLimits::Within(static_cast<double>(random() % 900));
  }
  setup.course = kCourses[random() % 5];
  setup.length_ns = random() % 2 == 0 ? 1'000'000 : 3'600'000'000'000;
  setup.messages = 1 + static_cast<int>(random() % 15);
  setup.least_delay_ns = static_cast<int64_t>(random() % 3) * 500;
  setup.more_ns = random() % 2 == 0 ? 300 : 200'000;
  setup.steps = random() % 2 == 0 ? 0 : static_cast<uint32_t>(random() % 4);
  return setup;
}

// Rates of b within 3/4 and 5/4 of those of a, the reference.
const std::vector<Track> kPair = {{.rate = {}, .is_reference = true}, {.rate = kQuarterRate}};

TEST(Paths, LeadOverAMessageAndAlongTheClock) {
  // a → b: sent at 100, takes 10 at least, read at 50. b → a: sent at 90, received at 200.
  const std::vector<TestMessage> messages = {{0, 1, 100, 50, 10}, {1, 0, 90, 200, 10}};
  const Built built(kPair, messages);
  constexpr double kUnits = 4.0 / 1024;
  const Paths earliest = FindPaths(built.graph, Side::kEarliest);
  const Paths latest = FindPaths(built.graph, Side::kLatest);
  EXPECT_TRUE(earliest.cycle.empty());
  EXPECT_TRUE(latest.cycle.empty());
  EXPECT_NEAR(*built.Ns(earliest, 1, 50), 100 + 10, kUnits);
  EXPECT_NEAR(*built.Ns(earliest, 1, 90), 110 + 40 * 0.75, kUnits);
  EXPECT_NEAR(*built.Ns(latest, 1, 90), -(200 - 10), kUnits);
  EXPECT_NEAR(*built.Ns(latest, 1, 50), -(190 - 40 * 0.75), kUnits);
  EXPECT_EQ(*built.Ns(earliest, 0, 100), 100);
  EXPECT_EQ(*built.Ns(latest, 0, 200), -200);
}

TEST(Paths, WalkBackAtTheFastestRate) {
  // What b reads at 90 is 190 at least; so what it read 40 before was 190 − 40 · 5/4 at least.
  const std::vector<TestMessage> messages = {{0, 1, 190, 90, 0}, {1, 0, 50, 200, 0}};
  const Built built(kPair, messages);
  EXPECT_NEAR(*built.Ns(FindPaths(built.graph, Side::kEarliest), 1, 50), 190 - 50, 0.01);
}

TEST(Paths, ProveAContradictionByItsCycle) {
  // 40 of b's are 50 of a's at most: sent at 100 and back 49 later is possible, 51 later in between
  // is not: b received at 50, sent at 90, and a got that 29 (less than 30) after it had sent.
  const std::vector<TestMessage> possible = {{0, 1, 100, 50, 0}, {1, 0, 90, 131, 0}};
  EXPECT_TRUE(FindPaths(Built(kPair, possible).graph, Side::kEarliest).cycle.empty());
  const std::vector<TestMessage> contradictory = {{0, 1, 100, 50, 0}, {1, 0, 90, 129, 0}};
  const Built built(kPair, contradictory);
  for (const Side side : {Side::kEarliest, Side::kLatest}) {
    const Paths paths = FindPaths(built.graph, side);
    ASSERT_EQ(paths.cycle.size(), 4u);
    ExpectPositiveCycle(built.graph, paths.cycle);
  }
}

// a goes ahead by 990 while b does by 10, which only contradicts limits that a has.
TEST(ContradictoryTracks, AreNoneWhereRatesHaveNoLimit) {
  const std::vector<TestMessage> messages = {{1, 0, 10, 10, 0}, {0, 1, 1000, 20, 0}};
  const auto contradictory = [&](RateLimits of_a) {
    return ContradictoryTracks(Built({{.rate = of_a}, {.rate = kQuarterRate}}, messages).graph);
  };
  EXPECT_EQ(contradictory(kQuarterRate).size(), 1U);
  EXPECT_TRUE(contradictory(RateLimits::Within(1e6)).empty());
}

TEST(Paths, OpenSidesHaveNoValue) {
  // b only receives, c only sends.
  const std::vector<Track> tracks = {
      {.rate = {}, .is_reference = true}, {.rate = kQuarterRate}, {.rate = kQuarterRate}};
  const std::vector<TestMessage> messages = {{0, 1, 100, 50, 10}, {2, 0, 70, 300, 10}};
  const Built built(tracks, messages);
  const Paths earliest = FindPaths(built.graph, Side::kEarliest);
  const Paths latest = FindPaths(built.graph, Side::kLatest);
  EXPECT_NEAR(*built.Ns(earliest, 1, 50), 110, 0.01);
  EXPECT_EQ(built.Ns(latest, 1, 50), std::nullopt);
  EXPECT_EQ(built.Ns(earliest, 2, 70), std::nullopt);
  EXPECT_NEAR(*built.Ns(latest, 2, 70), -290, 0.01);
}

TEST(Paths, BetweenTracksOfAClockOnlyOrderCounts) {
  // b was set from about 60 to 10 000: what was read before is earlier, and no more.
  const std::vector<Track> tracks = {{.rate = {}, .is_reference = true},
                                     {.rate = kQuarterRate},
                                     {.rate = kQuarterRate, .previous = 1},
                                     {.rate = kQuarterRate, .previous = 2}};
  const std::vector<TestMessage> messages = {{0, 1, 100, 50, 0}, {3, 0, 10'000, 500, 0}};
  const Built built(tracks, messages);
  const Paths earliest = FindPaths(built.graph, Side::kEarliest);
  const Paths latest = FindPaths(built.graph, Side::kLatest);
  EXPECT_NEAR(*built.Ns(earliest, 3, 10'000), 100, 0.01);
  EXPECT_NEAR(*built.Ns(latest, 1, 50), -500, 0.01);
}

TEST(Paths, WithoutMessagesThereAreNoNodes) {
  const Built built(kPair, {});
  EXPECT_EQ(built.graph.nodes(), 0u);
  EXPECT_TRUE(FindPaths(built.graph, Side::kEarliest).value.empty());
}

TEST(Graph, LeavesRoomForTheLongestTrace) {
  constexpr int64_t kMost = int64_t{1} << 57;
  const std::vector<Constraint> far = {{-kMost, kMost, 0}};
  const std::vector<Constraint> near = {{0, 1'000'000, 0}};
  EXPECT_EQ(Graph::ShiftFor(std::vector<Direction>{{0, 1, 0, far}}), 0);
  EXPECT_EQ(Graph::ShiftFor(std::vector<Direction>{{0, 1, 0, near}}), 10);
  EXPECT_EQ(Graph::ShiftFor({}), 10);
}

TEST(Graph, RoundsUnitsToNanosecondsBothWays) {
  const std::vector<TestMessage> messages = {{0, 1, 100, 50, 10}};
  const Built built(kPair, messages);
  ASSERT_EQ(built.graph.shift(), 10);
  EXPECT_EQ(built.graph.FloorNs(3 * 1024 + 1), 3);
  EXPECT_EQ(built.graph.CeilNs(3 * 1024 + 1), 4);
  EXPECT_EQ(built.graph.FloorNs(-3 * 1024 - 1), -4);
  EXPECT_EQ(built.graph.CeilNs(-3 * 1024 - 1), -3);
  EXPECT_EQ(built.graph.CeilNs(3 * 1024), 3);
}

TEST(Paths, AreThoseOfAllMessages) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const SimulationSetup setup = RandomPaths(seed, random);
    const Simulation simulation(setup, seed);
    const Built built(simulation.tracks(), simulation.messages());
    const NaiveGraph naive(simulation.tracks(), simulation.messages(), built.directions.Kept());
    for (const Side side : {Side::kEarliest, Side::kLatest}) {
      const Paths paths = FindPaths(built.graph, side);
      const auto exact = naive.Longest(side);
      ASSERT_TRUE(exact.has_value());
      ASSERT_TRUE(paths.cycle.empty());
      ExpectValuesOf(built, paths, *exact);
    }
  }
}

TEST(Paths, HoldFarFromTheOriginToo) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    SimulationSetup setup = RandomPaths(seed, random);
    setup.start_ns = (random() % 2 == 0 ? 1 : -1) * (int64_t{1} << 56);
    const Simulation simulation(setup, seed);
    const Built built(simulation.tracks(), simulation.messages());
    EXPECT_LE(built.graph.shift(), 2);
    const NaiveGraph naive(simulation.tracks(), simulation.messages(), built.directions.Kept());
    for (const Side side : {Side::kEarliest, Side::kLatest}) {
      const auto exact = naive.Longest(side);
      // Here a unit is a nanosecond or half of one: what is just possible can seem not to be.
      const Paths paths = FindPaths(built.graph, side);
      ASSERT_TRUE(exact.has_value());
      ASSERT_TRUE(paths.cycle.empty());
      ExpectValuesOf(built, paths, *exact);
    }
  }
}

TEST(Paths, OfClocksHeardInOneDirectionOnlyAreOpenWhereTheNaiveOnesAre) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const Simulation simulation(RandomPaths(seed, random), seed);
    // Of each pair one direction at most; of some none.
    std::vector<TestMessage> messages;
    const uint64_t mask = random();
    for (const TestMessage& m : simulation.messages()) {
      const uint32_t from = simulation.clock_of(m.from), to = simulation.clock_of(m.to);
      const bool is_up = (mask >> (from + to) & 1) != 0;
      if ((from < to) == is_up) messages.push_back(m);
    }
    const Built built(simulation.tracks(), messages);
    const NaiveGraph naive(simulation.tracks(), messages, built.directions.Kept());
    for (const Side side : {Side::kEarliest, Side::kLatest}) {
      const auto exact = naive.Longest(side);
      ASSERT_TRUE(exact.has_value());
      ExpectValuesOf(built, FindPaths(built.graph, side), *exact);
    }
  }
}

TEST(Paths, FindAPositiveCycleWhereThereIsOne) {
  int contradictory = 0;
  int possible = 0;
  int close = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const Simulation simulation(RandomPaths(seed, random), seed);
    std::vector<TestMessage> messages = simulation.messages();
    for (int i = 0; i < 2; ++i) {
      TestMessage& wrong = messages[random() % messages.size()];
      wrong.r -= static_cast<int64_t>(random() % (random() % 2 == 0 ? 2000 : 200'000));
    }
    const Built built(simulation.tracks(), messages);
    const NaiveGraph naive(simulation.tracks(), messages, built.directions.Kept());
    for (const Side side : {Side::kEarliest, Side::kLatest}) {
      const Paths paths = FindPaths(built.graph, side);
      const auto exact = naive.Longest(side);
      if (!paths.cycle.empty()) {
        EXPECT_FALSE(exact.has_value());
        ExpectPositiveCycle(built.graph, paths.cycle);
        ++contradictory;
      } else if (exact) {
        ExpectValuesOf(built, paths, *exact);
        ++possible;
      } else {
        // Only one that vanishes in rounding is not seen.
        EXPECT_TRUE(naive.Longest(side, 2 * built.Unit()).has_value());
        ++close;
      }
    }
  }
  EXPECT_GT(contradictory, 100);
  EXPECT_GT(possible, 100);
  EXPECT_LT(close, 10);
}

// Bellman and Ford over the edges of a graph, from times that nodes have at least (+1) or at most
// (-1).
std::vector<int64_t> NaivelyFeasible(const Graph& graph, std::vector<int64_t> at, int sign) {
  const auto widen = [&](int32_t from, int32_t to, int64_t advance) {
    const int32_t source = sign > 0 ? from : to, target = sign > 0 ? to : from;
    if (graph.track(graph.TrackOf(target)).is_reference) return false;
    if (at[source] == Paths::kNone || at[target] == Paths::kNone) return false;
    const int64_t reached = at[source] + sign * advance;
    if (sign * reached <= sign * at[target]) return false;
    at[target] = reached;
    return true;
  };
  for (bool changes = true; changes;) {
    changes = false;
    for (const Graph::Links& links : graph.links()) {
      for (const auto& [send, receive] : links.links) {
        changes |= widen(send, receive, links.least_delay);
      }
    }
    for (uint32_t t = 0; t < graph.tracks(); ++t) {
      for (int32_t n = graph.first(t); n + 1 < graph.first(t + 1); ++n) {
        const int64_t here = graph.readings()[n], next = graph.readings()[n + 1];
        changes |= widen(n, n + 1, LeastAdvance(here, next, graph.track(t).rate));
        changes |= widen(n + 1, n, LeastAdvance(next, here, graph.track(t).rate));
      }
    }
  }
  return at;
}

TEST(MakeFeasible, MovesTimesHalfWayBetweenTheEarliestAndTheLatestThatAgree) {
  // a → b and back at once, b's rate is known: b(0) = 0 … 100, b(50) = 50 … 150.
  const std::vector<Track> tracks = {{.rate = {}, .is_reference = true}, {.rate = {}}};
  const std::vector<TestMessage> messages = {{0, 1, 0, 0}, {1, 0, 50, 150}};
  const Built built(tracks, messages);
  std::vector<int64_t> at(built.graph.readings().begin(), built.graph.readings().end()), room;
  const auto units = [&](int64_t ns) { return built.graph.Units(ns); };
  // They cannot be 20 ns apart, as b's readings are 50.
  at[2] = units(60);
  at[3] = units(80);
  MakeFeasible(built.graph, at, room);
  EXPECT_NEAR(at[2], (units(60) + units(30)) / 2, 2);  // not before 60; not behind 80 − 50
  EXPECT_NEAR(at[3], (units(110) + units(80)) / 2, 2);
}

TEST(MakeFeasible, IsWhatBellmanAndFordFind) {
  int moved = 0, unknown = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    SimulationSetup setup = RandomPaths(seed, random);
    const Simulation simulation(setup, seed);
    const Built built(simulation.tracks(), simulation.messages());
    const Graph& graph = built.graph;
    const BothPaths paths = std::move(FindBothPaths({&graph, 1}).front());
    ASSERT_TRUE(paths.cycle().empty());
    std::vector<int64_t> at(graph.nodes(), Paths::kNone), room;
    for (uint32_t t = 0; t < graph.tracks(); ++t) {
      for (int32_t n = graph.first(t); n < graph.first(t + 1); ++n) {
        if (!paths.IsBounded(n)) continue;
        const int64_t low = paths.earliest.value[n], width = -paths.latest.value[n] - low;
        at[n] =
            low + (width > 0 ? static_cast<int64_t>(random() % static_cast<uint64_t>(width)) : 0);
        if (graph.track(t).is_reference) at[n] = graph.readings()[n];
      }
    }
    unknown += std::ranges::find(at, Paths::kNone) != at.end() ? 1 : 0;
    const std::vector<int64_t> least = NaivelyFeasible(graph, at, 1);
    const std::vector<int64_t> most = NaivelyFeasible(graph, at, -1);
    MakeFeasible(graph, at, room);
    // By a unit per message of a path, and another one where the walk behind it is rounded.
    const auto rounding = static_cast<double>(2 * graph.nodes() + 2);
    for (size_t n = 0; n < at.size(); ++n) {
      EXPECT_NEAR(static_cast<double>(at[n] - least[n]),
                  static_cast<double>(most[n] - least[n]) / 2, rounding);
      moved += at[n] != Paths::kNone && most[n] != least[n] ? 1 : 0;
    }
    for (const Graph::Links& links : graph.links()) {
      for (const auto& [send, receive] : links.links) {
        if (at[send] == Paths::kNone || at[receive] == Paths::kNone) continue;
        EXPECT_GE(at[receive] - at[send], links.least_delay - 2);
      }
    }
    const std::vector<int64_t> feasible = at;
    MakeFeasible(graph, at, room);
    for (size_t n = 0; n < at.size(); ++n) {
      EXPECT_NEAR(static_cast<double>(at[n] - feasible[n]), 0, 2);
    }
  }
  EXPECT_GT(moved, 1000);
  EXPECT_GT(unknown, 10);
}

TEST(MakeFeasible, LeavesWhatIsUnknown) {
  const std::vector<std::vector<TestMessage>> ways = {{{0, 1, 100, 50, 10}, {0, 1, 200, 150, 10}},
                                                      {{1, 0, 50, 100, 10}, {1, 0, 150, 200, 10}}};
  for (const std::vector<TestMessage>& messages : ways) {
    const Built built(kPair, messages);
    std::vector<int64_t> at(built.graph.nodes(), Paths::kNone), room;
    for (int32_t n = built.graph.first(0); n < built.graph.first(1); ++n) {
      at[n] = built.graph.readings()[n];
    }
    const std::vector<int64_t> before = at;
    MakeFeasible(built.graph, at, room);
    EXPECT_EQ(at, before);
  }
}

}  // namespace
}  // namespace syncline::drift_bounded
