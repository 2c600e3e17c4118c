#include "estimate/drift_bounded/ladder.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "estimate/drift_bounded/drift_bounded_test_util.h"
#include "estimate/drift_bounded/tube.h"

namespace syncline::drift_bounded {
namespace {

constexpr double kDriftPpm = 200;

// Of clock b its readings by true time, a keeps true time; delays of 20 µs and exponential ones.
struct Pair {
  Pair(const std::function<double(double)>& ahead_ns, uint64_t seed, int messages = 2000,
       double length_s = 100) {
    std::mt19937_64 random(seed);
    std::exponential_distribution<double> jitter(1 / 50'000.0);
    const auto reading = [&](int64_t t) {
      return t + static_cast<int64_t>(std::floor(ahead_ns(static_cast<double>(t) / 1e9)));
    };
    directions = {{.from = 0, .to = 1}, {.from = 1, .to = 0}};
    const RateLimits rate = RateLimits::Within(kDriftPpm);
    tracks = {{.rate = {}, .is_reference = true}, {.rate = rate}};
    for (int i = 0; i < messages; ++i) {
      const auto at = static_cast<int64_t>(length_s * 1e9 * i / messages);
      const auto delay = static_cast<int64_t>(20'000 + jitter(random));
      KeptDirection& d = directions[i % 2];
      const Constraint m = i % 2 == 0 ? Constraint{at, reading(at + delay), 0}
                                      : Constraint{reading(at), at + delay, 0};
      d.all.push_back(m);
    }
    for (KeptDirection& d : directions) {
      Envelope envelope(tracks[d.from].rate, tracks[d.to].rate);
      for (const Constraint& m : d.all) envelope.Add(m);
      d.all.assign(envelope.Kept().begin(), envelope.Kept().end());
    }
  }

  std::vector<Track> tracks;
  std::vector<KeptDirection> directions;
};

struct Climbed {
  explicit Climbed(const Pair& pair, std::optional<size_t> enough = {})
      : graph(pair.tracks, DirectionsOf(pair), 10),
        paths(FindBothPaths({&graph, 1}).front()),
        guess(ClimbDown({.tracks = TrackTable(std::vector<uint32_t>{1, 1}),
                         .directions = pair.directions,
                         .slopes = std::vector<double>(2, std::numeric_limits<double>::quiet_NaN()),
                         .graph = graph,
                         .paths = paths,
                         .enough = enough})) {}

  static std::vector<Direction> DirectionsOf(const Pair& pair) {
    std::vector<Direction> directions;
    for (const KeptDirection& d : pair.directions) {
      directions.push_back({d.from, d.to, d.least_delay_ns, d.all});
    }
    return directions;
  }
  int64_t Value(int32_t n) const { return guess.At(graph, graph.TrackOf(n), n).value; }
  // The RMS of the guesses' errors of b, in nanoseconds.
  double Rms(const std::function<double(double)>& ahead_ns) const {
    double sum = 0;
    int count = 0;
    for (int32_t n = graph.first(1); n < graph.first(2); ++n) {
      const auto value = static_cast<double>(Value(n)) / 1024;
      const double reading = static_cast<double>(graph.readings()[n]) / 1024;
      const double error = reading - value - ahead_ns(value / 1e9);
      sum += error * error;
      ++count;
    }
    return std::sqrt(sum / count);
  }

  Graph graph;
  BothPaths paths;
  Guess guess;
};

TEST(Ladder, ClocksThatWanderStopBefore) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    // 300 µs each way in 20 s: up to 94 ppm.
    const auto wandering = [](double t) { return 3e5 * std::sin(2 * M_PI * t / 20); };
    const Climbed climbed(Pair(wandering, seed));
    EXPECT_GT(climbed.guess.limit_ppm[1], 5);
    EXPECT_LT(climbed.Rms(wandering), 30'000);
  }
}

TEST(Ladder, AShareOfTheMessagesTellsTheSame) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    // 2 ppm at most, which counts beside 200 only where many messages do.
    const auto wandering = [](double t) { return 2e4 * std::sin(2 * M_PI * t / 60); };
    const Pair pair(wandering, seed, 40'000, 600);
    ASSERT_GT(pair.directions[0].all.size(), 4000);
    const Climbed all(pair), some(pair, 4096);
    EXPECT_LE(all.guess.limit_ppm[1], 2 * some.guess.limit_ppm[1]);
    EXPECT_LE(some.guess.limit_ppm[1], 2 * all.guess.limit_ppm[1]);
    EXPECT_LT(some.Rms(wandering), 1.1 * all.Rms(wandering));
  }
}

TEST(Ladder, ASlewStopsItAtLimitsThatAllowIt) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    // 150 ppm for 10 s in the middle of 100.
    const auto slewing = [](double t) { return 150e3 * std::clamp(t - 45, 0.0, 10.0); };
    const Climbed climbed(Pair(slewing, seed));
    EXPECT_GE(climbed.guess.limit_ppm[1], 70);
  }
}

TEST(Ladder, TheReferenceIsKnown) {
  const Climbed climbed(Pair([](double) { return 0.0; }, 1));
  EXPECT_EQ(climbed.guess.limit_ppm[0], 0);
  for (int32_t n = climbed.graph.first(0); n < climbed.graph.first(1); ++n) {
    EXPECT_EQ(climbed.Value(n), climbed.graph.readings()[n]);
  }
}

TEST(Ladder, GuessesAreTheSameOneByOne) {
  const Climbed climbed(Pair([](double t) { return 3e5 * std::sin(t / 3); }, 1));
  for (const size_t t : {0, 1}) {
    int32_t next = climbed.graph.first(t);
    climbed.guess.VisitNodes(climbed.graph, t, [&](int32_t n, int64_t reading, Middle guess) {
      ASSERT_EQ(n, next++);
      EXPECT_EQ(reading, climbed.graph.readings()[n]);
      const Middle alone = climbed.guess.At(climbed.graph, t, n);
      EXPECT_EQ(guess.value, alone.value);
      EXPECT_EQ(guess.width, alone.width);
    });
    EXPECT_EQ(next, climbed.graph.first(t + 1));
  }
}

TEST(Ladder, GuessesLieWithinBoundsAndInvertNothing) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    const auto course = [&](double t) {
      return 1e5 * std::sin(t / static_cast<double>(1 + seed)) + 2e3 * t;
    };
    const Pair pair(course, seed, 400);
    const Climbed climbed(pair);
    for (int32_t n = 0; n < climbed.graph.first(2); ++n) {
      EXPECT_GE(climbed.Value(n), climbed.paths.earliest.value[n] - 4);
      EXPECT_LE(climbed.Value(n), -climbed.paths.latest.value[n] + 4);
    }
    for (const Graph::Links& links : climbed.graph.links()) {
      for (const Graph::Link& link : links.links) {
        EXPECT_GE(climbed.Value(link.receive) - climbed.Value(link.send), links.least_delay - 4);
      }
    }
  }
}

TEST(Ladder, SidesThatAreOpenHaveNoGuess) {
  Pair pair([](double) { return 0.0; }, 1);
  pair.directions.erase(pair.directions.begin());
  const Climbed climbed(pair);
  for (int32_t n = climbed.graph.first(1); n < climbed.graph.first(2); ++n) {
    EXPECT_EQ(climbed.Value(n), Paths::kNone);
  }
}

}  // namespace
}  // namespace syncline::drift_bounded
