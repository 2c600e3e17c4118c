#include "estimate/joint/knot_search.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr size_t kBins = 100;

// The curve of a pair whose clocks run away as given, with a constant and normal noise.
template <typename A, typename B>
CentreCurve Curve(size_t a, size_t b, A of_a, B of_b, double constant, double noise_us,
                  std::mt19937_64& random) {
  std::normal_distribution<double> normal(0, noise_us);
  CentreCurve curve{.a = a, .b = b, .half_width_us = 500};
  for (size_t k = 0; k < kBins; ++k) {
    const double at = static_cast<double>(k) + 0.5;
    curve.centres_us.push_back(of_b(at) - of_a(at) + constant + normal(random));
    curve.weights.push_back(1 / (noise_us * noise_us));
  }
  return curve;
}

const auto kFlat = [](double) { return 0.0; };

TEST(SolveSymmetric, SolvesAndLeavesTheUndeterminedZero) {
  // 2x + y = 5, x + 3y = 10.
  const std::vector<double> x = SolveSymmetric({2, 1, 1, 3}, {5, 10});
  EXPECT_NEAR(x[0], 1, 1e-12);
  EXPECT_NEAR(x[1], 3, 1e-12);
  const std::vector<double> y = SolveSymmetric({4, 0, 0, 0}, {8, 0});
  EXPECT_EQ(y[0], 2);
  EXPECT_EQ(y[1], 0);
}

TEST(FindShapes, FindsTheSlewOfOneClockAmongThree) {
  // Clock 2 gains 500 µs per bin between bins 40.3 and 50.7, besides 20 µs per bin throughout.
  const auto slewed = [](double at) {
    return 20 * at + 500 * (std::max(0.0, at - 40.3) - std::max(0.0, at - 50.7));
  };
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const std::vector<CentreCurve> curves = {Curve(0, 1, kFlat, kFlat, 70, 10, random),
                                             Curve(0, 2, kFlat, slewed, -90, 10, random),
                                             Curve(1, 2, kFlat, slewed, 40, 10, random)};
    const std::vector<ClockShape> shapes = FindShapes(curves, 3, kBins);
    EXPECT_TRUE(shapes[0].knots.empty());
    EXPECT_TRUE(shapes[1].knots.empty());
    EXPECT_NEAR(shapes[1].slope, 0, 0.5);
    ASSERT_EQ(shapes[2].knots.size(), 2U);
    EXPECT_NEAR(shapes[2].slope, 20, 0.5);
    EXPECT_NEAR(shapes[2].knots[0].at, 40.3, 0.2);
    EXPECT_NEAR(shapes[2].knots[0].bend, 500, 10);
    EXPECT_NEAR(shapes[2].knots[1].at, 50.7, 0.2);
    EXPECT_NEAR(shapes[2].SlopeAt(45), 520, 10);
    EXPECT_NEAR(shapes[2].SlopeAt(80), 20, 1);
  }
}

TEST(FindShapes, GivesJitterAndClocksOfConstantRateNoKnots) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto fast = [](double at) { return 3 * at; };
    const std::vector<CentreCurve> curves = {Curve(0, 1, kFlat, fast, 70, 60, random)};
    const std::vector<ClockShape> shapes = FindShapes(curves, 2, kBins);
    EXPECT_TRUE(shapes[1].knots.empty());
    EXPECT_NEAR(shapes[1].slope, 3, 1.5);
  }
}

TEST(FindShapes, TooFewBinsOrClocksTellNothing) {
  EXPECT_EQ(FindShapes({}, 1, 100).size(), 1U);
  const std::vector<ClockShape> shapes = FindShapes({}, 3, 2);
  ASSERT_EQ(shapes.size(), 3U);
  EXPECT_FALSE(shapes[2].is_known);
}

}  // namespace
}  // namespace syncline
