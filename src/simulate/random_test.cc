#include "simulate/random.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(SplitMix64, GivesThePublishedValues) {
  SplitMix64 generator(1234567);
  EXPECT_EQ(generator.Next(), 6457827717110365317U);
  EXPECT_EQ(generator.Next(), 3203168211198807973U);
}

TEST(Random, GivesThePublishedValuesOfXoshiro256StarStar) {
  Random random({1, 2, 3, 4});
  for (const uint64_t expected :
       {uint64_t{11520}, uint64_t{0}, uint64_t{1509978240}, uint64_t{1215971899390074240}}) {
    EXPECT_EQ(random.Next(), expected);
  }
}

TEST(Random, StreamsOfOneSeedDiffer) {
  EXPECT_NE(Random(1, 0).Next(), Random(1, 1).Next());
  EXPECT_NE(Random(1, 0).Next(), Random(2, 0).Next());
  EXPECT_EQ(Random(7, 3).Next(), Random(7, 3).Next());
}

TEST(Random, ReachesBothEndsOfARangeAndNothingBeyond) {
  Random random(1, 0);
  int64_t least = INT64_MAX;
  int64_t most = INT64_MIN;
  for (int i = 0; i < 1000; ++i) {
    const int64_t value = random.In({-3, 3});
    least = std::min(least, value);
    most = std::max(most, value);
  }
  EXPECT_EQ(least, -3);
  EXPECT_EQ(most, 3);
  EXPECT_EQ(random.In({5, 5}), 5);
}

TEST(Random, CoversTheWholeOfInt64) {
  Random random(1, 0);
  bool has_low = false;
  bool has_high = false;
  for (int i = 0; i < 100; ++i) {
    const int64_t value = random.In({INT64_MIN, INT64_MAX});
    has_low = has_low || value < INT64_MIN / 2;
    has_high = has_high || value > INT64_MAX / 2;
  }
  EXPECT_TRUE(has_low && has_high);
}

}  // namespace
}  // namespace syncline
