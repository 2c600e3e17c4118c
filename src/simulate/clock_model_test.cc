#include "simulate/clock_model.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include <gtest/gtest.h>

#include "base/int128.h"
#include "base/testing/times.h"

namespace syncline {
namespace {

constexpr int64_t kS = 1'000'000'000;

ClockModel Model(const std::string& parts, int64_t start_ns = 0, uint64_t seed = 1) {
  const auto assignment = ParseClockAssignment("*:" + parts);
  EXPECT_TRUE(assignment) << assignment.error().message;
  const auto spec = SpecOf(0, {}, {&*assignment, 1});
  EXPECT_TRUE(spec) << spec.error().message;
  return ClockModel(*spec, start_ns, seed);
}

int64_t Shown(ClockModel& clock, int64_t true_ns) { return clock.At(true_ns).ticks; }

TEST(ClockModel, ShowsTrueTimeWithoutParts) {
  ClockModel clock(ClockSpec{}, 5, 1);
  for (const int64_t t : {int64_t{5}, 7 * kS, 5'000'000 * kS}) EXPECT_EQ(Shown(clock, t), t);
}

TEST(ClockModel, OffsetIsAdded) {
  ClockModel clock = Model("offset=-1.5ms");
  EXPECT_EQ(Shown(clock, 0), -1'500'000);
  EXPECT_EQ(Shown(clock, 3 * kS), 3 * kS - 1'500'000);
}

TEST(ClockModel, DriftIsTheExactLineRoundedDown) {
  const int64_t start = 1'700'000'000 * kS;
  for (const int64_t ppm : {20, -20, 499'999}) {
    ClockModel clock = Model("drift=" + std::to_string(ppm) + "ppm", start);
    for (int64_t t = 0; t < 40'000 * kS; t += 777'777'777'777) {
      const Int128 gain = FloorDiv(static_cast<Int128>(t) * ppm, 1'000'000);
      EXPECT_EQ(Shown(clock, start + t), start + t + static_cast<int64_t>(gain)) << ppm;
    }
  }
}

TEST(ClockModel, DriftStepsWhereItIsTold) {
  ClockModel clock = Model("drift=20ppm,520ppm@5s,-10ppm@10s");
  EXPECT_EQ(Shown(clock, 5 * kS) - 5 * kS, 5 * 20 * kUs);
  EXPECT_EQ(Shown(clock, 7 * kS) - 7 * kS, (5 * 20 + 2 * 520) * kUs);
  EXPECT_EQ(Shown(clock, 20 * kS) - 20 * kS, (5 * 20 + 5 * 520 - 10 * 10) * kUs);
}

TEST(ClockModel, SineFollowsTheCurve) {
  ClockModel clock = Model("sine=1ms/10s");
  for (int64_t t = 0; t < 30 * kS; t += 12'345'678) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(t) / 10e9;
    // Between points 2π/64 apart a chord is off by up to (2π/64)²/8 of the amplitude.
    EXPECT_NEAR(static_cast<double>(Shown(clock, t) - t), 1e6 * std::sin(angle), 1e6 * 0.00121 + 2);
  }
  EXPECT_EQ(Shown(clock, 10 * kS / 4) - 10 * kS / 4, kMs);
  EXPECT_EQ(Shown(clock, 3 * 10 * kS / 4) - 3 * 10 * kS / 4, -kMs);
}

TEST(ClockModel, SineOfALongPeriodIsCutIntoSegments) {
  ClockModel clock = Model("sine=10s/200000s");
  EXPECT_EQ(Shown(clock, 50'000 * kS), 50'000 * kS + 10 * kS);
  const int64_t half_point = 200'000 * kS / 128;
  const int64_t point = 2 * half_point;
  const int64_t at_point = Shown(clock, point) - point;
  EXPECT_NEAR(static_cast<double>(Shown(clock, half_point) - half_point),
              static_cast<double>(at_point) / 2, 2);
}

TEST(ClockModel, SlewBringsTheClockBackAfterEveryInterval) {
  ClockModel clock = Model("slew=20ppm/64s");
  EXPECT_EQ(Shown(clock, 64 * kS) - 64 * kS, 64 * 20 * kUs);
  // Against 20 ppm, 500 ppm win 480 µs per second: 1280/480 s later the clock is right.
  const int64_t right = 64 * kS + 64 * 20 * kS / 480;
  EXPECT_NEAR(static_cast<double>(Shown(clock, right) - right), 0, 1);
  EXPECT_NEAR(static_cast<double>(Shown(clock, 128 * kS) - 128 * kS),
              static_cast<double>(128 * kS - right) * 20e-6, 2);
}

TEST(ClockModel, JumpTakesEffectAtItsInstant) {
  ClockModel forward = Model("jump=5ms@2s");
  EXPECT_EQ(Shown(forward, 2 * kS - 1), 2 * kS - 1);
  EXPECT_EQ(Shown(forward, 2 * kS), 2 * kS + 5 * kMs);
  EXPECT_EQ(Shown(forward, 9000 * kS), 9000 * kS + 5 * kMs);
  ClockModel backward = Model("jump=-5ms@2s");
  EXPECT_EQ(Shown(backward, 2 * kS - 1), 2 * kS - 1);
  EXPECT_EQ(Shown(backward, 2 * kS), 2 * kS - 5 * kMs);
}

TEST(ClockModel, TickShowsMultiplesRoundedDown) {
  ClockModel clock = Model("offset=-25ms+tick=10ms@3ms");
  EXPECT_EQ(Shown(clock, 0), -27 * kMs);
  EXPECT_EQ(Shown(clock, 8 * kMs - 1), -27 * kMs);
  EXPECT_EQ(Shown(clock, 8 * kMs), -17 * kMs);
  EXPECT_EQ(clock.Declaration("c").reading_ns, 10 * kMs);
}

TEST(ClockModel, HzCountsTicks) {
  ClockModel clock = Model("hz=24000000");
  EXPECT_EQ(Shown(clock, 1 * kS), 24'000'000);
  EXPECT_EQ(Shown(clock, 41), 0);
  EXPECT_EQ(Shown(clock, 42), 1);
  EXPECT_EQ(clock.Declaration("c").ticks_per_second, 24'000'000);
}

TEST(ClockModel, WhatIsDrawnStaysWithinItsLimits) {
  int64_t least = INT64_MAX;
  int64_t most = INT64_MIN;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    ClockModel clock = Model("offset=~1ms", 0, seed);
    least = std::min(least, Shown(clock, 0));
    most = std::max(most, Shown(clock, 0));
  }
  EXPECT_GE(least, -kMs);
  EXPECT_LE(most, kMs);
  EXPECT_LT(least, -kMs * 9 / 10);
  EXPECT_GT(most, kMs * 9 / 10);
}

// Whatever the parts: strictly monotone from knot to knot, within the stated drift, the same going
// forward and looking back.
TEST(ClockModel, KeepsItsWord) {
  const struct {
    const char* parts;
    int64_t most_ppm;
  } cases[] = {{"steps=100ppm/10ms", 100},
               {"walk=10ppm/1ms", 1000},
               {"offset=~1s+drift=~50ppm+sine=1ms/100ms", 63'100},
               {"drift=-300000ppm+steps=200000ppm/1us", 500'000}};
  for (const auto& c : cases) {
    ClockModel clock = Model(c.parts);
    ClockKnots knots = clock.Knots();
    ClockKnot last = knots.Next();
    for (int i = 0; i < 2000; ++i) {
      const ClockKnot knot = knots.Next();
      const int64_t span = knot.true_ns - last.true_ns;
      const int64_t rise = knot.local_ns - last.local_ns;
      ASSERT_GT(rise, 0) << c.parts;
      // Each end is rounded once per part.
      ASSERT_LE(std::abs(rise - span), span * c.most_ppm / 1'000'000 + 4) << c.parts;
      ASSERT_LE(Shown(clock, knot.true_ns - 1), knot.local_ns);
      ASSERT_EQ(Shown(clock, knot.true_ns), knot.local_ns);
      last = knot;
    }
    EXPECT_EQ(Shown(clock, 0), Model(c.parts).At(0).ticks) << "after going back";
  }
}

}  // namespace
}  // namespace syncline
