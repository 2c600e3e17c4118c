#include "match/clock_tracks.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "base/testing/times.h"

namespace syncline {
namespace {

const ClockId kA(0);
const ClockId kB(1);
const ClockId kC(2);

TEST(ClockTracks, ConvertsBothWaysByTheNearestMessage) {
  ClockTracks tracks;
  tracks.Add(kA, 0, kB, 1000);
  tracks.Add(kB, kSecond + 3000, kA, kSecond);
  EXPECT_EQ(tracks.Convert(kA, 10, kB), 1010);
  EXPECT_EQ(tracks.Convert(kA, kSecond - 10, kB), kSecond + 2990);
  EXPECT_EQ(tracks.Convert(kB, 990, kA), -10);
  EXPECT_EQ(tracks.Convert(kA, 5, kA), 5);
}

TEST(ClockTracks, SaysNothingFarFromMessagesOrWithoutThem) {
  ClockTracks tracks;
  tracks.Add(kA, 0, kB, 0);
  EXPECT_FALSE(tracks.Convert(kA, 0, kC));
  EXPECT_TRUE(tracks.Convert(kA, ClockTracks::kMaxDistanceNs, kB));
  EXPECT_FALSE(tracks.Convert(kA, ClockTracks::kMaxDistanceNs + 1, kB));
}

TEST(ClockTracks, ThinsWithoutRegardToTheOrderOfCalls) {
  std::mt19937_64 random(5);
  std::vector<int64_t> times;
  times.reserve(50'000);
  for (int i = 0; i < 50'000; ++i) times.push_back(i * (kSecond / 1000));
  ClockTracks ordered;
  for (const int64_t t : times) ordered.Add(kA, t, kB, 2 * t);
  std::shuffle(times.begin(), times.end(), random);
  ClockTracks shuffled;
  for (const int64_t t : times) shuffled.Add(kA, t, kB, 2 * t);
  for (int i = 0; i < 1000; ++i) {
    const auto t = static_cast<int64_t>(random() % (50 * static_cast<uint64_t>(kSecond)));
    const auto converted = ordered.Convert(kA, t, kB);
    ASSERT_TRUE(converted);
    EXPECT_EQ(converted, shuffled.Convert(kA, t, kB));
    // The rate 2 is wrong by the distance to the nearest of 1000 samples or more in 50 s.
    EXPECT_LT(std::abs(*converted - 2 * t), kSecond);
  }
}

}  // namespace
}  // namespace syncline
