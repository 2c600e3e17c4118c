#include "record/counter/cores.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

// The other core's counter is 30 ahead. There: sent at 100, 20 later the other one shows 150. Back:
// sent at 200 there, which is 170 here, it arrives at 185.
TEST(OffsetBounds, HoldTheTrueOffsetWhateverTheDelays) {
  OffsetBounds bounds;
  bounds.AddThere(100, 100 + 20 + 30);
  bounds.AddBack(200, 200 - 30 + 15);
  EXPECT_EQ(bounds.high(), 20 + 30);
  EXPECT_EQ(bounds.low(), 30 - 15);
  bounds.AddThere(1000, 1000 + 500 + 30);
  bounds.AddBack(2000, 2000 - 30 + 700);
  EXPECT_EQ(bounds.high(), 20 + 30) << "slow messages say nothing new";
  EXPECT_EQ(bounds.low(), 30 - 15);
}

TEST(OffsetBounds, ReadingsTooFarApartSayNothing) {
  OffsetBounds bounds;
  bounds.AddThere(INT64_MIN, INT64_MAX);
  bounds.AddBack(INT64_MAX, INT64_MIN);
  EXPECT_EQ(bounds.high(), INT64_MAX);
  EXPECT_EQ(bounds.low(), INT64_MIN);
}

TEST(CompareCores, SystemClockIsTheSameOnAllCores) {
  for (const CoreOffset& offset : CompareCores(CounterKind::kSystemClock)) {
    EXPECT_TRUE(offset.MayBeEqual()) << offset.core;
    EXPECT_LE(offset.low_ticks, offset.high_ticks);
    EXPECT_GT(offset.exchanges, 0);
    EXPECT_NE(offset.core, offset.against);
  }
}

}  // namespace
}  // namespace syncline
