#include "syncline/minimum_delay.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(DelayModel, DirectionsDifferAndOthersTakeTheCommonOne) {
  DelayModel model({100, 0});
  model.Set(ClockId(0), ClockId(1), {250, 0});
  EXPECT_EQ(model.Of(ClockId(0), ClockId(1), 0), Duration{250});
  EXPECT_FALSE(model.grows_with_size());
  model.Set(ClockId(1), ClockId(0), {100, 1});
  EXPECT_TRUE(model.grows_with_size());
  EXPECT_EQ(model.Of(ClockId(1), ClockId(0), 0), Duration{100});
}

TEST(DelayModel, EachByteAddsItsPart) {
  const DelayModel model({1000, 80});                               // 80 ps per byte: 12.5 GB/s
  EXPECT_EQ(model.Of(ClockId(0), ClockId(1), 12), Duration{1000});  // 0.96 ns round down
  EXPECT_EQ(model.Of(ClockId(0), ClockId(1), 1'000'000), Duration{1000 + 80'000});
}

TEST(DelayModel, SaturatesInsteadOfOverflowing) {
  const DelayModel model({INT64_MAX / 2, INT64_MAX});
  EXPECT_EQ(model.Of(ClockId(0), ClockId(1), UINT64_MAX), Duration{int64_t{1} << 62});
}

TEST(DelayModel, OrderAloneIsOneNanosecond) {
  EXPECT_EQ(DelayModel().Of(ClockId(0), ClockId(1), 64), Duration{1});
}

}  // namespace
}  // namespace syncline
