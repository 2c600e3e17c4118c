#include "measure/interval_change.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(IntervalChange, SortsIntervalsByTheirRelativeChange) {
  IntervalChange change;
  change.Add({1000}, {1000});
  change.Add({1000}, {1001});  // 0.1 %
  change.Add({1000}, {998});   // 0.2 %
  change.Add({0}, {0});
  change.Add({0}, {1});
  EXPECT_EQ(change.unchanged(), 2U);
  EXPECT_EQ(change.up_to_a_thousandth(), 1U);
  EXPECT_EQ(change.above(), 2U);
  EXPECT_DOUBLE_EQ(change.mean(), (0.001 + 0.002) / 5);
  EXPECT_DOUBLE_EQ(change.max(), 0.002);
}

TEST(IntervalTracker, ComparesSuccessiveEvents) {
  IntervalChange change;
  IntervalTracker tracker(change);
  tracker.Add(100, {1100});
  tracker.Add(200, {1200});
  tracker.Add(300, {1400});
  EXPECT_EQ(change.unchanged(), 1U);
  EXPECT_EQ(change.above(), 1U);
}

}  // namespace
}  // namespace syncline
