#include "live/character/local_meter.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(LocalMeter, TheExampleOfTheHeader) {
  const auto sample = OffsetBetween(100, 1000, 140, 1 + 1);
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->at_ns, 120);
  EXPECT_EQ(sample->offset_ns, 1000 - 120);
  EXPECT_EQ(sample->uncertainty_ns, 20 + 1 + 1);
}

TEST(LocalMeter, TheTrueOffsetIsWithinItsUncertaintyWhereverTheClockWasRead) {
  constexpr int64_t kTrueOffset = 12'345;
  for (int64_t width = 0; width < 30; ++width) {
    for (int64_t read_at = 0; read_at <= width; ++read_at) {
      for (const int64_t step : {1, 7}) {
        const int64_t clock = 5000 + read_at + kTrueOffset;
        const auto sample = OffsetBetween(5000, clock - clock % step, 5000 + width, step);
        ASSERT_TRUE(sample);
        EXPECT_LE(std::abs(sample->offset_ns - kTrueOffset), sample->uncertainty_ns);
      }
    }
  }
}

TEST(LocalMeter, AReferenceThatWasSetBackMeanwhileTellsNothing) {
  EXPECT_FALSE(OffsetBetween(100, 1000, 99, 2));
}

TEST(LocalMeter, ExtremeReadingsSaturate) {
  const auto sample = OffsetBetween(INT64_MIN, INT64_MAX, INT64_MAX, 2);
  ASSERT_TRUE(sample);
  EXPECT_GE(sample->uncertainty_ns, INT64_MAX / 2);
  EXPECT_EQ(OffsetBetween(INT64_MIN, INT64_MAX, INT64_MIN, 2)->offset_ns, INT64_MAX);
}

// The same clock on both sides: offset 0, whatever the machine is doing.
TEST(LocalMeter, AClockIsNotOffFromItself) {
  const ClockReader clock(ClockSource::kMonotonic, CounterKind::kSystemClock, 1);
  LocalMeter meter({clock, clock, 1, 1});
  for (int i = 0; i < 20; ++i) {
    const auto sample = meter.Measure();
    ASSERT_TRUE(sample);
    EXPECT_LE(std::abs(sample->offset_ns), sample->uncertainty_ns);
  }
  EXPECT_EQ(meter.GetEffort().readings, 20U * 16 * 3);
}

TEST(LocalMeter, GetTimeOfDayCountsMicroseconds) {
  const Resolution steps =
      ResolutionOf(ClockReader(ClockSource::kGetTimeOfDay, CounterKind::kSystemClock, 1));
  EXPECT_GT(steps.least_step_ns, 0);
  EXPECT_EQ(steps.common_step_ns % 1000, 0);
}

}  // namespace
}  // namespace syncline
