#include "estimate/drift_bounded/corrections.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "estimate/drift_bounded/drift_bounded_test_util.h"

namespace syncline::drift_bounded {
namespace {

// Corrections of a simulation whose guesses are the middles of bounds.
struct DrawnTracks {
  explicit DrawnTracks(const Simulation& simulation)
      : directions(simulation.tracks(), simulation.messages()),
        graph(simulation.tracks(), directions.all(), Graph::ShiftFor(directions.all())),
        earliest(FindPaths(graph, Side::kEarliest).value) {
    std::vector<uint32_t> epochs;
    for (uint32_t t = 0; t < simulation.tracks().size(); ++t) {
      epochs.resize(simulation.clock_of(t) + 1, 0);
      ++epochs.back();
    }
    clocks.resize(epochs.size());
    for (const int64_t v : FindPaths(graph, Side::kLatest).value) latest.push_back(-v);
    for (size_t n = 0; n < earliest.size(); ++n) {
      const bool is_open = earliest[n] == Paths::kNone || latest[n] == -Paths::kNone;
      guess.push_back(is_open ? Paths::kNone : earliest[n] + (latest[n] - earliest[n]) / 2);
      width.push_back(is_open ? 0 : latest[n] - earliest[n]);
    }
    tracks.emplace(epochs);
    Draw();
  }
  void Draw() {
    const std::vector<int64_t> origins(clocks.size(), kOrigin);
    corrections = DrawCorrections({.clocks = clocks,
                                   .tracks = *tracks,
                                   .origins_ns = origins,
                                   .reference_origins_ns = origins,
                                   .graph = graph,
                                   .guess = guess,
                                   .width = width,
                                   .earliest = earliest,
                                   .latest = latest});
  }
  int64_t At(const Simulation& simulation, uint32_t track, int64_t reading) const {
    const uint32_t clock = simulation.clock_of(track);
    const auto& of_epoch = corrections[clock][track - simulation.first(clock)];
    return (*of_epoch)(LocalTime{kOrigin + reading}).ns - kOrigin;
  }

  static constexpr int64_t kOrigin = 1'700'000'000'000'000'000;

  Directions directions;
  Graph graph;
  std::optional<TrackTable> tracks;
  std::vector<int64_t> earliest, latest, guess, width;
  std::vector<ClockInput> clocks;
  EpochCorrections corrections;
};

TEST(DrawCorrections, StayWithinBounds) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const Simulation simulation({.shape = Shape::kStar,
                                 .clocks = 4,
                                 .rate = RateLimits::Within(300),
                                 .course = kCourses[seed % 5],
                                 .messages = 40},
                                seed);
    const DrawnTracks drawn(simulation);
    for (uint32_t t = 0; t < drawn.graph.tracks(); ++t) {
      for (int32_t n = drawn.graph.first(t); n < drawn.graph.first(t + 1); ++n) {
        const int64_t at = drawn.At(simulation, t, drawn.graph.FloorNs(drawn.graph.readings()[n]));
        // But for the rounding of knots.
        EXPECT_GE(at, drawn.graph.FloorNs(drawn.earliest[n]) - 2);
        EXPECT_LE(at, drawn.graph.CeilNs(drawn.latest[n]) + 2);
      }
    }
  }
}

TEST(DrawCorrections, AStraightGuessStaysStraightWhereverBoundsAre) {
  const Simulation simulation({.clocks = 2, .rate = RateLimits::Within(200), .messages = 60}, 1);
  DrawnTracks drawn(simulation);
  for (size_t n = 0; n < drawn.guess.size(); ++n) {
    const int64_t z = drawn.graph.readings()[n];
    drawn.guess[n] = z;
    drawn.earliest[n] = z - drawn.graph.Units(n % 2 == 0 ? 1 : 100'000);
    drawn.latest[n] = z + drawn.graph.Units(n % 3 == 0 ? 100'000 : 1);
    drawn.width[n] = drawn.graph.Units(1'000'000);
  }
  drawn.Draw();
  for (const auto& of_clock : drawn.corrections) {
    for (const Correction::Knot& knot : of_clock.front()->knots()) {
      EXPECT_EQ(knot.global.ns, knot.local.ticks);
    }
  }
}

// As in a queue on one way: the middle of the bounds is as far off as one of them.
TEST(DrawCorrections, WhereOneBoundIsFarTheStringFollowsTheOther) {
  const Simulation simulation(
      {.clocks = 2, .rate = RateLimits::Within(20), .course = Course::kStraight, .messages = 60},
      1);
  DrawnTracks drawn(simulation);
  for (int32_t n = drawn.graph.first(1); n < drawn.graph.first(2); ++n) {
    drawn.guess[n] = drawn.graph.Units(
        simulation.course(1).Floor(drawn.graph.FloorNs(drawn.graph.readings()[n])));
  }
  const std::vector<int64_t> middles = drawn.guess;
  const int32_t first = drawn.graph.first(1), count = drawn.graph.first(2) - first;
  const int64_t usual = *std::max_element(drawn.width.begin() + first, drawn.width.end());
  for (int32_t n = first + count / 3; n < first + count / 2; ++n) {
    drawn.earliest[n] -= 50 * usual;
    drawn.width[n] += 50 * usual;
    drawn.guess[n] -= 25 * usual;
  }
  drawn.graph.ForgetMessages();  // these bounds are not from them
  drawn.Draw();
  for (int32_t n = first; n < first + count; ++n) {
    const int64_t reading = drawn.graph.FloorNs(drawn.graph.readings()[n]);
    EXPECT_NEAR(static_cast<double>(drawn.At(simulation, 1, reading)),
                static_cast<double>(drawn.graph.FloorNs(middles[n])),
                static_cast<double>(drawn.graph.CeilNs(usual)));
  }
}

TEST(DrawCorrections, ClocksWithoutGuessHaveNone) {
  SimulationSetup setup{.rate = RateLimits::Within(200), .messages = 0};
  const DrawnTracks drawn(Simulation(setup, 1));
  ASSERT_EQ(drawn.corrections.size(), 2u);
  for (const auto& of_clock : drawn.corrections) {
    for (const auto& correction : of_clock) EXPECT_FALSE(correction.has_value());
  }
}

}  // namespace
}  // namespace syncline::drift_bounded
