#include "measure/change_over_time.h"

#include <random>

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr ProcessId kProcessA(0);
constexpr ProcessId kProcessB(1);

// a: 1000, 1100, 1200, of which the last is moved by 50; b: 1150 alone, moved by 7.
TEST(ChangeOverTime, TellsWhereIntervalsChangeAndByHowMuch) {
  ChangeOverTime changes;
  changes.Add(kProcessA, 0, 1000, 1000);
  changes.Add(kProcessA, 1, 1100, 1100);
  changes.Add(kProcessB, 0, 1150, 1150 + 7);
  changes.Add(kProcessA, 2, 1200, 1200 + 50);
  EXPECT_EQ(changes.first_ns(), 1000);
  EXPECT_EQ(changes.last_ns(), 1200);
  const auto bins = changes.bins().bins();
  ASSERT_EQ(changes.bins().width_ns(), 1);
  EXPECT_EQ(bins[0].intervals, 0);  // the first event of a process ends none
  EXPECT_EQ(bins[100].intervals, 1);
  EXPECT_EQ(bins[100].changed, 0);
  EXPECT_FALSE(bins[100].where);
  EXPECT_EQ(bins[150].largest_advance_ns, 7);
  EXPECT_EQ(bins[150].intervals, 0);
  const ChangeBin& last = bins[200];
  EXPECT_EQ(last.changed, 1);
  EXPECT_EQ(last.largest_advance_ns, 50);
  EXPECT_DOUBLE_EQ(last.largest_change, (150.0 - 100.0) / 100.0);
  ASSERT_TRUE(last.where);
  EXPECT_EQ(last.where->process, kProcessA);
  EXPECT_EQ(last.where->index, 2);
  EXPECT_EQ(last.where->original.ns, 100);
  EXPECT_EQ(last.where->corrected.ns, 150);
}

TEST(ChangeOverTime, CountsAnIntervalOfZeroThatGrowsWithoutAShare) {
  ChangeOverTime changes;
  changes.Add(kProcessA, 0, 10, 10);
  changes.Add(kProcessA, 1, 10, 12);
  const ChangeBin& bin = changes.bins().bins()[0];
  EXPECT_EQ(bin.changed, 1);
  EXPECT_EQ(bin.largest_change, 0);
  EXPECT_FALSE(bin.where);
}

TEST(ChangeOverTime, TakesTheFirstOfEqualChangesWhateverTheOrder) {
  ChangeBin one, other;
  one.AddInterval({kProcessB, 3, {100}, {150}});
  other.AddInterval({kProcessA, 9, {10}, {15}});
  ChangeBin merged = one;
  merged.Merge(other);
  EXPECT_EQ(merged.where->process, kProcessA);
  other.Merge(one);
  EXPECT_EQ(other.where->process, kProcessA);
}

TEST(ChangeOverTime, IsSafeAtTheEndsOfTime) {
  ChangeOverTime changes;
  EXPECT_FALSE(changes.first_ns());
  changes.Add(kProcessA, 0, INT64_MIN, INT64_MIN);
  changes.Add(kProcessA, 1, INT64_MAX, INT64_MAX);
  changes.Add(kProcessB, 0, INT64_MIN, INT64_MAX);
  EXPECT_EQ(changes.bins().bins()[0].largest_advance_ns, INT64_MAX);
  EXPECT_EQ(changes.bins().bins().back().intervals, 1);
}

TEST(ChangeOverTime, AgreesWithWhatIsMeasuredOfTheWholeTrace) {
  constexpr uint64_t kSeed = 7;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937_64 random(kSeed);
  ChangeOverTime changes;
  IntervalChange all;
  for (const ProcessId process : {kProcessA, kProcessB}) {
    IntervalTracker tracker(process);
    int64_t before = 0;
    int64_t advance = 0;
    for (uint64_t i = 0; i < 5000; ++i) {
      before += static_cast<int64_t>(random() % 1'000'000);
      advance = std::max<int64_t>(0, advance + static_cast<int64_t>(random() % 2001) - 1000);
      changes.Add(process, i, before, before + advance);
      tracker.Add(before, GlobalTime{before + advance}, all);
    }
  }
  ChangeBin sum;
  for (const ChangeBin& bin : changes.bins().bins()) sum.Merge(bin);
  EXPECT_EQ(sum.intervals, 2 * (5000 - 1));
  EXPECT_EQ(sum.intervals - sum.changed, all.unchanged());
  EXPECT_DOUBLE_EQ(sum.largest_change, all.max());
  EXPECT_EQ(sum.where->index, all.largest()->index);
}

}  // namespace
}  // namespace syncline
