#include "estimate/drift_bounded/tracks.h"

#include <random>
#include <set>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace syncline::drift_bounded {
namespace {

TEST(TrackTable, HasATrackPerClock) {
  const TrackTable tracks(std::vector<uint32_t>{1, 1});
  ASSERT_EQ(tracks.size(), 2u);
  EXPECT_EQ(tracks.Of(ClockId(0), 0, INT64_MIN), 0u);
  EXPECT_EQ(tracks.Of(ClockId(1), 0, INT64_MAX), 1u);
  EXPECT_EQ(tracks[1].clock, ClockId(1));
  EXPECT_EQ(tracks.first(1), 1u);
  EXPECT_EQ(tracks.end(1), 2u);
}

TEST(TrackTable, HasATrackPerEpoch) {
  const TrackTable tracks(std::vector<uint32_t>{1, 3, 1});
  ASSERT_EQ(tracks.size(), 5u);
  EXPECT_EQ(tracks.Of(ClockId(1), 0, 1000), 1u);
  EXPECT_EQ(tracks.Of(ClockId(1), 2, 10), 3u);
  EXPECT_EQ(tracks[3].epoch, 2u);
  EXPECT_EQ(tracks.Of(ClockId(2), 0, 10), 4u);
}

TEST(TrackTable, ACutBeginsATrackAtItsReading) {
  TrackTable tracks(std::vector<uint32_t>{1, 1});
  tracks.Cut(ClockId(0), 0, 500);
  ASSERT_EQ(tracks.size(), 3u);
  EXPECT_EQ(tracks.Of(ClockId(0), 0, 499), 0u);
  EXPECT_EQ(tracks.Of(ClockId(0), 0, 500), 1u);
  EXPECT_EQ(tracks.Of(ClockId(1), 0, 500), 2u);
  EXPECT_EQ(tracks[1].from_ns, 500);
  // In any order, and once.
  tracks.Cut(ClockId(0), 0, 200);
  tracks.Cut(ClockId(0), 0, 500);
  ASSERT_EQ(tracks.size(), 4u);
  EXPECT_EQ(tracks.Of(ClockId(0), 0, 199), 0u);
  EXPECT_EQ(tracks.Of(ClockId(0), 0, 200), 1u);
  EXPECT_EQ(tracks.Of(ClockId(0), 0, 700), 2u);
}

TEST(TrackTable, ACutConcernsItsEpochOnly) {
  TrackTable tracks(std::vector<uint32_t>{2});
  tracks.Cut(ClockId(0), 1, 500);
  ASSERT_EQ(tracks.size(), 3u);
  EXPECT_EQ(tracks.Of(ClockId(0), 0, 900), 0u);
  EXPECT_EQ(tracks.Of(ClockId(0), 1, 499), 1u);
  EXPECT_EQ(tracks.Of(ClockId(0), 1, 900), 2u);
}

TEST(TrackTable, FindsWhatALinearSearchFinds) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::vector<uint32_t> epochs;
    for (size_t c = 1 + random() % 4; c-- > 0;) {
      epochs.push_back(1 + static_cast<uint32_t>(random() % 3));
    }
    TrackTable tracks(epochs);
    std::set<std::tuple<uint32_t, uint32_t, int64_t>> begins;
    for (uint32_t c = 0; c < epochs.size(); ++c) {
      for (uint32_t e = 0; e < epochs[c]; ++e) begins.emplace(c, e, INT64_MIN);
    }
    for (size_t cuts = random() % 20; cuts-- > 0;) {
      const auto c = static_cast<uint32_t>(random() % epochs.size());
      const auto e = static_cast<uint32_t>(random() % epochs[c]);
      const auto at = static_cast<int64_t>(random() % 100);
      tracks.Cut(ClockId(c), e, at);
      begins.emplace(c, e, at);
    }
    ASSERT_EQ(tracks.size(), begins.size());
    for (int i = 0; i < 100; ++i) {
      const auto c = static_cast<uint32_t>(random() % epochs.size());
      const auto e = static_cast<uint32_t>(random() % epochs[c]);
      const auto at = static_cast<int64_t>(random() % 110) - 5;
      uint32_t place = 0, expected = 0;
      for (const auto& begin : begins) {
        if (begin <= std::tuple(c, e, at)) expected = place;
        ++place;
      }
      EXPECT_EQ(tracks.Of(ClockId(c), e, at), expected);
      EXPECT_LE(tracks.first(c), expected);
      EXPECT_LT(expected, tracks.end(c));
    }
  }
}

}  // namespace
}  // namespace syncline::drift_bounded
