#include "measure/delay_histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(DelayHistogram, IsEmptyAtFirst) {
  const DelayHistogram h;
  EXPECT_EQ(h.count(), 0U);
  EXPECT_FALSE(h.Quantile(0.5));
  EXPECT_FALSE(h.smallest());
}

TEST(DelayHistogram, QuantilesAreWithinOneSixtyFourth) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 50; ++round) {
    DelayHistogram h;
    std::vector<int64_t> values;
    const int shift = static_cast<int>(random() % 60);
    for (int i = 0; i < 501; ++i) {
      values.push_back(static_cast<int64_t>(random()) >> shift);
      h.Add(values.back());
    }
    const int64_t first = values.front();
    std::sort(values.begin(), values.end());
    for (const double share : {0.0, 0.1, 0.5, 0.9, 1.0}) {
      const int64_t exact = values[static_cast<size_t>(share * 500)];
      const double pivot =
          std::abs(static_cast<double>(first)) > 1e9 ? static_cast<double>(first) : 0;
      const double tolerance = std::abs(static_cast<double>(exact) - pivot) / 64 + 1;
      EXPECT_NEAR(static_cast<double>(*h.Quantile(share)), static_cast<double>(exact), tolerance);
    }
    EXPECT_EQ(h.smallest(), values.front());
    EXPECT_EQ(h.largest(), values.back());
  }
}

TEST(DelayHistogram, KeepsMicrosecondsApartAtAnOffsetOfSeconds) {
  DelayHistogram h;
  for (int64_t i = 0; i <= 100; ++i) h.Add(-5'000'000'000 + i * 1000);
  EXPECT_NEAR(static_cast<double>(*h.Quantile(0.5)), -5e9 + 50'000, 50'000 / 64.0);
}

TEST(DelayHistogram, MomentsSurviveALargeOffset) {
  DelayHistogram h;
  const int64_t base = 1'700'000'000'000'000'000;
  for (const int64_t d : {2, 4, 4, 4, 5, 5, 7, 9}) h.Add(base + d);
  EXPECT_NEAR(h.standard_deviation(), 2.0, 1e-9);
}

TEST(DelayHistogram, HoldsTheExtremesOfTheRange) {
  DelayHistogram h;
  h.Add(std::numeric_limits<int64_t>::min());
  h.Add(std::numeric_limits<int64_t>::max());
  EXPECT_EQ(h.smallest(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(h.largest(), std::numeric_limits<int64_t>::max());
  EXPECT_TRUE(h.Quantile(0.5));
}

}  // namespace
}  // namespace syncline
