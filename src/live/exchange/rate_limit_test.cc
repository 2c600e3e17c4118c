#include <deque>
#include <random>

#include <gtest/gtest.h>

#include "base/testing/times.h"
#include "live/exchange/exchange_answerer.h"

namespace syncline {
namespace {

TEST(RateLimit, AllowsSoManyAtOnceAndThenTheAverage) {
  const Rate rate = {.per_second = 10, .at_once = 3};
  RateLimit limit;
  int taken = 0;
  for (int i = 0; i < 100; ++i) taken += limit.Take(rate, 5 * kSecond) ? 1 : 0;
  EXPECT_EQ(taken, 3);
  // A tenth of a second is one more.
  EXPECT_FALSE(limit.Take(rate, 5 * kSecond + kSecond / 10 - 1));
  EXPECT_TRUE(limit.Take(rate, 5 * kSecond + kSecond / 10));
  EXPECT_FALSE(limit.Take(rate, 5 * kSecond + kSecond / 10));
  // What was not used is not saved beyond that.
  taken = 0;
  for (int i = 0; i < 100; ++i) taken += limit.Take(rate, 60 * kSecond) ? 1 : 0;
  EXPECT_EQ(taken, 3);
}

// In no stretch of time more than what may come at once and what the average adds.
TEST(RateLimit, HoldsInEveryStretchOfTime) {
  const Rate rate = {.per_second = 1000, .at_once = 20};
  std::mt19937_64 random(7);
  RateLimit limit;
  std::deque<int64_t> taken;
  int64_t now = kSecond;
  for (int i = 0; i < 20'000; ++i) {
    now += std::uniform_int_distribution<int64_t>(0, i % 1000 == 0 ? 100'000'000 : 900'000)(random);
    if (limit.Take(rate, now)) taken.push_back(now);
  }
  ASSERT_GT(taken.size(), 5000);
  for (size_t first = 0; first < taken.size(); first += 13) {
    for (size_t last = first; last < taken.size() && last < first + 200; ++last) {
      const int64_t allowed = rate.at_once + (taken[last] - taken[first]) / 1'000'000;
      ASSERT_LE(static_cast<int64_t>(last - first + 1), allowed);
    }
  }
}

}  // namespace
}  // namespace syncline
