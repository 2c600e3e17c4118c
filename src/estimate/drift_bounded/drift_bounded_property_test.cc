// What bounds promise, whatever clocks do within their limits and messages beyond their least
// delays.
#include <algorithm>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/random_cases.h"
#include "estimate/drift_bounded/drift_bounded.h"
#include "estimate/drift_bounded/drift_bounded_test_util.h"
#include "estimate/drift_bounded/recording_test_util.h"
#include "estimate/drift_bounded/tube.h"
#include "estimate/groups/groups_test_util.h"

namespace syncline::drift_bounded {
namespace {

constexpr int64_t kEpochNs = 1'700'000'000'123'456'789;

struct Drawn {
  SimulationSetup setup;
  double drift_ppm = 0;
};

Drawn RandomSetup(uint64_t seed, std::mt19937_64& random) {
  Drawn drawn;
  SimulationSetup& setup = drawn.setup;
  setup.shape = kShapes[seed % 5];
  setup.clocks = setup.shape == Shape::kPair ? 2 : 3 + static_cast<uint32_t>(random() % 4);
  drawn.drift_ppm = static_cast<double>(1 + random() % 900);
  setup.rate = RateLimits::Within(drawn.drift_ppm);
  setup.course = kCourses[random() % 5];
  setup.start_ns = kEpochNs;
  setup.length_ns = random() % 2 == 0 ? 10'000'000'000 : 3'600'000'000'000;
  setup.messages = 5 + static_cast<int>(random() % 40);
  setup.least_delay_ns = static_cast<int64_t>(random() % 3) * 5000;
  setup.more_ns = random() % 2 == 0 ? 20'000 : 500'000;
  return drawn;
}

DriftBoundedEstimate EstimateOf(const Recording& recording, std::optional<double> drift_ppm) {
  return EstimateDriftBounded(recording.inputs(), recording.Pairs(), recording.Messages(),
                              {.reference = ClockId(0), .max_drift_ppm = drift_ppm})
      .value();
}

// Clocks that run at their very limits may seem to leave them, but nothing proves that they do.
void ExpectNothingAssumed(const DriftBoundedEstimate& estimate, double drift_ppm) {
  for (const DriftBoundedFinding& finding : estimate.components) {
    EXPECT_EQ(finding.state, DriftBoundedFinding::State::kBounded) << finding.reason;
  }
  for (const RaisedLimit& raised : estimate.raised) EXPECT_TRUE(raised.round_trip.has_value());
  EXPECT_TRUE(estimate.suspects.empty());
  for (uint32_t c = 0; c < estimate.limits_ppm.size(); ++c) {
    const bool is_raised = std::any_of(estimate.raised.begin(), estimate.raised.end(),
                                       [&](const RaisedLimit& r) { return r.clock == ClockId(c); });
    if (is_raised) continue;
    EXPECT_LE(estimate.limits_ppm[c], drift_ppm * 1.0001) << c;
  }
  for (const ClockEstimate& clock : estimate.group.clocks) {
    EXPECT_EQ(clock.quality, Quality::kAccurate) << clock.reason;
  }
}

TEST(DriftBoundedProperty, TruthLiesWithinBoundsWhateverClocksDo) {
  for (uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const Drawn drawn = RandomSetup(seed, random);
    const Simulation simulation(drawn.setup, seed);
    const Recording recording(simulation, drawn.setup.clocks);
    const DriftBoundedEstimate estimate = EstimateOf(recording, drawn.drift_ppm);
    ExpectNothingAssumed(estimate, drawn.drift_ppm);
    EXPECT_EQ(recording.Outside(estimate.group), 0u);
    // Of messages that others imply, ends are rounded to nanoseconds by themselves.
    EXPECT_LE(recording.WorstInversion(estimate.group), 1);
  }
}

TEST(DriftBoundedProperty, TruthLiesWithinBoundsBetweenAndBeyondEvents) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const Drawn drawn = RandomSetup(seed, random);
    const Simulation simulation(drawn.setup, seed);
    const Recording recording(simulation, drawn.setup.clocks);
    const DriftBoundedEstimate estimate = EstimateOf(recording, drawn.drift_ppm);
    for (uint32_t track = 0; track < simulation.tracks().size(); ++track) {
      const auto knots = simulation.course(track).knots();
      const int64_t first = knots.front().x, last = knots.back().x;
      for (int i = 0; i < 50; ++i) {
        const int64_t at =
            first + static_cast<int64_t>(random() % static_cast<uint64_t>(last - first));
        EXPECT_FALSE(recording.IsOutside(estimate.group, track, at)) << track << " at " << at;
      }
      for (const Point& knot : knots) {
        EXPECT_FALSE(recording.IsOutside(estimate.group, track, knot.x)) << track;
      }
    }
  }
}

// A clock of rates at the limits by their definition, d(local)/d(global) = 1 ± D, in turns of
// `turn` ns; it starts with 1 + `first`. Exact where its true time is a multiple of 10^6 ns.
BentClocks::Reading AtTheLimits(int64_t first_ppm, int64_t then_ppm, int64_t turn) {
  return [=](int64_t t) {
    const int64_t begun = t / (2 * turn) * (2 * turn), since = t - begun;
    const int64_t of_first = begun / 2 + std::min(since, turn);
    const Int128 gained = Int128{of_first} * first_ppm + Int128{t - of_first} * then_ppm;
    return t + static_cast<int64_t>(FloorDiv(gained, 1'000'000));
  };
}

TEST(DriftBoundedProperty, HoldsForClocksAtTheVeryLimitsOfRates) {
  for (const int64_t ppm : {200, 600, 10'000, 100'000, 500'000}) {
    for (const auto& [first, then] :
         {std::pair(ppm, ppm), std::pair(-ppm, -ppm), std::pair(ppm, -ppm), std::pair(-ppm, ppm)}) {
      SCOPED_TRACE(testing::Message() << first << " and then " << then << " ppm");
      constexpr int64_t kSilence = 1'000'000'000'000;
      constexpr int64_t kLength = 4 * kSilence;
      const BentClocks::Reading read = AtTheLimits(first, then, kSilence / 2);
      BentClocks clocks({[](int64_t t) { return t; }, read}, kLength);
      for (int64_t at = 0; at < kLength; at += kSilence) clocks.Exchange(0, 1, at, 1000, 1000);
      const DriftBoundedEstimate estimate =
          EstimateDriftBounded(clocks.inputs(), clocks.Pairs(), clocks.Messages(),
                               {.reference = ClockId(0),
                                .max_drift_ppm = static_cast<double>(ppm),
                                .max_slew_ppm = static_cast<double>(ppm)})
              .value();
      ExpectNothingAssumed(estimate, static_cast<double>(ppm));
      const TimeBounds& bounds = estimate.group.clocks[1].bounds;
      for (int64_t t = 0; t <= kLength; t += kSilence / 100) {
        EXPECT_LE(bounds.Lower(LocalTime{read(t)}).value().ns, t);
        EXPECT_GE(bounds.Upper(LocalTime{read(t)}).value().ns, t);
      }
    }
  }
}

// Its rate goes from a half to a hundred times that of the reference.
TEST(DriftBoundedProperty, HoldsForAnyRateFromAHalfOn) {
  const BentClocks::Reading read = AtTheLimits(-500'000, 99'000'000, kSecond / 2);
  BentClocks clocks({[](int64_t t) { return t; }, read}, 20 * kSecond);
  for (int64_t at = 0; at < 20 * kSecond; at += kSecond) clocks.Exchange(0, 1, at, 1000, 1000);
  const DriftBoundedEstimate estimate =
      EstimateDriftBounded(
          clocks.inputs(), clocks.Pairs(), clocks.Messages(),
          {.reference = ClockId(0), .max_drift_ppm = {}, .max_slew_ppm = RateLimits::kAnyPpm})
          .value();
  ExpectNothingAssumed(estimate, RateLimits::kAnyPpm);
  const TimeBounds& bounds = estimate.group.clocks[1].bounds;
  for (int64_t t = 0; t <= 20 * kSecond; t += kSecond / 100) {
    EXPECT_LE(bounds.Lower(LocalTime{read(t)}).value().ns, t);
    EXPECT_GE(bounds.Upper(LocalTime{read(t)}).value().ns, t);
  }
}

// No rate is further than W from its mean.
TEST(DriftBoundedProperty, HoldsForClocksThatWanderAsFarAsTheyMay) {
  for (const int64_t mean : {-90'000, -600, 0, 600, 90'000}) {
    SCOPED_TRACE(mean);
    constexpr int64_t kSilence = 1'000'000'000'000;
    constexpr int64_t kLength = 4 * kSilence;
    const BentClocks::Reading read = AtTheLimits(mean + 1000, mean - 1000, kSilence / 2);
    BentClocks clocks({[](int64_t t) { return t; }, read}, kLength);
    for (int64_t at = 0; at <= kLength; at += kSilence) clocks.Exchange(0, 1, at, 0, 0);
    const DriftBoundedEstimate estimate =
        EstimateDriftBounded(clocks.inputs(), clocks.Pairs(), clocks.Messages(),
                             {.reference = ClockId(0),
                              .max_drift_ppm = 100'000,
                              .max_slew_ppm = 100'000,
                              .max_wander_ppm = 1000})
            .value();
    EXPECT_FALSE(estimate.is_wander_contradicted);
    const TimeBounds& bounds = estimate.group.clocks[1].bounds;
    for (int64_t t = 0; t <= kLength; t += kSilence / 100) {
      EXPECT_LE(bounds.Lower(LocalTime{read(t)}).value().ns, t);
      EXPECT_GE(bounds.Upper(LocalTime{read(t)}).value().ns, t);
    }
    // So far it strays in half a silence, and no more is left, but for what is rounded.
    const int64_t half = kSilence / 2;
    EXPECT_LE(bounds.Upper(LocalTime{read(half)}).value().ns, half + 2 * half / 1000 * 5 / 4);
  }
}

TEST(DriftBoundedProperty, HoldsForCoarseTicks) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Drawn drawn = RandomSetup(seed, random);
    const int64_t ticks = std::vector<int64_t>{1000, 32'768, 1'000'000, 100}[seed % 4];
    const Simulation simulation(drawn.setup, seed);
    const Recording recording(simulation, drawn.setup.clocks, ticks);
    const DriftBoundedEstimate estimate = EstimateOf(recording, drawn.drift_ppm);
    ExpectNothingAssumed(estimate, drawn.drift_ppm);
    EXPECT_EQ(recording.Outside(estimate.group), 0u);
    // A receive may be read up to a tick early.
    const int64_t tick_ns = recording.inputs().front().clock.reading_ns;
    EXPECT_LE(recording.WorstInversion(estimate.group), 2 * tick_ns);
  }
}

bool HasTrackHeardOneWay(const Simulation& simulation) {
  std::vector<int> sent(simulation.tracks().size()), received(simulation.tracks().size());
  for (const TestMessage& m : simulation.messages()) {
    ++sent[m.from];
    ++received[m.to];
  }
  return std::count(sent.begin(), sent.end(), 0) + std::count(received.begin(), received.end(), 0) >
         0;
}

TEST(DriftBoundedProperty, HoldsForClocksThatWereSetBack) {
  int runs = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Drawn drawn = RandomSetup(seed, random);
    drawn.setup.steps = 1 + static_cast<uint32_t>(random() % 3);
    drawn.setup.messages = 20 + static_cast<int>(random() % 60);
    const Simulation simulation(drawn.setup, seed);
    if (HasTrackHeardOneWay(simulation)) continue;
    ++runs;
    const Recording recording(simulation, drawn.setup.clocks);
    const DriftBoundedEstimate estimate = EstimateOf(recording, drawn.drift_ppm);
    ExpectNothingAssumed(estimate, drawn.drift_ppm);
    EXPECT_EQ(recording.Outside(estimate.group), 0u);
    EXPECT_LE(recording.WorstInversion(estimate.group), 1);
  }
  EXPECT_GT(runs, 40);
}

TEST(DriftBoundedProperty, IsTheSameInAnyOrderOfMessages) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const Drawn drawn = RandomSetup(seed, random);
    const Simulation simulation(drawn.setup, seed);
    Recording recording(simulation, drawn.setup.clocks);
    const DriftBoundedEstimate estimate = EstimateOf(recording, drawn.drift_ppm);
    std::shuffle(recording.messages().begin(), recording.messages().end(), random);
    const DriftBoundedEstimate other = EstimateOf(recording, drawn.drift_ppm);
    for (const TestMessage& m : simulation.messages()) {
      const uint32_t c = simulation.clock_of(m.to);
      const LocalTime t{m.r};
      EXPECT_EQ(estimate.group.clocks[c].bounds.Lower(t), other.group.clocks[c].bounds.Lower(t));
      EXPECT_EQ(estimate.group.clocks[c].bounds.Upper(t), other.group.clocks[c].bounds.Upper(t));
      EXPECT_EQ(estimate.group.clocks[c].correction(t), other.group.clocks[c].correction(t));
    }
  }
}

// Where messages go one way only, are few, or leave any rate open, straight lines that fit them can
// leave the limits.
TEST(DriftBoundedProperty, CorrectedTimesLieWithinTheirBounds) {
  for (uint64_t seed = 1; seed <= RandomCases(1000); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Drawn drawn = RandomSetup(seed, random);
    const double ppm = std::vector<double>{50, 200, 5000, 100'000, 300'000}[random() % 5];
    drawn.setup.rate = RateLimits::Within(ppm);
    drawn.setup.has_one_way_pairs = random() % 2 == 0;
    if (random() % 2 == 0) drawn.setup.messages = 1 + static_cast<int>(random() % 3);
    if (random() % 4 == 0) drawn.setup.steps = 1;
    const int64_t ticks = random() % 4 == 0 ? 32'768 : 1'000'000'000;
    const Simulation simulation(drawn.setup, seed);
    const Recording recording(simulation, drawn.setup.clocks, ticks);
    const auto limit = ppm < 300'000 ? std::optional(ppm) : std::nullopt;
    const DriftBoundedEstimate estimate = EstimateOf(recording, limit);
    // Lines between integers are rounded by themselves.
    EXPECT_LE(recording.WorstOutside(estimate.group), 1) << ppm;
    EXPECT_EQ(recording.Outside(estimate.group), 0u) << ppm;
  }
}

// Both ends of the bounds, and so their middle, are what clocks can have done: they satisfy all
// messages and all limits, but for the rounding of a few units.
TEST(DriftBoundedProperty, BoundsAreAttained) {
  for (uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Drawn drawn = RandomSetup(seed, random);
    drawn.setup.start_ns = 0;
    const Simulation simulation(drawn.setup, seed);
    const Directions directions(simulation.tracks(), simulation.messages());
    const Graph graph(simulation.tracks(), directions.all(), Graph::ShiftFor(directions.all()));
    const BothPaths paths = FindBothPaths({&graph, 1}).front();
    std::vector<TrackTube> tubes;
    for (size_t t = 0; t < graph.tracks(); ++t) tubes.push_back(TubeOf(graph, paths, t));
    const auto lower = [&](uint32_t t, int64_t z) { return tubes[t].Earliest(graph.Units(z)); };
    const auto upper = [&](uint32_t t, int64_t z) { return tubes[t].Latest(graph.Units(z)); };
    const int64_t rounding = 4 + 2 * static_cast<int64_t>(drawn.setup.clocks);
    for (const TestMessage& m : simulation.messages()) {
      const int64_t least = graph.Units(m.least_delay_ns);
      EXPECT_GE(lower(m.to, m.r) - lower(m.from, m.s), least - rounding);
      EXPECT_GE(upper(m.to, m.r) - upper(m.from, m.s), least - rounding);
    }
    for (uint32_t t = 0; t < graph.tracks(); ++t) {
      std::vector<int64_t> readings;
      for (const TestMessage& m : simulation.messages()) {
        if (m.from == t) readings.push_back(m.s);
        if (m.to == t) readings.push_back(m.r);
      }
      std::sort(readings.begin(), readings.end());
      for (size_t i = 0; i + 1 < readings.size(); ++i) {
        const int64_t span = graph.Units(readings[i + 1] - readings[i]);
        for (const bool is_lower : {true, false}) {
          const auto value = [&](int64_t z) { return is_lower ? lower(t, z) : upper(t, z); };
          const int64_t advance = value(readings[i + 1]) - value(readings[i]);
          EXPECT_GE(advance, Slowest(span, graph.track(t).rate) - rounding);
          EXPECT_LE(advance, Fastest(span, graph.track(t).rate) + rounding);
        }
      }
    }
  }
}

}  // namespace
}  // namespace syncline::drift_bounded
