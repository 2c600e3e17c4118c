#include "estimate/drift_bounded/tube.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "estimate/drift_bounded/drift_bounded_test_util.h"
#include "estimate/time_bounds.h"

namespace syncline::drift_bounded {
namespace {

constexpr RateLimits kTubeRate{-RateLimits::kOne / 4, RateLimits::kOne / 4};

// Read at 100 and 200, true times within [1000, 1040] and [1090, 1150]; one unit is a nanosecond,
// which both bounds allow for outside of nodes and at them.
const TrackTube kTrack = TrackTubeWith({100, 200}, {1000, 1090}, {1040, 1150}, kTubeRate);

TEST(Tube, BetweenNodesBothNeighboursCount) {
  const Tube tube(0, 0, 0, {kTrack});
  EXPECT_EQ(tube.LowerNs(100), 1000 - 1);
  EXPECT_EQ(tube.UpperNs(100), 1040 + 1);
  // 40 behind the first: 1000 + 30 at least, and 1090 − 60 · 5/4.
  EXPECT_EQ(tube.LowerNs(140), std::max(1000 + 30, 1090 - 75) - 1);
  EXPECT_EQ(tube.UpperNs(140), std::min(1040 + 50, 1150 - 45) + 1);
  EXPECT_EQ(tube.LowerNs(188), std::max(1000 + 66, 1090 - 15) - 1);
  EXPECT_EQ(tube.UpperNs(188), std::min(1040 + 110, 1150 - 9) + 1);
}

TEST(Tube, BeyondTheOuterNodesTheNearestCounts) {
  const Tube tube(0, 0, 0, {kTrack});
  EXPECT_EQ(tube.LowerNs(60), 1000 - 50 - 1);
  EXPECT_EQ(tube.UpperNs(60), 1040 - 30 + 1);
  EXPECT_EQ(tube.LowerNs(240), 1090 + 30 - 1);
  EXPECT_EQ(tube.UpperNs(240), 1150 + 50 + 1);
}

TEST(Tube, CountsFromOrigins) {
  constexpr int64_t kOrigin = 1'700'000'000'000'000'000;
  const Tube tube(kOrigin, kOrigin + 5000, 0, {kTrack});
  EXPECT_EQ(tube.LowerNs(kOrigin + 140), kOrigin + 5000 + 1030 - 1);
  EXPECT_EQ(tube.UpperNs(kOrigin + 140), kOrigin + 5000 + 1090 + 1);
  EXPECT_EQ(tube.LowerNs(INT64_MIN), std::nullopt);
}

TEST(Tube, RoundsUnitsOutward) {
  // In quarters of nanoseconds: [1000.25, 1000.5] less and more a unit.
  const TrackTube track = TrackTubeWith({400}, {4001}, {4002}, {});
  const Tube tube(0, 0, 2, {track});
  EXPECT_EQ(tube.LowerNs(100), 1000);
  EXPECT_EQ(tube.UpperNs(100), 1001);
  EXPECT_EQ(tube.LowerNs(101), 1001);
  EXPECT_EQ(tube.UpperNs(101), 1002);
}

TEST(Tube, LeavesOpenWhatIsOpen) {
  const TrackTube track =
      TrackTubeWith({100, 200}, {1000, 1090}, {-Paths::kNone, -Paths::kNone}, kTubeRate);
  const Tube tube(0, 0, 0, {track});
  EXPECT_EQ(tube.LowerNs(140), 1030 - 1);
  EXPECT_EQ(tube.UpperNs(140), std::nullopt);
  const Tube none(0, 0, 0, {});
  EXPECT_EQ(none.LowerNs(100), std::nullopt);
  EXPECT_EQ(none.UpperNs(100), std::nullopt);
}

// Set by 500 between 200 and 800: what is read there belongs to either track.
TEST(Tube, BetweenTracksEitherCountsWithinTheirOrder) {
  const TrackTube behind = TrackTubeWith({800, 900}, {1200, 1290}, {1240, 1350}, kTubeRate);
  const Tube tube(0, 0, 0, {kTrack, behind});
  EXPECT_EQ(tube.LowerNs(200), 1090 - 1);
  EXPECT_EQ(tube.LowerNs(800), 1200 - 1);
  // At 220: the first says [1105, 1175], the other one less than [475, 805]; but it is not before
  // 1090.
  EXPECT_EQ(tube.LowerNs(220), 1090 - 1);
  EXPECT_EQ(tube.UpperNs(220), std::max(1150 + 25, 1240 - 435) + 1);
  // At 780: the first says [1525, 1875], the other one [1175, 1225]; but it is not behind 1240.
  EXPECT_EQ(tube.LowerNs(780), std::min(1090 + 435, 1200 - 25) - 1);
  EXPECT_EQ(tube.UpperNs(780), 1240 + 1);
}

std::vector<int64_t> BendsOf(const Tube& tube) {
  std::vector<int64_t> bends;
  tube.VisitBendsNs([&](int64_t ns) { bends.push_back(ns); });
  return bends;
}

TEST(Tube, BendsWhereItSaysSo) {
  const Tube tube(7, 0, 0, {kTrack});
  const std::vector<int64_t> bends = BendsOf(tube);
  // L: 1000 + 3/4 x = 1090 − 5/4 (100 − x) at x = 70. U: 1040 + 5/4 x = 1150 − 3/4 (100 − x) at 70.
  EXPECT_EQ(bends, (std::vector<int64_t>{107, 177, 177, 207}));
}

TEST(Tube, BendsBetweenTracksAsWell) {
  const TrackTube behind = TrackTubeWith({800, 900}, {1200, 1290}, {1240, 1350}, kTubeRate);
  const Tube tube(7, 0, 0, {kTrack, behind});
  std::vector<int64_t> bends = tube.BendsBetweenNs();
  std::sort(bends.begin(), bends.end());
  // U: 1150 + 5/4 x = 1240 at x = 72, and = 1240 − 3/4 (600 − x) nowhere. L: 1090 =
  // 1200 − 5/4 (600 − x) at x = 512, and 1090 + 3/4 x nowhere.
  EXPECT_EQ(bends, (std::vector<int64_t>{207, 279, 719, 807}));
}

struct SolvedTracks {
  explicit SolvedTracks(const Simulation& simulation)
      : directions(simulation.tracks(), simulation.messages()),
        graph(simulation.tracks(), directions.all(), Graph::ShiftFor(directions.all())),
        paths(FindBothPaths({&graph, 1}).front()) {}

  Directions directions;
  Graph graph;
  BothPaths paths;
};

Simulation RandomSimulation(uint64_t seed) {
  std::mt19937_64 random(seed);
  return Simulation({.shape = kShapes[seed % 5],
                     .clocks = seed % 5 == 0 ? 2u : 4u,
                     .rate = RateLimits::Within(static_cast<double>(random() % 900)),
                     .course = kCourses[random() % 5],
                     .length_ns = random() % 2 == 0 ? 10'000'000 : 3'600'000'000'000,
                     .messages = 1 + static_cast<int>(random() % 10)},
                    seed);
}

// The tracks beside the reference of random simulations.
template <typename Visit>
void ForEachRandomTrack(const Visit& visit) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const Simulation simulation = RandomSimulation(seed);
    const SolvedTracks solved(simulation);
    for (uint32_t t = 1; t < simulation.tracks().size(); ++t) visit(random, simulation, solved, t);
  }
}

// A reading without a message is a node like others to the naive paths.
TEST(Tube, IsThatOfPathsToAnyReading) {
  ForEachRandomTrack([](std::mt19937_64& random, const Simulation& simulation,
                        const SolvedTracks& solved, uint32_t t) {
    std::vector<NaiveGraph::Node> asked;
    const auto knots = simulation.course(t).knots();
    for (int i = 0; i < 20; ++i) {
      const auto length = static_cast<uint64_t>(knots.back().x - knots.front().x);
      asked.emplace_back(t, knots.front().x + static_cast<int64_t>(random() % length));
    }
    const NaiveGraph naive(simulation.tracks(), simulation.messages(), {}, asked);
    const auto earliest = naive.Longest(Side::kEarliest);
    const auto latest = naive.Longest(Side::kLatest);
    ASSERT_TRUE(earliest && latest);
    const Tube tube(0, 0, solved.graph.shift(), {TubeOf(solved.graph, solved.paths, t)});
    for (const auto& node : asked) {
      const double least = ToNs(earliest->at(node)->worth);
      const double most = -ToNs(latest->at(node)->worth);
      // To the nanosecond, and outward.
      EXPECT_LE(static_cast<double>(*tube.LowerNs(node.second)), least);
      EXPECT_GE(static_cast<double>(*tube.LowerNs(node.second)), least - 1.1);
      EXPECT_GE(static_cast<double>(*tube.UpperNs(node.second)), most);
      EXPECT_LE(static_cast<double>(*tube.UpperNs(node.second)), most + 1.1);
    }
  });
}

TEST(Tube, IsWidestAndNarrowestAtBends) {
  ForEachRandomTrack([](std::mt19937_64& random, const Simulation& /*simulation*/,
                        const SolvedTracks& solved, uint32_t t) {
    const Tube tube(0, 0, solved.graph.shift(), {TubeOf(solved.graph, solved.paths, t)});
    const std::vector<int64_t> bends = BendsOf(tube);
    EXPECT_TRUE(std::ranges::is_sorted(bends));
    const auto width = [&](int64_t at) { return *tube.UpperNs(at) - *tube.LowerNs(at); };
    int64_t narrowest = INT64_MAX, widest = INT64_MIN;
    for (const int64_t bend : bends) {
      narrowest = std::min(narrowest, width(bend));
      widest = std::max(widest, width(bend));
    }
    const auto [first, last] = std::minmax_element(bends.begin(), bends.end());
    for (int i = 0; i < 200; ++i) {
      const auto length = static_cast<uint64_t>(*last - *first) + 1;
      const int64_t at = *first + static_cast<int64_t>(random() % length);
      EXPECT_GE(width(at), narrowest - 3);
      EXPECT_LE(width(at), widest + 3);
    }
  });
}

TEST(TimeBounds, AtManyReadingsAreThoseAtEach) {
  ForEachRandomTrack([](std::mt19937_64& random, const Simulation& /*simulation*/,
                        const SolvedTracks& solved, uint32_t t) {
    TrackTube track = TubeOf(solved.graph, solved.paths, t);
    // A second one, shortly behind.
    const int64_t by = track.readings.back() - track.readings.front() + 1 +
                       static_cast<int64_t>(random() % 1'000'000);
    const auto shifted = [by](std::span<const int64_t> values, int sign) {
      std::vector<int64_t> later;
      for (const int64_t v : values) later.push_back(sign * v + by);
      return later;
    };
    TrackTube later = TrackTubeWith(shifted(track.readings, 1), shifted(track.earliest, 1),
                                    shifted(track.minus_latest, -1), track.rate);
    const Clock clock{.name = "c", .reading_ns = random() % 2 == 0 ? 0 : 1000};
    const TimeBounds bounds(
        clock, std::make_shared<const Tube>(0, 0, solved.graph.shift(),
                                            std::vector{std::move(track), std::move(later)}));
    std::vector<LocalTime> some;
    bounds.VisitBends({{-5}, {INT64_MIN}, {-5}}, [&](std::span<const LocalTime> bends) {
      some.insert(some.end(), bends.begin(), bends.end());
    });
    // Increasing, each once.
    EXPECT_TRUE(std::ranges::is_sorted(some, std::less_equal<>()));
    EXPECT_TRUE(std::ranges::binary_search(some, LocalTime{-5}));
    EXPECT_TRUE(std::ranges::binary_search(some, LocalTime{INT64_MIN}));
    // Some of them only, so that the next one is near or far.
    const uint64_t share = random() % 8;
    std::erase_if(some, [&](LocalTime) { return random() % 8 < share; });
    std::vector<TimeBounds::Interval> around(some.size());
    bounds.At(some, around);
    for (size_t i = 0; i < some.size(); ++i) {
      EXPECT_EQ(around[i].lower, bounds.Lower(some[i]));
      EXPECT_EQ(around[i].upper, bounds.Upper(some[i]));
    }
  });
}

}  // namespace
}  // namespace syncline::drift_bounded
