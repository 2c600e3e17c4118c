#include "base/decimal_counts.h"

#include <cstdint>
#include <random>

#include <gtest/gtest.h>

namespace syncline {
namespace {

// Of 1000 times: a writer of six decimals that leaves out `step` zeros at once, if at all.
DecimalCounts OfWriter(int step, uint64_t times = 1000) {
  std::mt19937_64 random(7);
  DecimalCounts counts;
  for (uint64_t i = 0; i < times; ++i) {
    auto units = static_cast<int64_t>(random() % 1'000'000'000) + 1;
    int decimals = 6;
    int64_t zeros = 1;
    for (int k = 0; k < step; ++k) zeros *= 10;
    for (; step > 0 && decimals > 0 && units % zeros == 0; decimals -= step) units /= zeros;
    counts.Add(decimals, units);
  }
  return counts;
}

TEST(DecimalCounts, OfWritersOfAllDecimalsAreExactToTheLast) {
  EXPECT_EQ(OfWriter(0).Certain(), 6);
  EXPECT_EQ(DecimalCounts().Certain(), DecimalCounts::kMost);
}

TEST(DecimalCounts, ZerosThatWereLeftOutTakeNothingAway) {
  EXPECT_EQ(OfWriter(1).Certain(), 6);  // as Go's RFC3339Nano
  EXPECT_EQ(OfWriter(1, 100'000).Certain(), 6);
  EXPECT_EQ(OfWriter(3, 10'000).Certain(), 6);  // as Java's Instant: some ten have three decimals
}

// 0.25, 0.5, 0.75, 1: the same is written with the fewest digits.
TEST(DecimalCounts, AQuarterOfFloatingPointNumbersMayBeShorter) {
  DecimalCounts counts;
  for (int64_t i = 1; i < 4000; ++i) {
    constexpr int64_t kTenths[] = {0, 2, 5, 8};
    const int64_t units = i / 4 * 10 + kTenths[i % 4];
    units % 10 == 0 ? counts.Add(0, units / 10) : counts.Add(1, units);
  }
  EXPECT_EQ(counts.Certain(), 0);
  counts.AllowForFloats();
  EXPECT_EQ(counts.Certain(), 1);
}

// Chance shortens one in a thousand by three decimals, of floating-point numbers more.
TEST(DecimalCounts, OneShortTimeOfForty) {
  DecimalCounts counts;
  for (int64_t i = 0; i < 40; ++i) counts.Add(6, 123'451 + 10 * i);
  counts.Add(3, 123);
  EXPECT_EQ(counts.Certain(), 3);
  counts.AllowForFloats();
  EXPECT_EQ(counts.Certain(), 6);
}

TEST(DecimalCounts, MoreShortTimesThanDroppedZerosAreThatCoarse) {
  for (const int step : {0, 1, 3}) {
    DecimalCounts counts = OfWriter(step);
    for (int64_t i = 0; i < 50; ++i) counts.Add(3, 1000 * i + 123);
    EXPECT_EQ(counts.Certain(), 3) << step;
  }
  DecimalCounts few;
  few.Add(6, 123'456);
  few.Add(6, 223'457);
  few.Add(3, 325);
  EXPECT_EQ(few.Certain(), 3);
}

TEST(DecimalCounts, AWriterOfZerosLeavesNoneOut) {
  DecimalCounts counts = OfWriter(0, 10'000);  // some ten end with 000
  counts.Add(3, 325);
  EXPECT_EQ(counts.Certain(), 3);
}

TEST(DecimalCounts, ZerosOfTheCoarseTimesAreLeftOutToo) {
  DecimalCounts counts = OfWriter(1);
  for (int64_t i = 1; i < 1000; ++i) i % 10 == 0 ? counts.Add(2, i / 10) : counts.Add(3, i);
  EXPECT_EQ(counts.Certain(), 3);
}

}  // namespace
}  // namespace syncline
