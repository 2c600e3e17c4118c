#include "record/counter/frequency.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "record/counter/testing/simulated_time.h"

namespace syncline {
namespace {

TEST(Frequency, OfTwoSightingsAsWorkedOutByHand) {
  const Sighting early = {100, 0, 140};
  const Sighting late = {2300, 1000, 2330};
  const auto f = FrequencyBetween(early, late, Steps{});
  ASSERT_TRUE(f.has_value());
  EXPECT_EQ(f->low_hz, (2300 - 140 - 1) * 1'000'000'000LL / 1001);
  EXPECT_EQ(f->high_hz, (2330 - 100 + 1) * 1'000'000'000LL / 999 + 1);
  EXPECT_EQ(f->hz, (f->low_hz + f->high_hz + 1) / 2);
  EXPECT_EQ(f->elapsed_ns, 1000);
}

TEST(Frequency, BoundIsTheLargerDistanceInPartsPerBillionRoundedUp) {
  const Frequency f = {.hz = 1000, .low_hz = 990, .high_hz = 1020, .elapsed_ns = 1};
  EXPECT_EQ(f.BoundPpb(), 20'202'021);  // 20 / 990 = 0.020202020202…
}

TEST(Frequency, IsUnknownWhereSightingsAreTooCloseOrTheCounterStands) {
  EXPECT_FALSE(FrequencyBetween({100, 0, 140}, {150, 1, 190}, Steps{}).has_value());
  EXPECT_FALSE(FrequencyBetween({100, 0, 140}, {100, 5000, 140}, Steps{}).has_value());
  EXPECT_FALSE(FrequencyBetween({100, 0, 140}, {50, 5000, 60}, Steps{}).has_value());
}

TEST(Frequency, OfExtremeReadingsDoesNotOverflow) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  const auto f = FrequencyBetween({kMin, kMin, kMin}, {kMax, kMax, kMax}, Steps{});
  ASSERT_TRUE(f.has_value());
  EXPECT_NEAR(static_cast<double>(f->hz), 1e9, 1);
  EXPECT_FALSE(FrequencyBetween({kMin, 0, kMin}, {kMax, 2, kMax}, Steps{}).has_value());
}

TEST(Frequency, NarrowestSightingOfABurstIsTaken) {
  SimulatedCounter model;
  model.interruption_share = 0.5;
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    SimulatedTime time(model, seed);
    const Sighting seen = SeeReference(time);
    // Two readings of at most 40 ns each follow the first one; some of 32 are not interrupted.
    EXPECT_LE(static_cast<double>(seen.Width()), 80 * 2.4 + 1) << "seed " << seed;
  }
}

struct Machine {
  const char* name;
  SimulatedCounter counter;
};

std::vector<Machine> Machines() {
  return {{"fast", {.hz = 5.2e9}},
          {"usual", {.hz = 2'399'987'654.3}},
          {"arm", {.hz = 24e6}},
          {"steps", {.hz = 1e9, .step_ticks = 40}},
          {"coarse clock", {.hz = 3e9, .reference_step_ns = 1000}},
          {"busy", {.hz = 2.1e9, .interruption_share = 0.6, .interruption_ns = 5'000'000}},
          {"drifting", {.hz = 2.5e9, .drift_per_s = 1e-4}},
          {"slowing", {.hz = 2.5e9, .drift_per_s = -3e-4, .origin_ticks = 7e9}}};
}

// The sighting's own instant is unknown to the calibration; the simulation knows it.
struct KnownSighting {
  Sighting seen;
  int64_t true_ns = 0;
};

KnownSighting SeeAndKnow(SimulatedTime& time) {
  const Sighting seen = SeeReference(time, 1);
  return {seen, time.last_reference_true_ns()};
}

TEST(Frequency, TrueMeanFrequencyIsAlwaysWithinTheBounds) {
  for (const Machine& machine : Machines()) {
    for (uint64_t seed = 1; seed <= 200; ++seed) {
      SCOPED_TRACE(testing::Message() << machine.name << ", seed " << seed);
      std::mt19937_64 random(seed);
      SimulatedTime time(machine.counter, seed);
      const KnownSighting early = SeeAndKnow(time);
      time.Let(std::uniform_int_distribution<int64_t>(1000, 300'000'000)(random));
      const KnownSighting late = SeeAndKnow(time);
      const auto f = FrequencyBetween(early.seen, late.seen, time);
      if (!f) continue;  // too close for this machine's steps
      const double ticks = time.TicksAt(late.true_ns) - time.TicksAt(early.true_ns);
      const double truth = ticks / static_cast<double>(late.true_ns - early.true_ns) * 1e9;
      EXPECT_GE(truth, static_cast<double>(f->low_hz));
      EXPECT_LE(truth, static_cast<double>(f->high_hz));
    }
  }
}

TEST(Frequency, WaitingReachesTheWantedBoundWithoutWaitingLong) {
  for (const Machine& machine : Machines()) {
    for (const int64_t wanted : {100'000, 1000, 100}) {
      SCOPED_TRACE(testing::Message() << machine.name << ", " << wanted << " ppb");
      SimulatedTime time(machine.counter, 7);
      const Sighting early = SeeReference(time);
      const Calibration c = Calibrate(time, early, {wanted, 10'000'000'000'000});
      ASSERT_TRUE(c.frequency.has_value());
      EXPECT_LE(c.frequency->BoundPpb(), wanted);
      // (t_get + t_d) / T, with the widest t_get that the narrowest of 32 readings has here.
      const double widest_ns = machine.counter.interruption_share > 0.5 ? 2e6 : 300;
      const Steps steps = time.GetSteps();
      const double tick_ns = 1e9 / machine.counter.hz;
      const double get_ns = 2 * (widest_ns + static_cast<double>(steps.ns) +
                                 static_cast<double>(steps.ticks) * tick_ns);
      EXPECT_LE(static_cast<double>(time.slept_ns()),
                2 * get_ns * 1e9 / static_cast<double>(wanted) + 1e6);
    }
  }
}

TEST(Frequency, WaitingEndsWhenPatienceDoes) {
  SimulatedTime time(SimulatedCounter{}, 3);
  const Sighting early = SeeReference(time);
  const Calibration c = Calibrate(time, early, {.wanted_bound_ppb = 1, .max_wait_ns = 5'000'000});
  ASSERT_TRUE(c.frequency.has_value());
  EXPECT_GT(c.frequency->BoundPpb(), 1);
  EXPECT_EQ(time.slept_ns(), 5'000'000);
}

TEST(Frequency, NoPatienceMeansNoWaiting) {
  SimulatedTime time(SimulatedCounter{}, 3);
  const Sighting early = SeeReference(time);
  Calibrate(time, early, {.wanted_bound_ppb = 1, .max_wait_ns = 0});
  EXPECT_EQ(time.slept_ns(), 0);
}

TEST(EpochLine, FollowsTheCounterFromTheAnchor) {
  // 24 ticks in 10 ns; the anchor's middle is tick 1000.
  const EpochLine line({990, 5'000'000, 1010}, 24, 10);
  EXPECT_EQ(line.ToNs(1000), 5'000'000);
  EXPECT_EQ(line.ToNs(1024), 5'000'010);
  EXPECT_EQ(line.ToNs(976), 4'999'990);
  EXPECT_EQ(line.ToNs(1012), 5'000'005);
}

TEST(EpochLine, SaturatesAndStaysMonotone) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  const EpochLine line({0, 1'750'000'000'000'000'000, 0}, 1, 1000);
  EXPECT_EQ(line.ToNs(kMax), kMax);
  EXPECT_EQ(line.ToNs(kMin), kMin);
  int64_t last = kMin;
  for (int64_t counter = -5000; counter <= 5000; counter += 7) {
    const EpochLine slow({0, 17, 3}, 7919, 3310);
    EXPECT_GE(slow.ToNs(counter), last);
    last = slow.ToNs(counter);
  }
}

}  // namespace
}  // namespace syncline
