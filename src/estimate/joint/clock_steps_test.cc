#include "estimate/joint/clock_steps.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

// b of (a, b) is `ahead` of a at each of `count` positions.
StepCurve CurveOf(size_t a, size_t b, size_t count, const std::function<double(double)>& ahead,
                  double scatter_us, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  StepCurve curve{a, b, {}};
  for (size_t k = 0; k < count; ++k) {
    const double at = static_cast<double>(k) + 0.5;
    curve.samples.push_back({at, scatter_us * normal(random) - ahead(at)});
  }
  return curve;
}

TEST(ClockSteps, FindsTimeSizeAndSign) {
  // b gains 2 µs per sample, and 500 µs at once after the 30th.
  const auto ahead = [](double at) { return 2 * at + (at > 30 ? 500 : 0); };
  const std::vector<StepCurve> curves = {CurveOf(0, 1, 60, ahead, 3, 1)};
  const std::vector<ClockStep> steps = FindSteps(curves, 2);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].clock, 1U);
  EXPECT_LE(steps[0].after, 30);
  EXPECT_GE(steps[0].before, 30);
  EXPECT_LE(steps[0].before - steps[0].after, 2);
  EXPECT_NEAR(steps[0].ahead_us, 500, 3 * 3);
}

TEST(ClockSteps, OneSampleBetweenMayBeAnything) {
  auto curve = CurveOf(
      0, 1, 40, [](double at) { return at > 20 ? -800.0 : 0.0; }, 5, 2);
  curve.samples[20].centre_us = 12'345;
  const std::vector<ClockStep> steps = FindSteps(std::vector{curve}, 2);
  ASSERT_FALSE(steps.empty());
  EXPECT_NEAR(steps[0].ahead_us, -800, 30);
}

TEST(ClockSteps, TheClockThatAllItsPairsAgreeAbout) {
  // Clock 2 of four is set back by 1 ms; pairs without it show nothing.
  const auto back = [](double at) { return at > 25 ? -1000.0 : 0.0; };
  const auto forth = [&](double at) { return -back(at); };
  const auto level = [](double /*at*/) { return 0.0; };
  const std::vector<StepCurve> curves = {
      CurveOf(0, 1, 50, level, 4, 3), CurveOf(0, 2, 50, back, 4, 4), CurveOf(2, 3, 50, forth, 4, 5),
      CurveOf(1, 3, 50, level, 4, 6), CurveOf(1, 2, 50, back, 4, 7)};
  const std::vector<ClockStep> steps = FindSteps(curves, 4);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].clock, 2U);
  EXPECT_NEAR(steps[0].ahead_us, -1000, 10);
}

TEST(ClockSteps, TheReferenceItselfMayBeSet) {
  // All others seem to go back when clock 0 is set ahead.
  const auto back = [](double at) { return at > 25 ? -700.0 : 0.0; };
  const std::vector<StepCurve> curves = {CurveOf(0, 1, 50, back, 4, 8),
                                         CurveOf(0, 2, 50, back, 4, 9)};
  const std::vector<ClockStep> steps = FindSteps(curves, 3);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].clock, 0U);
  EXPECT_NEAR(steps[0].ahead_us, 700, 10);
}

TEST(ClockSteps, NothingWhereClocksBendWanderOrScatter) {
  const std::vector<std::function<double(double)>> courses = {
      [](double /*at*/) { return 0.0; },
      [](double at) { return 50 * at; },
      [](double at) { return 250 * std::clamp(at - 30, 0.0, 10.0); },  // slewed for ten samples
      [](double at) { return 300 * std::sin(at / 8); },
  };
  for (uint64_t seed = 10; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    for (const auto& ahead : courses) {
      EXPECT_TRUE(FindSteps(std::vector{CurveOf(0, 1, 80, ahead, 20, seed)}, 2).empty());
    }
  }
}

TEST(ClockSteps, TooFewSamplesSayNothing) {
  const auto ahead = [](double at) { return at > 3 ? 500.0 : 0.0; };
  EXPECT_TRUE(FindSteps(std::vector{CurveOf(0, 1, 7, ahead, 1, 40)}, 2).empty());
  EXPECT_TRUE(FindSteps({}, 0).empty());
}

}  // namespace
}  // namespace syncline
