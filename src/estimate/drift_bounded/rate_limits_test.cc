#include "estimate/drift_bounded/rate_limits.h"

#include <random>

#include <gtest/gtest.h>

namespace syncline::drift_bounded {
namespace {

// Rates of `ppt` + 10^12 parts in 10^12: whether d(global)/d(local) lies within the limits.
bool Has(RateLimits limits, int64_t ppt) {
  constexpr Int128 kParts = 1'000'000'000'000;
  const Int128 global = kParts * RateLimits::kOne;  // of kParts + ppt of local time, in units
  return (kParts + ppt) * (RateLimits::kOne + limits.slow) <= global &&
         (kParts + ppt) * (RateLimits::kOne + limits.fast) >= global;
}

// As narrow as units allow, and none of these rates is left out.
TEST(RateLimits, AreThoseOfTheRateByTheReference) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10'000; ++i) {
    const int64_t ppm = static_cast<int64_t>(random() % (i % 2 == 0 ? 1000 : 500'000));
    const RateLimits limits = RateLimits::Within(static_cast<double>(ppm));
    EXPECT_TRUE(Has(limits, ppm * 1'000'000)) << ppm;
    EXPECT_TRUE(Has(limits, -ppm * 1'000'000)) << ppm;
    EXPECT_FALSE(Has(limits, ppm * 1'000'000 + 4)) << ppm;
    EXPECT_FALSE(Has(limits, -ppm * 1'000'000 - 4)) << ppm;
    EXPECT_NEAR(limits.WidestPpm(), static_cast<double>(ppm), 1e-5);
    EXPECT_NEAR(limits.HalfWidthPpm(), static_cast<double>(ppm), 1e-5);
  }
  EXPECT_EQ(RateLimits::Within(0), RateLimits());
}

TEST(RateLimits, OfAnyRateEndAtAHalf) {
  EXPECT_EQ(RateLimits::Within(RateLimits::kMostPpm).fast, RateLimits::kOne);
  const RateLimits any = RateLimits::Within(RateLimits::kAnyPpm);
  EXPECT_EQ(any, (RateLimits{-RateLimits::kOne, RateLimits::kOne}));
  EXPECT_EQ(any.WidestPpm(), RateLimits::kAnyPpm);
  EXPECT_TRUE(Has(any, -500'000'000'000));
  EXPECT_TRUE(Has(any, int64_t{1} << 60));
  // Rates about 2: of which one is beyond any D below.
  EXPECT_EQ(RateLimits::Between(-0.9, 3).fast, RateLimits::kOne);
  EXPECT_LT(RateLimits::Between(-0.9, 3).slow, -RateLimits::kOne * 3 / 4);
}

TEST(RateLimits, LimitWhatAClockCounts) {
  const RateLimits half = RateLimits::Within(500'000);  // rates from 1/2 to 3/2
  EXPECT_EQ(LeastCounted(1000, half), 500);
  EXPECT_NEAR(static_cast<double>(*MostCounted(1000, half)), 1500, 1);
  EXPECT_GE(*MostCounted(1000, half), 1500);
  EXPECT_EQ(MostCounted(1000, RateLimits::Within(RateLimits::kAnyPpm)), std::nullopt);
  EXPECT_EQ(MostCounted(0, half), 0);
}

TEST(RateLimits, OfTwoClocksAddUp) {
  const RateLimits reference, limited = RateLimits::Within(1000);
  EXPECT_NEAR(RelativeRate(reference, limited), 1e-3, 1e-9);
  // 1 / 0.999
  EXPECT_NEAR(RelativeRate(limited, reference), 0.001001001, 1e-9);
  EXPECT_NEAR(RelativeRate(limited, limited), 1.001 / 0.999 - 1, 1e-9);
}

}  // namespace
}  // namespace syncline::drift_bounded
