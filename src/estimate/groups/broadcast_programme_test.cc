#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/times.h"
#include "estimate/groups/broadcast.h"
#include "estimate/hulls/corridor.h"

namespace syncline {
namespace {

FitOptions From(size_t root, std::optional<double> max_drift_ppm = 200) {
  return {.root = root, .prior = PriorRange(max_drift_ppm)};
}

TEST(FitBroadcasts, ThreeBroadcastsByHand) {
  // b is 1000 ns ahead, and late by 0, 50 and 0 ns: the line through the outer two costs 50.
  const std::vector<Receptions> broadcasts = {
      {{0, 0}, {1, 1000}},
      {{0, 10 * kSecond}, {1, 10 * kSecond + 1050}},
      {{0, 20 * kSecond}, {1, 20 * kSecond + 1000}},
  };
  const auto fit = FitBroadcasts(broadcasts, 2, From(0));
  ASSERT_TRUE(fit.has_value());
  EXPECT_EQ(fit->lines[0]->Nearest(123), 123);
  for (const int64_t x : {int64_t{1000}, 10 * kSecond, 20 * kSecond}) {
    EXPECT_NEAR(static_cast<double>(fit->lines[1]->Nearest(x) - (x - 1000)), 0, 1);
  }
  EXPECT_NEAR(fit->mean_delay_ns, 50.0 / 6, 0.1);
  EXPECT_EQ(fit->related, 3u);
  EXPECT_EQ(fit->used, 3u);
}

// With two receivers the sum is that of |g(y) − x|: least absolute deviations, whose best line
// passes through two of the points.
TEST(FitBroadcasts, IsAsGoodAsTheBestLineThroughAnyTwoPoints) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::vector<Receptions> broadcasts;
    std::vector<Point> points;  // x at b, y at a
    for (int i = 0; i < 9; ++i) {
      const auto at = static_cast<int64_t>(random() % (60 * kSecond));
      const Point p{at + static_cast<int64_t>(random() % 100'000),
                    at + static_cast<int64_t>(random() % 100'000)};
      points.push_back(p);
      broadcasts.push_back({{0, p.y}, {1, p.x}});
    }
    const auto cost = [&](const Line& line) {
      double sum = 0;
      for (const Point p : points) sum += std::abs(line.Residual(p));
      return sum;
    };
    double best = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < points.size(); ++i) {
      for (size_t k = 0; k < i; ++k) {
        const Slope slope = SlopeOf(points[i], points[k]);
        if (slope.num > 0) best = std::min(best, cost({points[i], slope}));
      }
    }
    const auto fit = FitBroadcasts(broadcasts, 2, From(0, std::nullopt));
    ASSERT_TRUE(fit.has_value());
    EXPECT_NEAR(cost(*fit->lines[1]), best, 2.0 * static_cast<double>(points.size()));
    EXPECT_NEAR(fit->mean_delay_ns, best / 18, 1);
  }
}

TEST(FitBroadcasts, FindsEpochSizedDriftingClocksOverAChain) {
  // Clock i is i seconds ahead and 20·i ppm fast; no broadcast reaches clocks 0 and 2 both.
  std::mt19937_64 random(1);
  std::exponential_distribution<double> delay(1.0 / 5'000);
  const auto read = [&](size_t clock, int64_t t) {
    const auto late = t + static_cast<int64_t>(delay(random));
    return kEpoch + late + static_cast<int64_t>(clock) * (kSecond + late / 50'000);
  };
  std::vector<Receptions> broadcasts;
  for (int64_t t = 0; t < 60 * kSecond; t += kSecond / 10) {
    const size_t first = random() % 2;
    broadcasts.push_back({{first, read(first, t)}, {first + 1, read(first + 1, t)}});
  }
  const auto fit = FitBroadcasts(broadcasts, 4, From(0));
  ASSERT_TRUE(fit.has_value());
  EXPECT_FALSE(fit->lines[3].has_value());
  for (int64_t clock = 1; clock <= 2; ++clock) {
    EXPECT_NEAR(static_cast<double>(fit->lines[clock]->slope.Drift()) * 1e6,
                -20.0 * static_cast<double>(clock), 0.1);
    for (int64_t t = 0; t <= 60 * kSecond; t += 10 * kSecond) {
      const int64_t x = kEpoch + t + clock * (kSecond + t / 50'000);
      EXPECT_NEAR(static_cast<double>(fit->lines[clock]->Nearest(x) - kEpoch - t), 0, 2'500);
    }
  }
  EXPECT_NEAR(fit->mean_delay_ns, 5'000 / 2.0, 300);  // the earliest of two is half as late
}

TEST(FitBroadcasts, LinesKeepToThePrior) {
  // 300 ppm between two broadcasts, of which 200 are allowed.
  const std::vector<Receptions> broadcasts = {{{0, 0}, {1, 0}},
                                              {{0, 10 * kSecond}, {1, 10 * kSecond + 3'000'000}}};
  const auto fit = FitBroadcasts(broadcasts, 2, From(0));
  ASSERT_TRUE(fit.has_value());
  EXPECT_NEAR(static_cast<double>(fit->lines[1]->slope.Drift()) * 1e6, -200, 0.1);
}

TEST(FitBroadcasts, ManyBroadcastsAreSampledOverTheWholeTimeAndRareClocksKept) {
  std::vector<Receptions> broadcasts;
  for (int64_t i = 0; i < 4000; ++i) {
    const int64_t t = i * kSecond / 100;
    broadcasts.push_back({{0, t}, {1, t + i % 7}});
    if (i % 500 == 0) broadcasts.back().push_back({2, t + 42});
  }
  FitOptions options = From(0);
  options.most_receptions = 3 * 100;
  const auto fit = FitBroadcasts(broadcasts, 3, options);
  ASSERT_TRUE(fit.has_value());
  EXPECT_EQ(fit->related, 4000u);
  EXPECT_GE(fit->used, 100u);
  EXPECT_LE(fit->used, 100u + 8);
  EXPECT_NEAR(static_cast<double>(fit->lines[2]->Nearest(20 * kSecond) - 20 * kSecond), -42, 7);
}

TEST(FitBroadcasts, TimesTooFarApartAreRefused) {
  const std::vector<Receptions> broadcasts = {{{0, INT64_MIN}, {1, 0}},
                                              {{0, INT64_MAX}, {1, 1000}}};
  EXPECT_FALSE(FitBroadcasts(broadcasts, 2, From(0)).has_value());
}

TEST(FitBroadcasts, SingleBroadcastSetsTheOffsetAlone) {
  const std::vector<Receptions> broadcasts = {{{0, kEpoch}, {1, kEpoch + 500}}};
  const auto fit = FitBroadcasts(broadcasts, 2, From(0));
  ASSERT_TRUE(fit.has_value());
  EXPECT_EQ(fit->lines[1]->Nearest(kEpoch + 500), kEpoch);
  EXPECT_LE(std::abs(static_cast<double>(fit->lines[1]->slope.Drift())), 201e-6);
}

}  // namespace
}  // namespace syncline
