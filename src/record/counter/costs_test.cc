#include "record/counter/costs.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace syncline {
namespace {

// Figures depend on the machine; their relations do not.
TEST(ReadingCosts, HoldEveryClockWithFiguresThatFitTogether) {
  const CounterFacts facts = InspectCounter();
  const ReadingCosts costs = MeasureReadingCosts(facts, facts.counters.front());
  const auto has = [&costs](const char* name) {
    return std::any_of(costs.readings.begin(), costs.readings.end(),
                       [name](const ReadingCost& cost) { return cost.name == name; });
  };
  EXPECT_TRUE(has("gettimeofday"));
  EXPECT_TRUE(has("clock_gettime(MONOTONIC_RAW)"));
  for (const ReadingCost& cost : costs.readings) {
    SCOPED_TRACE(cost.name);
    EXPECT_LE(cost.warm.least, cost.warm.median);
    EXPECT_LE(cost.cold.least, cost.cold.median);
    EXPECT_GT(cost.warm.median, 0);
    EXPECT_EQ(cost.steps.least % std::max<int64_t>(1, cost.steps.common), 0);
  }
  const ReadingCost& time_of_day =
      *std::find_if(costs.readings.begin(), costs.readings.end(),
                    [](const ReadingCost& cost) { return cost.name == "gettimeofday"; });
  EXPECT_EQ(time_of_day.steps.common % 1000, 0) << "it counts microseconds";
}

TEST(CacheEviction, WritesMoreThanTheFirstCachesHold) {
  CacheEviction eviction;
  eviction.Evict();
  EXPECT_GE(eviction.data_bytes(), size_t{4} << 20);
}

}  // namespace
}  // namespace syncline
