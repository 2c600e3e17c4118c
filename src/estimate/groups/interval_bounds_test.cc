#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/times.h"
#include "estimate/groups/interval_corridors.h"

namespace syncline {
namespace {

constexpr int64_t kNone = IntervalBounds::kNone;

TEST(IntervalGrid, CoversTheTimeInAPowerOfTwoOfEqualIntervals) {
  const IntervalGrid grid = IntervalGrid::Over(kEpoch, kEpoch + 79'999, 8);
  EXPECT_EQ(grid.intervals, 8u);
  EXPECT_EQ(grid.length_ns, 80'000 / 8);
  EXPECT_EQ(grid.IntervalOf(kEpoch + 9'999), 0u);
  EXPECT_EQ(grid.IntervalOf(kEpoch + 10'000), 1u);
  EXPECT_EQ(grid.IntervalOf(kEpoch - 1), 0u);
  EXPECT_EQ(grid.IntervalOf(INT64_MAX), 7u);
  EXPECT_EQ(grid.Boundary(8), kEpoch + 80'000);
  const IntervalGrid halves = grid.InParts(2);
  EXPECT_EQ(halves.Boundary(1), kEpoch + 40'000);
  EXPECT_EQ(halves.IntervalOf(kEpoch + 40'000), 1u);
}

TEST(IntervalGrid, MakesNoIntervalShorterThanAMicrosecond) {
  EXPECT_EQ(IntervalGrid::Over(5, 5, 64).intervals, 1u);
  EXPECT_EQ(IntervalGrid::Over(0, 3999, 64).intervals, 4u);
  EXPECT_EQ(IntervalGrid::Over(INT64_MIN, INT64_MAX, 1).length_ns, INT64_MAX);
}

TEST(IntervalBounds, AMessageCountsInEveryIntervalItTouches) {
  IntervalBounds bounds(IntervalGrid::Over(0, 3999, 4), 2);
  bounds.Add(0, 900, 2100, 1200);
  bounds.Add(0, 1500, 1400, -100);  // received before sent
  bounds.Add(1, 3500, 3600, 100);
  const std::vector<int64_t> expected = {1200, -100, 1200, kNone};
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(bounds.Least(i, 0), expected[i]);
  EXPECT_EQ(bounds.Least(2, 1), kNone);
  EXPECT_EQ(bounds.Least(3, 1), 100);
}

TEST(IntervalBounds, BoundariesHaveTheLesserOfBothNeighbours) {
  IntervalBounds bounds(IntervalGrid::Over(0, 3999, 4), 1);
  bounds.Add(0, 100, 600, 500);
  bounds.Add(0, 1100, 1400, 300);
  const IntervalBounds at = bounds.AtBoundaries();
  ASSERT_EQ(at.places(), 4u + 1);
  const std::vector<int64_t> expected = {500, 300, 300, kNone, kNone};
  for (size_t j = 0; j < 5; ++j) EXPECT_EQ(at.Least(j, 0), expected[j]);
}

TEST(IntervalBounds, FewerIntervalsSayWhatGatheringIntoThemWould) {
  std::mt19937_64 random(1);
  const IntervalGrid grid = IntervalGrid::Over(kEpoch, kEpoch + 63'999, 64);
  IntervalBounds fine(grid, 3);
  IntervalBounds coarse(grid.InParts(8), 3);
  for (int i = 0; i < 40; ++i) {
    const size_t direction = random() % 3;
    const int64_t sent = kEpoch + static_cast<int64_t>(random() % 64'000);
    const int64_t received = sent + static_cast<int64_t>(random() % 4'000) - 2'000;
    fine.Add(direction, sent, received, received - sent);
    coarse.Add(direction, sent, received, received - sent);
  }
  const IntervalBounds merged = fine.InParts(8);
  ASSERT_EQ(merged.places(), 8u);
  for (size_t i = 0; i < 8; ++i) {
    for (size_t d = 0; d < 3; ++d) EXPECT_EQ(merged.Least(i, d), coarse.Least(i, d));
  }
}

TEST(IntervalBounds, TimesAtTheEndsOfTheRangeDoNotOverflow) {
  IntervalBounds bounds(IntervalGrid::Over(INT64_MIN, INT64_MAX, 1), 1);
  bounds.Add(0, INT64_MIN, INT64_MAX, INT64_MAX);
  bounds.Add(0, INT64_MAX, INT64_MIN, INT64_MIN);
  EXPECT_EQ(bounds.Least(0, 0), INT64_MIN);
}

}  // namespace
}  // namespace syncline
