#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/times.h"
#include "estimate/groups/by_intervals.h"
#include "estimate/groups/groups_test_util.h"
#include "estimate/groups/tree_error.h"

namespace syncline {
namespace {

constexpr IntervalMethod kClosure = IntervalMethod::kClosure;
constexpr ClockId kFromFirst(0);

int64_t Same(int64_t t) { return t; }

TEST(Closure, TwoClocksOfOneRateAreSetMidway) {
  // b is 1 ms ahead; there 100 µs, back 40 µs.
  BentClocks clocks({Same, [](int64_t t) { return t + kMs; }}, 80 * kSecond);
  for (int64_t s = 0; s < 80; ++s) {
    clocks.Exchange(0, 1, s * kSecond, 100 * kUs, 40 * kUs);
  }
  const auto estimate =
      EstimateByIntervals(clocks.inputs(), clocks.Pairs(), clocks.Messages(), kClosure, kFromFirst);
  ASSERT_TRUE(estimate.has_value());
  EXPECT_EQ(estimate->components[0].intervals, 8u);
  EXPECT_EQ(estimate->components[0].outside, 0u);
  const ClockEstimate& b = estimate->group.clocks[1];
  EXPECT_EQ(b.quality, Quality::kAccurate);
  EXPECT_EQ(b.correction.knots().size(), 2u);
  EXPECT_NEAR(static_cast<double>(b.offset_ns), 1e6 + (100 - 40) / 2.0 * kUs, 2);
  // The tree's bounds, from the correction: half of the round trip.
  EXPECT_NEAR(static_cast<double>(b.bound->best_ns), (100 + 40) / 2.0 * kUs, 2);
}

TEST(Closure, MessagesBesideTheTreeCount) {
  // By way of b, c is between −20 and 40 µs ahead; messages c → a take 5 µs and say at most 5.
  BentClocks clocks({Same, Same, Same}, 80 * kSecond);
  for (int64_t s = 0; s < 80; ++s) {
    clocks.Exchange(0, 1, s * kSecond, 10 * kUs, 20 * kUs);
    clocks.Exchange(1, 2, s * kSecond, 10 * kUs, 20 * kUs);
    clocks.Exchange(0, 2, s * kSecond, 900 * kUs, 5 * kUs);
  }
  const auto pairs = clocks.Pairs();
  const auto estimate =
      EstimateByIntervals(clocks.inputs(), pairs, clocks.Messages(), kClosure, kFromFirst);
  ASSERT_TRUE(estimate.has_value());
  EXPECT_EQ(clocks.Inversions(estimate->group), 0u);
  EXPECT_GT(clocks.Inversions(EstimateTree(clocks.inputs(), pairs, {.reference = ClockId(0)})), 0u);
  // A correction of c between −20 and 5 µs.
  EXPECT_NEAR(static_cast<double>(clocks.Error(estimate->group, 2, 40 * kSecond)),
              (5 - 20) / 2.0 * kUs, 2);
}

// Rabenseifner, figure 7.4: offsets 1, −2 and 1 ms in three intervals make a constant line; nothing
// but a check of it tells that it is wrong.
TEST(Closure, CountsIntervalsWhoseCorridorTheFittedLineLeaves) {
  const auto wave = [](int64_t t) {
    const int64_t phase = t / (10 * kSecond);  // of 3: up, down, up
    return t + (phase == 1 ? -2 * kMs : kMs);
  };
  BentClocks clocks({Same, wave}, 30 * kSecond - 1);
  for (int64_t t = 0; t < 30 * kSecond; t += kSecond / 4) {
    if (t % (10 * kSecond) < kSecond / 2) continue;  // no message while the clock steps
    clocks.Exchange(0, 1, t, 400 * kUs, 400 * kUs);
  }
  const auto estimate =
      EstimateByIntervals(clocks.inputs(), clocks.Pairs(), clocks.Messages(), kClosure, kFromFirst);
  ASSERT_TRUE(estimate.has_value());
  EXPECT_EQ(estimate->components[0].state, IntervalFinding::State::kSolved);
  EXPECT_GT(estimate->components[0].outside, 0u);
  EXPECT_GT(clocks.Inversions(estimate->group), 0u);
  EXPECT_EQ(estimate->group.clocks[1].quality, Quality::kApproximate);
}

TEST(Closure, ChoosesTheReferenceWithTheLeastHalfWidths) {
  BentClocks clocks({Same, [](int64_t t) { return t + kMs; }, Same}, 80 * kSecond);
  for (int64_t s = 0; s < 80; ++s) {
    clocks.Exchange(0, 1, s * kSecond, 50 * kUs, 50 * kUs);
    clocks.Exchange(1, 2, s * kSecond, 50 * kUs, 50 * kUs);
  }
  const auto estimate =
      EstimateByIntervals(clocks.inputs(), clocks.Pairs(), clocks.Messages(), kClosure, {});
  ASSERT_TRUE(estimate.has_value());
  EXPECT_EQ(estimate->group.roots[0], ClockId(1));
  EXPECT_EQ(estimate->group.clocks[1].correction(LocalTime{5 * kSecond}).ns, 5 * kSecond);
  EXPECT_NEAR(static_cast<double>(clocks.Error(estimate->group, 2, 40 * kSecond)), 0, 2);
}

}  // namespace
}  // namespace syncline
