#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "simulate/random.h"

namespace syncline {
namespace {

TEST(Exponential, LogarithmsOfPowersOfTwoAreExact) {
  for (int power = 0; power < 64; ++power) {
    EXPECT_EQ(NegativeLog2(uint64_t{1} << power), static_cast<uint64_t>(64 - power) << 32);
  }
  EXPECT_EQ(NegativeLog2(0), NegativeLog2(1));
}

TEST(Exponential, LogarithmsAreCloseEverywhere) {
  Random random(1, 2);
  for (int i = 0; i < 100'000; ++i) {
    const uint64_t bits = random.Next() >> (i % 60);
    if (bits == 0) continue;
    const double expected = 64 - std::log2(static_cast<double>(bits));
    EXPECT_NEAR(static_cast<double>(NegativeLog2(bits)) / 0x1p32, expected, 2e-7) << bits;
  }
  EXPECT_LT(NegativeLog2(UINT64_MAX), 4U);
}

TEST(Exponential, MomentsAndTailAreThoseOfTheDistribution) {
  constexpr int kDraws = 200'000;
  constexpr double kMean = 1e6;
  Random random(7, 7);
  double sum = 0;
  double squares = 0;
  int beyond = 0;
  for (int i = 0; i < kDraws; ++i) {
    const auto x = static_cast<double>(DrawExponential(random, static_cast<int64_t>(kMean)));
    ASSERT_GE(x, 0);
    ASSERT_LE(x, 44.4 * kMean);
    sum += x;
    squares += x * x;
    beyond += x > 3 * kMean ? 1 : 0;
  }
  // Four standard deviations of the mean, of the mean square (whose own is sqrt(20) m²), of a
  // share.
  const double root = std::sqrt(kDraws);
  EXPECT_NEAR(sum / kDraws, kMean, 4 * kMean / root);
  EXPECT_NEAR(squares / kDraws, 2 * kMean * kMean, 4 * std::sqrt(20.0) * kMean * kMean / root);
  const double share = std::exp(-3.0);
  EXPECT_NEAR(beyond / double{kDraws}, share, 4 * std::sqrt(share) / root);
}

TEST(Exponential, AMeanOfNothingGivesNothing) {
  Random random(3, 3);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(DrawExponential(random, 0), 0);
}

}  // namespace
}  // namespace syncline
