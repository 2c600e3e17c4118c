#include "estimate/drift_bounded/best_guess.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "estimate/drift_bounded/drift_bounded_test_util.h"
#include "estimate/drift_bounded/envelope.h"
#include "estimate/drift_bounded/ladder.h"
#include "estimate/drift_bounded/paths.h"
#include "estimate/drift_bounded/tracks.h"

namespace syncline::drift_bounded {
namespace {

// How far a clock is ahead of true time, in nanoseconds, after so many seconds.
using Ahead = std::function<double(double)>;

constexpr double kMeshDriftPpm = 200;

// Clocks that all exchange messages with each other, of which the first keeps true time.
struct Mesh {
  struct Setup {
    double length_s = 200;
    int messages = 4000;
    double jitter_ns = 50'000;
    std::function<double(uint32_t from, uint32_t to)> least_ns = [](auto, auto) { return 20'000; };
  };

  Mesh(std::vector<Ahead> courses, uint64_t seed, const Setup& setup) : ahead(std::move(courses)) {
    const auto clocks = static_cast<uint32_t>(ahead.size());
    std::mt19937_64 random(seed);
    std::exponential_distribution<double> jitter(1 / setup.jitter_ns);
    tracks.assign(clocks, {.rate = RateLimits::Within(kMeshDriftPpm)});
    tracks[0] = {.rate = {}, .is_reference = true};
    std::vector<Envelope> envelopes;
    for (uint32_t from = 0; from < clocks; ++from) {
      for (uint32_t to = 0; to < clocks; ++to) {
        if (from == to) continue;
        directions.push_back({.from = from, .to = to});
        envelopes.emplace_back(tracks[from].rate, tracks[to].rate);
      }
    }
    for (int i = 0; i < setup.messages; ++i) {
      const size_t way = random() % directions.size();
      const auto& [from, to, least, all] = directions[way];
      const auto sent = static_cast<int64_t>(setup.length_s * 1e9 * i / setup.messages);
      const auto taken = static_cast<int64_t>(setup.least_ns(from, to) + jitter(random));
      envelopes[way].Add({Reading(from, sent), Reading(to, sent + taken), 0});
    }
    for (size_t i = 0; i < directions.size(); ++i) directions[i].all = envelopes[i].Take();
    slopes.assign(clocks, std::numeric_limits<double>::quiet_NaN());
    Solve(0);
  }
  // With this least delay of all messages.
  void Solve(int64_t least_delay_ns) {
    std::vector<Direction> all;
    for (KeptDirection& d : directions) {
      d.least_delay_ns = least_delay_ns;
      all.push_back({d.from, d.to, least_delay_ns, d.all});
    }
    graph = Graph(tracks, all, 10);
    paths = std::move(FindBothPaths({&graph, 1}).front());
  }

  int64_t Reading(uint32_t clock, int64_t time) const {
    return time + static_cast<int64_t>(std::floor(ahead[clock](static_cast<double>(time) / 1e9)));
  }
  LadderInput Input(const TrackTable& tracks) const {
    return {.tracks = tracks,
            .directions = directions,
            .slopes = slopes,
            .graph = graph,
            .paths = paths};
  }
  // RMS error in nanoseconds of what value(node) says, over all clocks but the first.
  double Rms(const std::function<int64_t(uint32_t track, int32_t node)>& value) const {
    double sum = 0;
    int count = 0;
    for (uint32_t t = 1; t < graph.tracks(); ++t) {
      for (int32_t n = graph.first(t); n < graph.first(t + 1); ++n) {
        if (!paths.IsBounded(n)) continue;
        const auto at = static_cast<double>(value(t, n)) / 1024;
        const double reading = static_cast<double>(graph.readings()[n]) / 1024;
        const double error = reading - at - ahead[t](at / 1e9);
        sum += error * error;
        ++count;
      }
    }
    return std::sqrt(sum / count);
  }

  std::vector<Ahead> ahead;
  std::vector<Track> tracks;
  std::vector<KeptDirection> directions;
  Graph graph;
  BothPaths paths;
  std::vector<double> slopes;
};

// Both kinds of guess, of the same mesh.
struct Compared {
  explicit Compared(const Mesh& mesh) {
    const TrackTable tracks(std::vector<uint32_t>(mesh.ahead.size(), 1));
    const Guess ladder = ClimbDown(mesh.Input(tracks));
    best = FindBestGuess(mesh.Input(tracks));
    ladder_ns = mesh.Rms([&](uint32_t t, int32_t n) { return ladder.At(mesh.graph, t, n).value; });
    best_ns = mesh.Rms([&](uint32_t, int32_t n) { return best.at[n]; });
  }
  BestGuess best;
  double ladder_ns = 0, best_ns = 0;
};

double Still(double) { return 0; }
// So many ppm fast for the first half of `length_s`, slow for the second.
Ahead Turning(double ppm, double length_s) {
  return [=](double t) { return 1e3 * ppm * std::min(t, length_s - t); };
}

// But for rounding.
void ExpectFeasible(const Graph& graph, const BothPaths& paths, const BestGuess& best) {
  const auto is_known = [&](int32_t n) { return best.at[n] != Paths::kNone; };
  for (uint32_t t = 0; t < graph.tracks(); ++t) {
    for (int32_t n = graph.first(t); n < graph.first(t + 1); ++n) {
      ASSERT_EQ(is_known(n), paths.IsBounded(n)) << t;
      if (!is_known(n)) continue;
      EXPECT_GE(best.at[n], paths.earliest.value[n]);
      EXPECT_LE(best.at[n], -paths.latest.value[n]);
      if (graph.track(t).is_reference) EXPECT_EQ(best.at[n], graph.readings()[n]);
    }
  }
  for (const Graph::Links& links : graph.links()) {
    for (const auto& [send, receive] : links.links) {
      if (!is_known(send) || !is_known(receive)) continue;
      EXPECT_GE(best.at[receive] - best.at[send], links.least_delay - 4);
    }
  }
}
void ExpectFeasible(const Mesh& mesh, const BestGuess& best) {
  ExpectFeasible(mesh.graph, mesh.paths, best);
}

TEST(BestGuess, LiesWithinBoundsAndInvertsNothing) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    std::vector<Ahead> courses = {Still};
    for (uint64_t c = 1; c < 2 + seed % 3; ++c) {
      const auto turn = static_cast<double>(2 * c + seed);
      courses.push_back([=](double t) { return 1e5 * std::sin(t / turn) + 2e3 * t; });
    }
    const Mesh mesh(courses, seed, {.messages = 600});
    ExpectFeasible(mesh, Compared(mesh).best);
  }
}

// Limits about one line must allow for both rates, all the time.
TEST(BestGuess, FollowsAClockThatChangesItsRateOnce) {
  double ladder_ns = 0, best_ns = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const Mesh mesh({Still, Turning(10, 200)}, seed, {.messages = 2000});
    const Compared compared(mesh);
    EXPECT_GT(compared.best.limit_ppm[1], 5);
    ladder_ns += compared.ladder_ns;
    best_ns += compared.best_ns;
  }
  EXPECT_LT(best_ns, 0.7 * ladder_ns);
}

// Each way has a least delay of its own; the quickest message to a clock comes over one of them.
TEST(BestGuess, SharesWhatWaysThereAndBackDifferByAmongAllNeighbours) {
  double ladder_ns = 0, best_ns = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<double> least;
    for (int i = 0; i < 64; ++i)
      least.push_back(2e6 + 8e6 * static_cast<double>(random() % 101) / 100);
    std::vector<Ahead> courses(8, Turning(10, 200));
    courses[0] = Still;
    const Mesh mesh(courses, seed, {.messages = 8000, .least_ns = [&](uint32_t from, uint32_t to) {
                                      return least[8 * from + to];
                                    }});
    const Compared compared(mesh);
    ladder_ns += compared.ladder_ns;
    best_ns += compared.best_ns;
  }
  EXPECT_LT(best_ns, 0.7 * ladder_ns);
}

TEST(BestGuess, OfAStraightClockIsStraight) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const Mesh mesh({Still, [](double t) { return 3e4 * t; }}, seed, {});
    const Compared compared(mesh);
    ExpectFeasible(mesh, compared.best);
    EXPECT_LT(compared.best.limit_ppm[1], 0.01);
    EXPECT_LT(compared.best_ns, 200);
  }
}

// Any courses, topology and rates, clocks that were set, pairs that talk one way, tracks that are
// not settled.
TEST(BestGuess, IsFeasibleWhateverClocksDo) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const double rates_ppm[] = {1, 200, 100'000, RateLimits::kMostPpm / 2};
    const Simulation simulation(
        {.shape = kShapes[seed % 5],
         .clocks = kShapes[seed % 5] == Shape::kPair ? 2 : 3 + static_cast<uint32_t>(random() % 4),
         .rate = RateLimits::Within(rates_ppm[random() % 4]),
         .course = kCourses[random() % 5],
         .length_ns = random() % 2 == 0 ? 10'000'000 : 3'600'000'000'000,
         .messages = 1 + static_cast<int>(random() % 60),
         .steps = static_cast<uint32_t>(random() % 3),
         .has_one_way_pairs = random() % 4 == 0},
        seed);
    const Directions directions(simulation.tracks(), simulation.messages());
    const Graph graph(simulation.tracks(), directions.all(), Graph::ShiftFor(directions.all()));
    const BothPaths paths = std::move(FindBothPaths({&graph, 1}).front());
    ASSERT_TRUE(paths.cycle().empty());
    std::vector<KeptDirection> kept;
    for (const Direction& d : directions.all()) {
      kept.push_back({d.from, d.to, d.least_delay_ns, {d.messages.begin(), d.messages.end()}});
    }
    std::vector<uint32_t> epochs;
    std::vector<bool> is_unsettled;
    for (uint32_t t = 0; t < simulation.tracks().size(); ++t) {
      epochs.resize(simulation.clock_of(t) + 1, 0);
      ++epochs.back();
      is_unsettled.push_back(t > 0 && random() % 4 == 0);
    }
    if (random() % 2 == 0) is_unsettled.clear();
    const TrackTable tracks(epochs);
    const std::vector<double> slopes(epochs.size(), std::numeric_limits<double>::quiet_NaN());
    ExpectFeasible(graph, paths,
                   FindBestGuess({.tracks = tracks,
                                  .directions = kept,
                                  .slopes = slopes,
                                  .graph = graph,
                                  .paths = paths},
                                 is_unsettled));
  }
}

// Two clocks that talk to each other only send to the others; what is unknown disturbs nobody.
TEST(BestGuess, IsUnknownWhereASideIsOpen) {
  double ladder_ns = 0, best_ns = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    Mesh mesh({Still, Turning(10, 200), Still, Still}, seed, {.messages = 12000});
    std::erase_if(mesh.directions, [](const KeptDirection& d) { return d.to >= 2 && d.from < 2; });
    // So that their circle takes time, wherever it is.
    mesh.Solve(1'000);
    const Compared compared(mesh);
    ExpectFeasible(mesh, compared.best);
    EXPECT_FALSE(compared.best.IsKnown(mesh.graph, 2));
    ladder_ns += compared.ladder_ns;
    best_ns += compared.best_ns;
  }
  EXPECT_LT(best_ns, 0.8 * ladder_ns);
}

}  // namespace
}  // namespace syncline::drift_bounded
