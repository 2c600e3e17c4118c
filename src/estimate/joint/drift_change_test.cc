#include "estimate/joint/drift_change.h"

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr double kHalfWidthUs = 100;

// A pair whose clocks stray as given, besides a level, a slope and normal noise.
template <typename Stray>
CentreCurve Curve(size_t a, size_t b, size_t bins, Stray stray, double noise_us,
                  std::mt19937_64& random) {
  std::normal_distribution<double> normal(0, noise_us);
  CentreCurve curve{.a = a, .b = b, .half_width_us = kHalfWidthUs};
  for (size_t k = 0; k < bins; ++k) {
    const double share = (static_cast<double>(k) + 0.5) / static_cast<double>(bins);
    curve.centres_us.push_back(30 + 70 * share + stray(share) + normal(random));
    curve.weights.push_back(1 / (noise_us * noise_us));
    curve.half_widths_us.push_back(kHalfWidthUs);
  }
  return curve;
}

const auto kStraight = [](double) { return 0.0; };
const auto kArc = [](double share) { return 50 * std::cos(2 * std::numbers::pi * share); };

TEST(FindDriftChange, NothingIsFoundOfAStraightCurveWithoutNoise) {
  CentreCurve curve{.a = 0, .b = 1, .half_width_us = kHalfWidthUs};
  for (size_t k = 0; k < 40; ++k) {
    curve.centres_us.push_back(3.0 * static_cast<double>(k));
    curve.weights.push_back(1);
    curve.half_widths_us.push_back(kHalfWidthUs);
  }
  EXPECT_FALSE(FindDriftChange(std::vector{curve}, 2));
}

TEST(FindDriftChange, AnArcOfTwoClocksIsFoundWithItsSwing) {
  std::mt19937_64 random(1);
  const std::vector curves = {Curve(0, 1, 40, kArc, 10, random)};
  const auto change = FindDriftChange(curves, 2);
  ASSERT_TRUE(change);
  EXPECT_GT(change->sigmas, 5.5);
  EXPECT_NEAR(change->swing_us, 50, 10);
}

// Each pair alone shows too little; all that have clock 0 in common bend alike.
TEST(FindDriftChange, TheRootIsFoundToo) {
  std::mt19937_64 random(2);
  const auto slight = [](double share) { return -0.4 * kArc(share); };
  std::vector<CentreCurve> curves;
  for (size_t b = 1; b < 7; ++b) curves.push_back(Curve(0, b, 16, slight, 15, random));
  EXPECT_FALSE(FindDriftChange(std::span(curves).first(1), 7));
  for (size_t a = 1; a < 7; ++a) {
    for (size_t b = a + 1; b < 7; ++b) curves.push_back(Curve(a, b, 16, kStraight, 15, random));
  }
  const auto change = FindDriftChange(curves, 7);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->clock, 0U);
}

TEST(FindDriftChange, WhatIsSmallAgainstTheHalfWidthDoesNotCount) {
  std::mt19937_64 random(3);
  const auto small = [](double share) { return 0.1 * kArc(share); };  // 5 of 100 µs
  EXPECT_FALSE(FindDriftChange(std::vector{Curve(0, 1, 100, small, 0.5, random)}, 2));
}

TEST(FindDriftChange, FewBinsSayNothing) {
  std::mt19937_64 random(4);
  EXPECT_FALSE(FindDriftChange(std::vector{Curve(0, 1, 7, kArc, 1, random)}, 2));
  EXPECT_FALSE(FindDriftChange({}, 2));
}

TEST(FindDriftChange, StraightClocksAreNotSuspectedWhateverTheNoise) {
  std::mt19937_64 random(5);
  for (int run = 0; run < 500; ++run) {
    const size_t bins = 8 + random() % 100;
    // Differences of two exponential ones: what the middles of the fastest messages scatter by.
    std::exponential_distribution<double> jitter(1.0 / 20);
    std::vector<CentreCurve> curves;
    for (size_t b = 1; b < 4; ++b) {
      curves.push_back(Curve(
          0, b, bins, [&](double) { return jitter(random) - jitter(random); }, 1e-3, random));
    }
    EXPECT_FALSE(FindDriftChange(curves, 4)) << "run " << run << ", " << bins << " bins";
  }
}

// As where processes fall behind their neighbours and catch up: what is late now is late for a
// while.
TEST(FindDriftChange, StraightClocksAreNotSuspectedWhereNoisePersists) {
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal(0, 20);
  int found = 0;
  for (int run = 0; run < 300; ++run) {
    std::vector<CentreCurve> curves;
    for (size_t b = 1; b < 5; ++b) {
      double late = 0;
      const auto persistent = [&](double) { return late = 0.45 * late + normal(random); };
      curves.push_back(Curve(0, b, 100, persistent, 1e-3, random));
    }
    found += FindDriftChange(curves, 5) ? 1 : 0;
  }
  EXPECT_EQ(found, 0);
}

TEST(FindDriftChange, AnArcIsFoundWhereNoisePersists) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0, 5);
  double late = 0;
  const auto stray = [&](double share) {
    return kArc(share) + (late = 0.45 * late + normal(random));
  };
  EXPECT_TRUE(FindDriftChange(std::vector{Curve(0, 1, 100, stray, 1e-3, random)}, 2));
}

// Requests wait longer and longer for a busy server, then less: the middle moves by half of what a
// round trip takes longer.
TEST(FindDriftChange, AQueueOnOneWayIsNoChange) {
  std::mt19937_64 random(8);
  CentreCurve curve = Curve(0, 1, 60, kArc, 10, random);
  EXPECT_TRUE(FindDriftChange(std::vector{curve}, 2));
  for (size_t k = 0; k < 60; ++k) {
    curve.half_widths_us[k] += kArc((static_cast<double>(k) + 0.5) / 60);
  }
  EXPECT_FALSE(FindDriftChange(std::vector{curve}, 2));
}

TEST(FindDriftChange, AnArcIsFoundBesidesAQueue) {
  std::mt19937_64 random(9);
  const auto both = [](double share) { return 2 * kArc(share); };
  CentreCurve curve = Curve(0, 1, 60, both, 10, random);
  for (size_t k = 0; k < 60; ++k) {
    curve.half_widths_us[k] += kArc((static_cast<double>(k) + 0.5) / 60);
  }
  const auto change = FindDriftChange(std::vector{curve}, 2);
  ASSERT_TRUE(change);
  EXPECT_NEAR(change->swing_us, 50, 10);
}

}  // namespace
}  // namespace syncline
