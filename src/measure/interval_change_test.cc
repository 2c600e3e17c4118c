#include "measure/interval_change.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

IntervalPlace Interval(int64_t original, int64_t corrected, uint64_t index = 0) {
  return {ProcessId(0), index, {original}, {corrected}};
}

TEST(IntervalChange, SortsIntervalsByTheirRelativeChange) {
  IntervalChange change;
  change.Add(Interval(1000, 1000));
  change.Add(Interval(1000, 1001));  // 0.1 %
  change.Add(Interval(1000, 998));   // 0.2 %
  change.Add(Interval(0, 0));
  change.Add(Interval(0, 1));
  EXPECT_EQ(change.unchanged(), 2U);
  EXPECT_EQ(change.up_to_a_thousandth().count, 1U);
  EXPECT_DOUBLE_EQ(change.up_to_a_thousandth().mean(), 0.001);
  EXPECT_EQ(change.above().count, 2U);
  EXPECT_DOUBLE_EQ(change.above().max, 0.002);
  EXPECT_DOUBLE_EQ(change.mean(), (0.001 + 0.002) / 5);
  EXPECT_DOUBLE_EQ(change.max(), 0.002);
}

TEST(IntervalChange, NamesTheIntervalThatChangesMost) {
  IntervalChange change;
  EXPECT_FALSE(change.largest().has_value());
  change.Add(Interval(1000, 1001, 1));
  change.Add(Interval(1000, 990, 2));  // 1 %
  change.Add(Interval(1000, 1010, 3));
  IntervalChange other;
  other.Add(Interval(1000, 1005, 4));
  other.Merge(change);
  ASSERT_TRUE(other.largest().has_value());
  EXPECT_EQ(other.largest()->index, 2U);
  EXPECT_DOUBLE_EQ(other.max(), 0.01);
  EXPECT_EQ(other.above().count, 3U);
}

TEST(IntervalTracker, ComparesSuccessiveEvents) {
  IntervalChange change;
  IntervalTracker tracker(ProcessId(3));
  tracker.Add(100, {1100}, change);
  tracker.Add(200, {1200}, change);
  tracker.Add(300, {1400}, change);
  EXPECT_EQ(change.unchanged(), 1U);
  EXPECT_EQ(change.above().count, 1U);
  ASSERT_TRUE(change.largest().has_value());
  EXPECT_EQ(change.largest()->process, ProcessId(3));
  EXPECT_EQ(change.largest()->index, 2U);
}

}  // namespace
}  // namespace syncline
