#include "estimate/lines/least_squares.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/times.h"
#include "estimate/hulls/corridor.h"

namespace syncline {
namespace {

Line BestLineOf(const std::vector<Point>& points, Point origin, SlopeRange allowed) {
  LeastSquares sums(origin);
  for (const Point p : points) {
    const int64_t dx = p.x - origin.x;
    sums.Add(dx, p.y - origin.y - dx);
  }
  return sums.BestLine(allowed);
}

TEST(SumOfProducts, HoldsMoreThan128Bits) {
  constexpr int64_t kLarge = std::numeric_limits<int64_t>::min();
  SumOfProducts sum;
  for (int i = 0; i < 100; ++i) sum.Add(kLarge, kLarge);
  EXPECT_EQ(sum.Value(), 100 * 0x1p126L);
  for (int i = 0; i < 200; ++i) sum.Add(kLarge, int64_t{1} << 62);
  EXPECT_EQ(sum.Value(), 100 * 0x1p126L - 200 * 0x1p125L);
}

TEST(SumOfProducts, KeepsSmallProductsBesideLargeOnes) {
  SumOfProducts sum;
  sum.Add(int64_t{1} << 62, int64_t{1} << 62);
  sum.Add(-3, 7);
  sum.Add(int64_t{1} << 62, -(int64_t{1} << 62));
  EXPECT_EQ(sum.Value(), -21);
}

TEST(LeastSquares, OfThreePointsIsTheLineWorkedByHand) {
  // e = y − x is 0, 3, 0: no slope, mean 1. With 3 more at the end: Σdx·de = 10·3, Σdx² = 200.
  const SlopeRange any = PriorRange(std::nullopt);
  const Line flat = BestLineOf({{0, 0}, {10, 13}, {20, 20}}, {0, 0}, any);
  EXPECT_EQ(flat.slope, (Slope{1, 1}));
  EXPECT_EQ(flat.Nearest(10), 10 + (0 + 3 + 0) / 3);
  const Line rising = BestLineOf({{0, 0}, {10, 13}, {20, 23}}, {0, 0}, any);
  EXPECT_EQ(rising.slope, (Slope{200 + 30, 200}));
  EXPECT_EQ(rising.at, (Point{10, 10 + (0 + 3 + 3) / 3}));
}

TEST(LeastSquares, AgreesWithTheDefinitionInLongDouble) {
  for (uint32_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::vector<Point> points(2 + seed);
    for (Point& p : points) {
      p.x = kEpoch + static_cast<int64_t>(random() % 60'000'000'000);
      p.y = p.x + 1'700'000'000 + static_cast<int64_t>(random() % 5'000'000);
    }
    long double mean_x = 0, mean_e = 0, xx = 0, xe = 0;
    for (const Point p : points) {
      mean_x += static_cast<long double>(p.x - kEpoch) / points.size();
      mean_e += static_cast<long double>(p.y - p.x) / points.size();
    }
    for (const Point p : points) {
      const long double dx = static_cast<long double>(p.x - kEpoch) - mean_x;
      xx += dx * dx;
      xe += dx * (static_cast<long double>(p.y - p.x) - mean_e);
    }
    const Line line = BestLineOf(points, {kEpoch + 30'000'000'000, kEpoch}, PriorRange(1e5));
    EXPECT_NEAR(static_cast<double>(line.slope.Drift() - xe / xx), 0, 2e-15);
    for (const int64_t x : {int64_t{0}, int64_t{60'000'000'000}}) {
      const long double expected =
          mean_e + xe / xx * (static_cast<long double>(x) - mean_x) + static_cast<long double>(x);
      EXPECT_NEAR(static_cast<double>(line.Nearest(kEpoch + x) - kEpoch - expected), 0, 1.1);
    }
  }
}

TEST(LeastSquares, WithALimitedSlopeStillPassesThroughTheMean) {
  const Line line = BestLineOf({{0, 0}, {1'000'000, 2'000'000}}, {0, 0}, PriorRange(200));
  EXPECT_EQ(line.slope, PriorRange(200).max);
  EXPECT_EQ(line.Nearest(500'000), 1'000'000);
}

TEST(LeastSquares, OfOneInstantRunsAtNominalRate) {
  for (const int64_t x : {int64_t{0}, kEpoch}) {
    const Line line = BestLineOf({{x, 5}, {x, 9}, {x, 13}}, {0, 0}, PriorRange(200));
    EXPECT_EQ(line.slope, (Slope{1, 1}));
    EXPECT_EQ(line.Nearest(x), (5 + 9 + 13) / 3);
  }
}

TEST(LeastSquares, HoldsYearsOfPointsAtTheEndsOfTheirRange) {
  constexpr int64_t kFar = (int64_t{1} << 61) - 1;
  LeastSquares sums({0, 0});
  for (int i = 0; i < 1000; ++i) {
    sums.Add(-kFar, -kFar);
    sums.Add(kFar, kFar);
  }
  const Line line = sums.BestLine(PriorRange(std::nullopt));
  EXPECT_EQ(line.slope, (Slope{2, 1}));  // de / dx = 1
  EXPECT_EQ(line.at, (Point{0, 0}));
}

TEST(AllowedSlope, TakesAnyDriftToTheNearestAllowedSlope) {
  const SlopeRange prior = PriorRange(200);
  EXPECT_EQ(AllowedSlope(1e30L, prior), prior.max);
  EXPECT_EQ(AllowedSlope(-1e30L, prior), prior.min);
  EXPECT_EQ(AllowedSlope(0, prior), (Slope{1, 1}));
}

TEST(LineThroughMean, IsExactBetweenNanoseconds) {
  // The mean of x = 0, 1 and e = 0, 3 is (½, 1½): y = 2 at x = ½, with slope 1 y = 1½ at x = 0.
  const Line line = LineThroughMean({kEpoch, kEpoch}, 1, 3, 2, {1, 1});
  EXPECT_EQ(line.at.x, kEpoch);
  EXPECT_EQ(line.at.y, kEpoch + 2);  // rounded
  // With slope 2, y = 2 − 2/2 at x = 0.
  EXPECT_EQ(LineThroughMean({0, 0}, 1, 3, 2, {2, 1}).at, (Point{0, 1}));
  EXPECT_EQ(LineThroughMean({0, 0}, -1, -3, 2, {1, 1}).at, (Point{-1, -2}));  // −1½ − ½, mean −2
}

}  // namespace
}  // namespace syncline
