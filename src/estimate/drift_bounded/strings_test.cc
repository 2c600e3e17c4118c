#include "estimate/drift_bounded/strings.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include "estimate/drift_bounded/drift_bounded_test_util.h"

namespace syncline::drift_bounded {
namespace {

// Strings of two clocks whose guesses are the middles of bounds, until told otherwise.
struct StringsOf {
  explicit StringsOf(const Simulation& simulation)
      : directions(simulation.tracks(), simulation.messages()),
        graph(simulation.tracks(), directions.all(), Graph::ShiftFor(directions.all())),
        paths(FindBothPaths({&graph, 1}).front()),
        tracks(std::vector<uint32_t>{1, 1}) {
    guess.noise.assign(2, 0);
    guess.tracks.resize(2);
    for (int32_t n = 0; n < static_cast<int32_t>(graph.nodes()); ++n) {
      const int64_t low = paths.earliest.value[n], width = -paths.latest.value[n] - low;
      guess.tracks[graph.TrackOf(n)].known.push_back({low + width / 2, width});
    }
  }
  Strings Draw() const { return DrawStrings({tracks, graph, paths, guess, 0.25}); }
  Middle& GuessAt(int32_t n) {
    const uint32_t t = graph.TrackOf(n);
    return guess.tracks[t].known[static_cast<size_t>(n - graph.first(t))];
  }
  void Widen(int32_t n, int64_t units) {
    paths.earliest.value[n] -= units;
    paths.latest.value[n] -= units;
  }

  Directions directions;
  Graph graph;
  BothPaths paths;
  Guess guess;
  TrackTable tracks;
};

TEST(Strings, OfAStraightGuessAreStraightWhereverBoundsAre) {
  StringsOf drawn(Simulation({.clocks = 2, .rate = RateLimits::Within(200), .messages = 60}, 1));
  for (int32_t n = 0; n < static_cast<int32_t>(drawn.graph.nodes()); ++n) {
    const int64_t z = drawn.graph.readings()[n];
    drawn.GuessAt(n) = {z, drawn.graph.Units(1'000'000)};
    drawn.paths.earliest.value[n] = z - drawn.graph.Units(n % 2 == 0 ? 1 : 100'000);
    drawn.paths.latest.value[n] = -(z + drawn.graph.Units(n % 3 == 0 ? 100'000 : 1));
  }
  const Strings strings = drawn.Draw();
  for (size_t n = 0; n < strings.at.size(); ++n) {
    EXPECT_EQ(strings.at[n], drawn.graph.readings()[n]);
  }
}

// The half-width says what least delays leave open, not how well the guess knows the course.
TEST(Strings, StrayNoFurtherThanTheNoiseOfTheGuess) {
  StringsOf drawn(Simulation(
      {.clocks = 2, .rate = RateLimits::Within(200), .course = Course::kWalk, .messages = 60}, 1));
  for (int32_t n = 0; n < static_cast<int32_t>(drawn.graph.nodes()); ++n) {
    drawn.GuessAt(n).width = drawn.graph.Units(10'000'000);
    drawn.Widen(n, drawn.graph.Units(10'000'000));
  }
  const auto furthest = [&] {
    const Strings strings = drawn.Draw();
    int64_t units = 0;
    for (int32_t n = drawn.graph.first(1); n < drawn.graph.first(2); ++n) {
      units = std::max(units, std::abs(strings.at[n] - drawn.GuessAt(n).value));
    }
    return units;
  };
  EXPECT_GT(furthest(), drawn.graph.Units(5'000));
  drawn.guess.noise[1] = static_cast<double>(drawn.graph.Units(1'000));
  EXPECT_LE(furthest(), static_cast<int64_t>(drawn.guess.noise[1]) + 2);
}

// As in a queue on one way: the middle of the bounds is as far off as one of them.
TEST(Strings, FollowTheOtherBoundWhereOneIsFar) {
  const Simulation simulation(
      {.clocks = 2, .rate = RateLimits::Within(20), .course = Course::kStraight, .messages = 60},
      1);
  StringsOf drawn(simulation);
  for (int32_t n = drawn.graph.first(1); n < drawn.graph.first(2); ++n) {
    drawn.GuessAt(n).value = drawn.graph.Units(
        simulation.course(1).Floor(drawn.graph.FloorNs(drawn.graph.readings()[n])));
  }
  const std::vector<Middle> middles = drawn.guess.tracks[1].known;
  const int32_t first = drawn.graph.first(1), count = drawn.graph.first(2) - first;
  const int64_t usual = std::ranges::max(middles, {}, &Middle::width).width;
  for (int32_t n = first + count / 3; n < first + count / 2; ++n) {
    drawn.paths.earliest.value[n] -= 50 * usual;
    drawn.GuessAt(n).width += 50 * usual;
    drawn.GuessAt(n).value -= 25 * usual;
  }
  const Strings strings = drawn.Draw();
  for (int32_t n = first; n < first + count; ++n) {
    EXPECT_NEAR(static_cast<double>(strings.at[n]), static_cast<double>(middles[n - first].value),
                static_cast<double>(usual));
  }
}

}  // namespace
}  // namespace syncline::drift_bounded
