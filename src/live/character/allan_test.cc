#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "live/character/character.h"

namespace syncline {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

TEST(Allan, TheExampleOfTheHeader) {
  const std::vector<int64_t> offsets = {0, 1, 3, 6};
  const auto points = AllanDeviations(offsets, kSecond);
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].tau_ns, kSecond);
  EXPECT_EQ(points[0].terms, 2U);
  EXPECT_DOUBLE_EQ(points[0].deviation, std::sqrt((1.0 + 1.0) / (2 * 2)) * 1e-9);
}

TEST(Allan, WorkedForTwoIntervals) {
  // m = 1: 4 − 0 + 0 = 4, 4 − 8 + 0 = −4, 10 − 8 + 4 = 6; m = 2: 4 − 0 + 0 = 4... over x[0], x[2],
  // x[4]: 10 − 8 + 0 = 2.
  const std::vector<int64_t> offsets = {0, 0, 4, 4, 10};
  const auto points = AllanDeviations(offsets, 2 * kSecond);
  ASSERT_EQ(points.size(), 2U);
  EXPECT_DOUBLE_EQ(points[0].deviation,
                   std::sqrt((4.0 * 4 + 4 * 4 + 6 * 6) / (2 * 3)) / (2.0 * kSecond));
  EXPECT_DOUBLE_EQ(points[1].deviation, std::sqrt(2.0 * 2 / (2 * 1)) / (4.0 * kSecond));
}

TEST(Allan, FewerThanThreeOffsetsSayNothing) {
  EXPECT_TRUE(AllanDeviations({}, 1).empty());
  const std::vector<int64_t> two = {1, 2};
  EXPECT_TRUE(AllanDeviations(two, 1).empty());
}

TEST(Allan, TimesAreOneTwoFiveAsLongAsThreeOffsetsAreSoFarApart) {
  const std::vector<int64_t> offsets(101);
  std::vector<int64_t> times;
  for (const AllanPoint& p : AllanDeviations(offsets, 10)) times.push_back(p.tau_ns);
  // 2 · 50 = 100 ≤ 101 − 1.
  EXPECT_EQ(times, (std::vector<int64_t>{10, 20, 50, 100, 200, 500}));
}

TEST(Allan, ConstantOffsetsAndRatesLeaveNoTrace) {
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i < 1000; ++i) offsets.push_back(1'700'000'000'000'000'000 + 37 * i);
  for (const AllanPoint& p : AllanDeviations(offsets, kSecond)) EXPECT_EQ(p.deviation, 0);
}

TEST(Allan, ADriftOfTheRateGrowsWithTime) {
  // x = D t² / 2 with D = 2e-9 per second: every second difference is D (mτ₀)², so σ = D τ / √2.
  std::vector<int64_t> offsets;
  for (int64_t t = 0; t < 500; ++t) offsets.push_back(t * t);
  for (const AllanPoint& p : AllanDeviations(offsets, kSecond)) {
    const double tau_s = static_cast<double>(p.tau_ns) / kSecond;
    EXPECT_NEAR(p.deviation, 2e-9 * tau_s / std::sqrt(2.0), 1e-15 * tau_s);
  }
}

// White noise of the offsets falls with τ: σ = √3 s / τ; white noise of the rate, a random walk of
// the offsets by s per interval, with √τ: σ = s / √(τ τ₀).
TEST(Allan, NoiseOfOffsetsAndOfRatesFallAsTheyShould) {
  std::mt19937_64 random(4711);
  std::normal_distribution<double> normal(0, 1000);
  std::vector<int64_t> white;
  std::vector<int64_t> walk;
  double at = 0;
  for (int i = 0; i < 40'000; ++i) {
    white.push_back(std::llround(normal(random)));
    walk.push_back(std::llround(at += normal(random)));
  }
  const auto of_white = AllanDeviations(white, kSecond);
  const auto of_walk = AllanDeviations(walk, kSecond);
  for (size_t i = 0; i < 8; ++i) {  // up to 200 s: enough independent terms for these tolerances
    const double tau_s = static_cast<double>(of_white[i].tau_ns) / kSecond;
    const double white_expected = std::sqrt(3.0) * 1000e-9 / tau_s;
    const double walk_expected = 1000e-9 / std::sqrt(tau_s);
    EXPECT_NEAR(of_white[i].deviation, white_expected, 0.05 * white_expected) << tau_s;
    EXPECT_NEAR(of_walk[i].deviation, walk_expected, 0.15 * walk_expected) << tau_s;
  }
}

TEST(Allan, ExtremeOffsetsOverflowNothing) {
  const std::vector<int64_t> offsets = {INT64_MIN, INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN};
  for (const AllanPoint& p : AllanDeviations(offsets, INT64_MAX)) {
    EXPECT_TRUE(std::isfinite(p.deviation));
  }
}

}  // namespace
}  // namespace syncline
