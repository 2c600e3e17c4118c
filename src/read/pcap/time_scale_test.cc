#include "read/pcap/time_scale.h"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "base/int128.h"
#include "base/ticks.h"

namespace syncline {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr uint64_t kMaxTicks = std::numeric_limits<uint64_t>::max();

TEST(TimeScale, ReadsPowersOfTenExactly) {
  EXPECT_EQ(TimeScale(1'000'000, 0).ToNs(1'700'000'000'123'456), 1'700'000'000'123'456 * 1000);
  EXPECT_EQ(TimeScale(kSecond, 0).ToNs(kMax), kMax);
  EXPECT_EQ(TimeScale(1, 0).ToNs(17), 17 * kSecond);
}

TEST(TimeScale, RoundsDownToNanoseconds) {
  EXPECT_EQ(TimeScale(1'000'000'000'000, 0).ToNs(1'999), 1);
  EXPECT_EQ(TimeScale(int64_t{1} << 20, 0).ToNs(3), 3 * kSecond / (1 << 20));
  // One tick of 2^-20 s before the epoch: −953.67… ns.
  EXPECT_EQ(TimeScale(int64_t{1} << 20, -1).ToNs((1 << 20) - 1), -954);
}

TEST(TimeScale, AddsTheOffset) {
  EXPECT_EQ(TimeScale(1000, 1'700'000'000).ToNs(5), 1'700'000'000 * kSecond + 5'000'000);
  EXPECT_EQ(TimeScale(1000, -3).ToNs(5), -3 * kSecond + 5'000'000);
}

TEST(TimeScale, RefusesTimesBeyondInt64) {
  EXPECT_EQ(TimeScale(kSecond, 0).ToNs(static_cast<uint64_t>(kMax) + 1), std::nullopt);
  EXPECT_EQ(TimeScale(1, 0).ToNs(kMaxTicks), std::nullopt);
  EXPECT_EQ(TimeScale(1, kMax).ToNs(0), std::nullopt);
  EXPECT_EQ(TimeScale(1, std::numeric_limits<int64_t>::min()).ToNs(kMaxTicks), std::nullopt);
}

TEST(TimeScale, RefusesTimesBeforeItsCountOrBeyondItsField) {
  EXPECT_EQ(TimeScale(kSecond, 0).ToTicks(-1, 0), std::nullopt);
  EXPECT_EQ(TimeScale(1000, 10).ToTicks(9 * kSecond, 0), std::nullopt);
  EXPECT_EQ(TimeScale(int64_t{1} << 62, 0).ToTicks(5 * kSecond, 0), std::nullopt);
  EXPECT_EQ(TimeScale(int64_t{1} << 62, 0).ToTicks(3 * kSecond, 0), uint64_t{3} << 62);
  // The nearest second is beyond int64.
  EXPECT_EQ(TimeScale(1, 0).ToTicks(kMax, 0), std::nullopt);
  EXPECT_EQ(TimeScale(1, 0).ToTicks(kMax - kSecond, 0), 9'223'372'036u);
  EXPECT_EQ(TimeScale(2, 1).ToTicks(kMax, 0), std::nullopt);
  EXPECT_EQ(TimeScale(1, std::numeric_limits<int64_t>::min()).ToTicks(0, 0), uint64_t{1} << 63);
}

TEST(TimeScale, WritesTheNearestTickAndTheLaterOfTwoEquallyNear) {
  const TimeScale microseconds(1'000'000, 0);
  EXPECT_EQ(microseconds.ToTicks(1499, 0), 1u);
  EXPECT_EQ(microseconds.ToTicks(1500, 0), 2u);
  EXPECT_EQ(microseconds.ToTicks(1501, 0), 2u);
}

TEST(TimeScale, KeepsWhatIsBelowTheNanosecond) {
  const TimeScale picoseconds(1'000'000'000'000, 0);
  EXPECT_EQ(picoseconds.ToTicks(7, 1'234), 7'234u);
}

constexpr int64_t kResolutions[] = {1,
                                    1000,
                                    1'000'000,
                                    kSecond,
                                    1'000'000'000'000,
                                    1'000'000'000'000'000'000,
                                    2,
                                    int64_t{1} << 20,
                                    int64_t{1} << 29,
                                    int64_t{1} << 30,
                                    int64_t{1} << 32,
                                    int64_t{1} << 62};

TEST(TimeScale, GivesBackTheTicksOfAnUnchangedTime) {
  std::mt19937_64 random(20240611);
  for (const int64_t resolution : kResolutions) {
    const TimeScale scale(resolution, 0);
    for (int i = 0; i < 2000; ++i) {
      const uint64_t ticks = random() >> (random() % 64);
      const auto ns = scale.ToNs(ticks);
      if (!ns) continue;
      EXPECT_EQ(scale.ToTicks(*ns, ticks), ticks) << resolution << " ticks/s";
    }
  }
}

TEST(QuantizeNs, IsWhatAReaderSeesOfAWrittenTime) {
  std::mt19937_64 random(20240612);
  for (const int64_t resolution : kResolutions) {
    const TimeScale scale(resolution, 0);
    for (int i = 0; i < 2000; ++i) {
      const int64_t ns = static_cast<int64_t>(random() >> (2 + random() % 40));
      const uint64_t previous = random() >> (random() % 64);
      const auto ticks = scale.ToTicks(ns, previous);
      if (!ticks) continue;
      const auto seen = scale.ToNs(*ticks);
      ASSERT_EQ(seen, QuantizeNs(ns, resolution)) << resolution << " ticks/s, " << ns;
      EXPECT_EQ(QuantizeNs(*seen, resolution), *seen);
    }
  }
}

// No tick nearby is seen nearer, checked against the definition.
TEST(QuantizeNs, IsTheNearestSeenTime) {
  std::mt19937_64 random(20240613);
  for (const int64_t resolution : kResolutions) {
    if (resolution > kSecond) continue;
    for (int i = 0; i < 2000; ++i) {
      const int64_t ns = static_cast<int64_t>(random() >> 3) - (kMax >> 3);
      const Int128 around = FloorDiv(static_cast<Int128>(ns) * resolution, kSecond);
      const int64_t quantized = QuantizeNs(ns, resolution);
      for (Int128 tick = around - 2; tick <= around + 2; ++tick) {
        const auto seen = static_cast<int64_t>(FloorDiv(tick * kSecond, resolution));
        EXPECT_GE(std::abs(seen - ns), std::abs(quantized - ns)) << resolution << " ticks/s";
        if (seen - ns == ns - quantized) {
          EXPECT_LE(seen, quantized);
        }
      }
    }
  }
}

TEST(QuantizeNs, SaturatesAtTheEndsOfTime) {
  EXPECT_EQ(QuantizeNs(kMax, 1), kMax);
  EXPECT_EQ(QuantizeNs(std::numeric_limits<int64_t>::min(), kSecond),
            std::numeric_limits<int64_t>::min());
}

}  // namespace
}  // namespace syncline
