#include "estimate/groups/interval_corridors.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/times.h"
#include "estimate/groups/groups_test_util.h"
#include "estimate/groups/tree_error.h"

namespace syncline {
namespace {

// By hand, without a coarse correction: what each message says per microsecond-long interval.
ComponentMessages ByHand(size_t clocks, std::vector<ComponentMessages::Direction> directions,
                         IntervalGrid grid) {
  ComponentMessages component;
  for (size_t i = 0; i < clocks; ++i) component.clocks.push_back({.clock = i});
  component.bounds = {grid, directions.size()};
  component.directions = std::move(directions);
  return component;
}

TEST(GatherIntervals, SeesWhatCoarseLinesLeave) {
  // b is a second ahead and 50 ppm fast; messages take 1 ms there and 3 ms back.
  BentClocks clocks(
      {[](int64_t t) { return t; }, [](int64_t t) { return t + kSecond + t / 20'000; }},
      64 * kSecond);
  for (int64_t s = 1; s < 63; ++s) clocks.Exchange(0, 1, s * kSecond, kMs, 3 * kMs);
  const auto pairs = clocks.Pairs();
  const GroupEstimate tree = EstimateTree(clocks.inputs(), pairs, {.reference = ClockId(0)});
  const auto gathered = GatherIntervals(clocks.inputs(), pairs, tree, clocks.Messages(), 16);
  ASSERT_TRUE(gathered.has_value());
  ASSERT_EQ(gathered->size(), 1u);
  const ComponentMessages& component = gathered->front();
  EXPECT_EQ(component.bounds.grid().intervals, 16u);
  ASSERT_EQ(component.directions.size(), 2u);
  // The tree sets b midway, so both directions seem to take half of the round trip.
  for (size_t i = 0; i < 16; ++i) {
    for (size_t d = 0; d < 2; ++d) {
      EXPECT_NEAR(static_cast<double>(component.bounds.Least(i, d)), (1 + 3) / 2.0 * kMs, 500);
    }
  }
}

TEST(GatherIntervals, TakesMinimumDelaysOff) {
  BentClocks clocks({[](int64_t t) { return t; }, [](int64_t t) { return t; }}, 8 * kSecond);
  for (int64_t s = 1; s < 8; ++s) clocks.Exchange(0, 1, s * kSecond, kMs, kMs);
  auto pairs = clocks.Pairs();
  pairs[0].estimate.min_delays = {.ab_ns = 400'000, .ba_ns = 100'000};
  const GroupEstimate tree = EstimateTree(clocks.inputs(), pairs, {.reference = ClockId(0)});
  const auto gathered = GatherIntervals(clocks.inputs(), pairs, tree, clocks.Messages(), 1);
  ASSERT_TRUE(gathered.has_value());
  const ComponentMessages& component = gathered->front();
  for (size_t d = 0; d < 2; ++d) {
    const bool is_ab = component.directions[d].from == 0;
    EXPECT_NEAR(static_cast<double>(component.bounds.Least(0, d)),
                1e6 - (is_ab ? 400'000 : 100'000), 2);
  }
}

TEST(FindCorridors, CutsFinerUntilThereIsASolutionAndOnceMore) {
  // In eight parts of 1 µs, part i says that x(0) − x(1) is i µs, exactly: one interval and two
  // have no solution, and so on down to the single parts.
  const IntervalGrid grid{.first_ns = 0, .length_ns = 1000, .intervals = 16};
  ComponentMessages component = ByHand(2, {{0, 1}, {1, 0}}, grid);
  for (int64_t i = 0; i < 8; ++i) {
    for (const int64_t at : {2000 * i + 10, 2000 * i + 1010}) {
      component.bounds.Add(0, at, at, i * 1000);
      component.bounds.Add(1, at, at, -i * 1000);
    }
  }
  const auto corridors = FindCorridors(component, IntervalMethod::kClosure, 1);
  ASSERT_TRUE(corridors.has_value());
  EXPECT_EQ(corridors->refused, 3u);  // 1, 2 and 4
  EXPECT_EQ(corridors->grid.intervals, 8u * 2);
  for (size_t j = 0; j < 16; ++j) {
    EXPECT_EQ(corridors->closed[j].Middle(1, 0), static_cast<int64_t>(j / 2) * 1000);
    EXPECT_EQ(corridors->TimeOf(j), static_cast<int64_t>(j) * 1000 + 500);
  }
  // At a boundary two parts would have to agree.
  EXPECT_FALSE(FindCorridors(component, IntervalMethod::kPiecewise, 1).has_value());
}

TEST(FindCorridors, AllowsForTicksOnlyWhereNothingElseSolves) {
  const IntervalGrid grid{.first_ns = 0, .length_ns = 1000, .intervals = 1};
  ComponentMessages component = ByHand(2, {{0, 1}, {1, 0}}, grid);
  component.clocks[1].reading_ns = 500;
  component.bounds.Add(0, 10, 10, -200);  // b's stamp of the receive is up to 500 ns early
  component.bounds.Add(1, 10, 10, 100);
  const auto corridors = FindCorridors(component, IntervalMethod::kClosure, 1);
  ASSERT_TRUE(corridors.has_value());
  EXPECT_TRUE(corridors->allows_readings);
  EXPECT_EQ(corridors->closed[0].Upper(1, 0), -200 + 500);
  EXPECT_EQ(corridors->closed[0].Lower(1, 0), -100);
  component.bounds.Add(1, 10, 10, -400);
  EXPECT_FALSE(FindCorridors(component, IntervalMethod::kClosure, 1).has_value());
}

TEST(BestReference, HasTheLeastSumOfHalfWidths) {
  Corridors corridors;
  OffsetClosure& closed = corridors.closed.emplace_back(3);
  const auto within = [&](size_t a, size_t b, int64_t half) {
    closed.Limit(a, b, half);
    closed.Limit(b, a, half);
  };
  within(0, 1, 20);
  within(1, 2, 10);
  ASSERT_TRUE(closed.Close());
  // From a: 20 + 30, from b: 20 + 10, from c: 10 + 30.
  EXPECT_EQ(BestReference(corridors), 1u);
  // Where b has no messages, a and c relate at least to themselves, as b does; then widths count.
  corridors.closed.emplace_back(3);
  EXPECT_EQ(BestReference(corridors), 1u);
  OffsetClosure& other = corridors.closed.emplace_back(3);
  other.Limit(0, 2, 500);
  other.Limit(2, 0, 500);
  ASSERT_TRUE(other.Close());
  EXPECT_EQ(BestReference(corridors), 2u);  // b is open to both, a and c to one
}

}  // namespace
}  // namespace syncline
