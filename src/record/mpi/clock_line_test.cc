#include "record/mpi/clock_line.h"

#include <array>
#include <vector>

#include <gtest/gtest.h>

namespace syncline::mpi {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

TEST(ClockLine, GoesFromTheFirstBurstToTheLast) {
  // Over 10 s, rates known to (1000 + 2000) ns / 10 s = 0.3 ppm.
  const std::array<OffsetPoint, 3> points = {
      {{.ticks = 0, .added = 500, .uncertainty = 1000},
       {.ticks = 5 * kSecond, .added = 0, .uncertainty = 1},
       {.ticks = 10 * kSecond, .added = -500, .uncertainty = 2000}}};
  const auto [first, last] = ClockLine(points, kSecond);
  EXPECT_EQ(first, points[0]);
  EXPECT_EQ(last, points[2]);
}

TEST(ClockLine, IsConstantWhereTheRateCannotBeTold) {
  // (1000 + 500) ns in 0.1 s: 15 ppm.
  const std::array<OffsetPoint, 2> points = {
      {{.ticks = 0, .added = 400, .uncertainty = 1000},
       {.ticks = kSecond / 10, .added = 700, .uncertainty = 500}}};
  const auto [first, last] = ClockLine(points, kSecond);
  EXPECT_EQ(first.added, 700);
  EXPECT_EQ(last.added, 700);
  EXPECT_GT(last.ticks, first.ticks);
}

TEST(ClockLine, AddsNothingWhereNothingWasMeasured) {
  const auto [first, last] = ClockLine({}, kSecond);
  EXPECT_EQ(first.added, 0);
  EXPECT_EQ(last.added, 0);
  EXPECT_GT(last.ticks, first.ticks);
}

TEST(ClockLine, TheCountersRateIsThatOfTheWholeRun) {
  const std::vector<TimePoint> times = {{.ticks = 1000, .epoch_ns = 0, .steady_ns = 50},
                                        {.ticks = 1010, .epoch_ns = 0, .steady_ns = 60},
                                        {.ticks = 1000 + 24'000, .steady_ns = 50 + 10'000}};
  EXPECT_EQ(TicksPerSecond(times, true), 2'400'000'000U);
  EXPECT_EQ(TicksPerSecond(times, false), kSecond);
  EXPECT_EQ(TicksPerSecond(std::vector(times.begin(), times.begin() + 1), true), kSecond);
}

}  // namespace
}  // namespace syncline::mpi
