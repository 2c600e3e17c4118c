#include "estimate/lines/min_max.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/times.h"

namespace syncline {
namespace {

FitFrame FrameOfFewer(int64_t first_x, int64_t last_x, uint64_t fewer) {
  return {.origin = {first_x + (last_x - first_x) / 2, first_x},
          .first_x = first_x,
          .last_x = last_x,
          .fewer_points = fewer};
}

TEST(MinMax, OfTwoIntervalsIsTheLineWorkedByHand) {
  MinMaxFit fit(FrameOfFewer(0, 1999, 4));
  ASSERT_EQ(fit.intervals(), 2u);  // of 1000
  // O⁻ = 30, O⁺ = −10 in the first, 70 and 30 in the second: 10 at 500, 50 at 1500.
  for (const Point p : {Point{0, 30}, Point{600, 650}, Point{1100, 1170}, Point{1999, 2099}}) {
    fit.AddUpper(p);
  }
  for (const Point p : {Point{100, 90}, Point{900, 850}, Point{1200, 1200}, Point{1300, 1330}}) {
    fit.AddLower(p);
  }
  const auto fitted = fit.Fit(PriorRange(std::nullopt));
  ASSERT_TRUE(fitted.has_value());
  EXPECT_EQ(fitted->line.slope, (Slope{1000 + 40, 1000}));
  EXPECT_EQ(fitted->line.Nearest(500), 500 + (30 - 10) / 2);
  EXPECT_EQ(fitted->line.Nearest(1500), 1500 + (70 + 30) / 2);
  EXPECT_FALSE(fitted->regression.has_value());
}

TEST(MinMax, TakesAsManyIntervalsAsTheRootOfTheRarerDirection) {
  EXPECT_EQ(MinMaxFit(FrameOfFewer(0, 1000, 1)).intervals(), 2u);
  EXPECT_EQ(MinMaxFit(FrameOfFewer(0, 1000, 100)).intervals(), 10u);
  EXPECT_EQ(MinMaxFit(FrameOfFewer(0, 1000, 10'000'000)).intervals(), 64u);
}

TEST(MinMax, UsesIntervalsWithBothDirectionsAlone) {
  MinMaxFit fit(FrameOfFewer(0, 2999, 9));
  ASSERT_EQ(fit.intervals(), 3u);
  fit.AddUpper({0, 30});
  fit.AddLower({10, 0});
  fit.AddUpper({1500, 9999});
  fit.AddLower({2999, 0});
  const auto fitted = fit.Fit(PriorRange(200));
  ASSERT_TRUE(fitted.has_value());
  EXPECT_EQ(fitted->line.slope, (Slope{1, 1}));
  EXPECT_EQ(fitted->line.Nearest(0), (30 - 10) / 2);
}

TEST(MinMax, WithoutSuchAnIntervalHasNoLine) {
  MinMaxFit fit(FrameOfFewer(0, 1999, 4));
  EXPECT_FALSE(fit.Fit(PriorRange(200)).has_value());
  fit.AddUpper({0, 30});
  fit.AddLower({1500, 1400});
  EXPECT_FALSE(fit.Fit(PriorRange(200)).has_value());
}

TEST(MinMax, OfOneInstantRunsAtNominalRate) {
  MinMaxFit fit(FrameOfFewer(kEpoch, kEpoch, 3));
  for (int i = 0; i < 3; ++i) {
    fit.AddUpper({kEpoch, kEpoch + 100});
    fit.AddLower({kEpoch, kEpoch - 50});
  }
  const auto fitted = fit.Fit(PriorRange(200));
  ASSERT_TRUE(fitted.has_value());
  EXPECT_EQ(fitted->line.slope, (Slope{1, 1}));
  EXPECT_EQ(fitted->line.Nearest(kEpoch), kEpoch + (100 - 50) / 2);
}

// The definition, interval by interval.
Line Naive(const std::vector<Point>& upper, const std::vector<Point>& lower, int64_t first,
           int64_t last, int64_t intervals) {
  const int64_t width = (last - first) / intervals + 1;
  std::vector<long double> x, e;
  for (int64_t i = 0; i < intervals; ++i) {
    const int64_t from = first + i * width;
    int64_t least = INT64_MAX, greatest = INT64_MIN;
    for (const Point p : upper) {
      if (p.x >= from && p.x < from + width) least = std::min(least, p.y - p.x);
    }
    for (const Point p : lower) {
      if (p.x >= from && p.x < from + width) greatest = std::max(greatest, p.y - p.x);
    }
    if (least == INT64_MAX || greatest == INT64_MIN) continue;
    const int64_t middle = from + width / 2;
    x.push_back(static_cast<long double>(middle - first));
    e.push_back((static_cast<long double>(least) + static_cast<long double>(greatest)) / 2);
  }
  long double mean_x = 0, mean_e = 0, xx = 0, xe = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / x.size();
    mean_e += e[i] / x.size();
  }
  for (size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xe += (x[i] - mean_x) * (e[i] - mean_e);
  }
  const SlopeRange any = PriorRange(std::nullopt);
  const Slope s = SlopeFromDrift(xe / xx, any.min, any.max);
  return {{first + std::llround(mean_x), first + std::llround(mean_x + mean_e)}, s};
}

TEST(MinMax, AgreesWithItsDefinition) {
  constexpr int64_t kLength = 60'000'000'000;
  for (uint32_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::vector<Point> upper{{kEpoch, kEpoch + 900'000}},
        lower{{kEpoch + kLength, kEpoch + kLength}};
    for (uint32_t i = 0; i < 20 * seed; ++i) {
      const auto t = static_cast<int64_t>(random() % kLength);
      const int64_t b = kEpoch + t + t / 1'000'000 * 35;
      const auto delay = static_cast<int64_t>(400'000 + random() % 1'000'000);
      random() % 2 == 0 ? upper.push_back({kEpoch + t, b + delay})
                        : lower.push_back({kEpoch + t, b - delay});
    }
    MinMaxFit fit(FrameOfFewer(kEpoch, kEpoch + kLength, std::min(upper.size(), lower.size())));
    for (const Point p : upper) fit.AddUpper(p);
    for (const Point p : lower) fit.AddLower(p);
    const auto fitted = fit.Fit(PriorRange(std::nullopt));
    ASSERT_TRUE(fitted.has_value());
    const Line naive =
        Naive(upper, lower, kEpoch, kEpoch + kLength, static_cast<int64_t>(fit.intervals()));
    for (const int64_t x : {kEpoch, kEpoch + kLength}) {
      EXPECT_NEAR(static_cast<double>(fitted->line.Nearest(x) - naive.Nearest(x)), 0, 3);
    }
  }
}

}  // namespace
}  // namespace syncline
