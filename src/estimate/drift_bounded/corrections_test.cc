#include "estimate/drift_bounded/corrections.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "estimate/drift_bounded/drift_bounded_test_util.h"

namespace syncline::drift_bounded {
namespace {

// Corrections of a simulation whose best guesses are the middles of bounds.
struct DrawnTracks {
  explicit DrawnTracks(const Simulation& simulation)
      : directions(simulation.tracks(), simulation.messages()),
        graph(simulation.tracks(), directions.all(), Graph::ShiftFor(directions.all())),
        paths(FindBothPaths({&graph, 1}).front()) {
    std::vector<uint32_t> epochs;
    for (uint32_t t = 0; t < simulation.tracks().size(); ++t) {
      epochs.resize(simulation.clock_of(t) + 1, 0);
      ++epochs.back();
    }
    clocks.resize(epochs.size());
    guess.at.assign(graph.nodes(), Paths::kNone);
    guess.tolerance.assign(graph.tracks(), graph.Units(5'000));
    for (int32_t n = 0; n < static_cast<int32_t>(graph.nodes()); ++n) {
      if (paths.IsBounded(n)) guess.at[n] = Earliest(n) + (Latest(n) - Earliest(n)) / 2;
    }
    tracks.emplace(epochs);
    for (uint32_t t = 0; t < tracks->size(); ++t) {
      const auto readings = graph.OfTrack(t, graph.readings());
      certain.push_back(readings.empty() ? Extent{} : Extent{readings.front(), readings.back()});
    }
    Draw();
  }
  void Draw() {
    const std::vector<int64_t> origins(clocks.size(), kOrigin);
    corrections = DrawCorrections({.clocks = clocks,
                                   .tracks = *tracks,
                                   .origins_ns = origins,
                                   .reference_origin_ns = kOrigin,
                                   .graph = graph,
                                   .paths = paths,
                                   .guess = guess,
                                   .certain = certain});
  }
  int64_t Earliest(int32_t n) const { return paths.earliest.value[n]; }
  int64_t Latest(int32_t n) const { return -paths.latest.value[n]; }
  int64_t At(const Simulation& simulation, uint32_t track, int64_t reading) const {
    const uint32_t clock = simulation.clock_of(track);
    const auto& of_epoch = corrections[clock][track - simulation.first(clock)];
    return (*of_epoch)(LocalTime{kOrigin + reading}).ns - kOrigin;
  }

  static constexpr int64_t kOrigin = 1'700'000'000'000'000'000;

  Directions directions;
  Graph graph;
  BothPaths paths;
  BestGuess guess;
  std::optional<TrackTable> tracks;
  std::vector<Extent> certain;  // what is known of the nodes alone
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
        EXPECT_GE(at, drawn.graph.FloorNs(drawn.Earliest(n)) - 2);
        EXPECT_LE(at, drawn.graph.CeilNs(drawn.Latest(n)) + 2);
      }
    }
  }
}

TEST(DrawCorrections, AStraightGuessStaysStraightWhereverBoundsAre) {
  const Simulation simulation({.clocks = 2, .rate = RateLimits::Within(200), .messages = 60}, 1);
  DrawnTracks drawn(simulation);
  for (int32_t n = 0; n < static_cast<int32_t>(drawn.graph.nodes()); ++n) {
    const int64_t z = drawn.graph.readings()[n];
    drawn.guess.at[n] = z;
    drawn.paths.earliest.value[n] = z - drawn.graph.Units(n % 2 == 0 ? 1 : 100'000);
    drawn.paths.latest.value[n] = -(z + drawn.graph.Units(n % 3 == 0 ? 100'000 : 1));
  }
  drawn.Draw();
  for (const auto& of_clock : drawn.corrections) {
    for (const Correction::Knot& knot : of_clock.front()->knots()) {
      EXPECT_EQ(knot.global.ns, knot.local.ticks);
    }
  }
}

TEST(DrawCorrections, StrayFromTheGuessNoFurtherThanItTolerates) {
  const Simulation simulation(
      {.clocks = 2, .rate = RateLimits::Within(200), .course = Course::kWalk, .messages = 60}, 1);
  DrawnTracks drawn(simulation);
  for (int32_t n = 0; n < static_cast<int32_t>(drawn.graph.nodes()); ++n) {
    drawn.paths.earliest.value[n] -= drawn.graph.Units(10'000'000);
    drawn.paths.latest.value[n] -= drawn.graph.Units(10'000'000);
  }
  drawn.graph.ForgetMessages();  // these bounds are not from them
  for (const int64_t tolerance_ns : {50, 1'000, 20'000}) {
    drawn.guess.tolerance[1] = drawn.graph.Units(tolerance_ns);
    drawn.Draw();
    int64_t furthest = 0;
    for (int32_t n = drawn.graph.first(1); n < drawn.graph.first(2); ++n) {
      const int64_t at = drawn.At(simulation, 1, drawn.graph.FloorNs(drawn.graph.readings()[n]));
      furthest = std::max(furthest, std::abs(at - drawn.graph.FloorNs(drawn.guess.at[n])));
    }
    EXPECT_GT(furthest, tolerance_ns / 2);
    EXPECT_LE(furthest, tolerance_ns + 2);
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
