// What bounds promise, whatever clocks do within their limits and messages beyond their least
// delays.
#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "estimate/drift_bounded/drift_bounded.h"
#include "estimate/drift_bounded/drift_bounded_test_util.h"
#include "estimate/drift_bounded/recording_test_util.h"
#include "estimate/drift_bounded/tube.h"

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

DriftBoundedEstimate EstimateOf(const Recording& recording, double drift_ppm) {
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
    }
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
