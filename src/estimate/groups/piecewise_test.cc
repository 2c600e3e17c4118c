#include "estimate/groups/piecewise.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/times.h"
#include "estimate/groups/groups_test_util.h"

namespace syncline {
namespace {

using ::testing::ElementsAre;

Result<IntervalEstimate> EstimatePiecewise(std::span<const ClockInput> clocks,
                                           std::span<const PairInput> pairs,
                                           const MessagePass& messages) {
  return EstimateByIntervals(clocks, pairs, messages, IntervalMethod::kPiecewise, ClockId(0));
}

// Two clocks; corridors at boundaries of `intervals` seconds.
struct TwoClocks {
  explicit TwoClocks(size_t intervals) {
    component.clocks = {{.clock = 0, .last_ns = static_cast<int64_t>(intervals) * kSecond},
                        {.clock = 1, .last_ns = static_cast<int64_t>(intervals) * kSecond}};
    component.directions = {{0, 1}, {1, 0}};
    component.bounds = {{0, kSecond, intervals}, 2};
  }
  // In interval i messages a → b seem to take `there`, back `back`.
  void There(int64_t i, int64_t there) { Add(0, i, there); }
  void Back(int64_t i, int64_t back) { Add(1, i, back); }
  Corridors Find() const {
    return *FindCorridors(component, IntervalMethod::kPiecewise, component.bounds.grid().intervals);
  }

  ComponentMessages component;

 private:
  void Add(size_t direction, int64_t i, int64_t delay) {
    const int64_t at = i * kSecond + kSecond / 2;
    component.bounds.Add(direction, at, at, delay);
  }
};

TEST(Piecewise, MissingDirectionIsTwiceTheSmallestWidthAway) {
  TwoClocks clocks(4);
  for (int64_t i = 0; i < 4; ++i) clocks.There(i, 50 + i);
  // Of two other clocks, 30 wide.
  clocks.component.clocks.push_back({.clock = 2});
  clocks.component.clocks.push_back({.clock = 3});
  ComponentMessages with_others = clocks.component;
  with_others.directions = {{0, 1}, {1, 0}, {2, 3}, {3, 2}};
  with_others.bounds = {{0, kSecond, 4}, 4};
  for (int64_t i = 0; i < 4; ++i) {
    const int64_t at = i * kSecond;
    with_others.bounds.Add(0, at, at, 50 + i);
    with_others.bounds.Add(2, at, at, 100);
    with_others.bounds.Add(3, at, at, i == 2 ? -70 : 0);
  }
  Corridors corridors = *FindCorridors(with_others, IntervalMethod::kPiecewise, 4);
  EXPECT_FALSE(corridors.closed[0].IsBounded(0, 1));
  EXPECT_THAT(SupplyMissingDirections(with_others, corridors), ElementsAre(0, 1, 2, 3, 4));
  // x(a) − x(b) is at most 50, so at least 50 − 2·30.
  EXPECT_EQ(corridors.closed[0].Upper(1, 0), 50);
  EXPECT_EQ(corridors.closed[0].Lower(1, 0), 50 - 2 * 30);
  EXPECT_EQ(corridors.closed[4].Lower(1, 0), 53 - 2 * 30);
}

TEST(Piecewise, OpenBoundariesAreInterpolatedAndHeldBeyondTheOutermost) {
  TwoClocks clocks(8);
  clocks.There(1, 100);  // boundaries 1 and 2
  clocks.Back(1, 100);
  clocks.There(5, 400);  // 5 and 6
  clocks.Back(5, 200);
  Corridors corridors = clocks.Find();
  EXPECT_THAT(InterpolateOpen(corridors), ElementsAre(0, 3, 4, 7, 8));
  const auto expect = [&](size_t j, int64_t upper, int64_t lower) {
    EXPECT_EQ(corridors.closed[j].Upper(1, 0), upper) << j;
    EXPECT_EQ(corridors.closed[j].Lower(1, 0), lower) << j;
  };
  expect(0, 100, -100);
  expect(2, 100, -100);
  expect(3, 100 + (400 - 100) / 3, -(100 + (200 - 100) / 3));
  expect(4, 100 + (400 - 100) * 2 / 3, -(100 + (200 - 100) * 2 / 3));
  expect(5, 400, -200);
  expect(8, 400, -200);
}

TEST(Piecewise, WhatIsInterpolatedGivesWayToMessages) {
  TwoClocks clocks(6);
  clocks.There(0, 100);
  clocks.Back(0, 100);
  clocks.There(3, -150);  // alone at boundaries 3 and 4
  clocks.There(5, 100);
  clocks.Back(5, 100);
  Corridors corridors = clocks.Find();
  InterpolateOpen(corridors);
  // Interpolated, x(a) − x(b) would be at least −100; but a message says at most −150.
  EXPECT_EQ(corridors.closed[3].Upper(1, 0), -150);
  EXPECT_EQ(corridors.closed[3].Lower(1, 0), -150);
  EXPECT_EQ(corridors.closed[2].Lower(1, 0), -100);
}

// A clock that runs 500 ppm fast for 5 of 40 seconds, more than its corridor is wide.
BentClocks SlewedGroup(int64_t start) {
  const auto slewed = [start](int64_t t) {
    return start + t + 300 * kMs + std::clamp<int64_t>(t - 15 * kSecond, 0, 5 * kSecond) / 2000;
  };
  BentClocks clocks({[start](int64_t t) { return start + t; }, slewed,
                     [start](int64_t t) { return start + t - 7 * kSecond + t / 50'000; }},
                    40 * kSecond);
  std::mt19937_64 random(3);
  std::exponential_distribution<double> jitter(1.0 / (100 * kUs));
  const auto delay = [&] { return 200 * kUs + static_cast<int64_t>(jitter(random)); };
  for (int64_t t = 0; t < 40 * kSecond; t += 20 * kMs) {
    clocks.Exchange(0, 1, t, delay(), delay());
    clocks.Exchange(1, 2, t + 3 * kMs, delay(), delay());
  }
  return clocks;
}

TEST(Piecewise, FollowsAClockWhoseRateChangesAndLeavesNoMessageInverted) {
  const BentClocks clocks = SlewedGroup(0);
  const auto pairs = clocks.Pairs();
  ASSERT_EQ(pairs[0].estimate.quality, Quality::kApproximate);  // no straight line fits
  const auto estimate = EstimatePiecewise(clocks.inputs(), pairs, clocks.Messages());
  ASSERT_TRUE(estimate.has_value());
  const IntervalFinding& finding = estimate->components[0];
  EXPECT_EQ(finding.state, IntervalFinding::State::kSolved);
  EXPECT_GT(finding.refused, 0u);
  EXPECT_EQ(finding.supplied, 0u);
  EXPECT_EQ(clocks.Inversions(estimate->group), 0u);
  for (int64_t t = 0; t <= 40 * kSecond; t += kSecond / 4) {
    // Delays are alike in both directions, so what remains is jitter and how a boundary sees a
    // bend.
    EXPECT_NEAR(static_cast<double>(clocks.Error(estimate->group, 1, t)), 0, 100'000) << t;
    EXPECT_NEAR(static_cast<double>(clocks.Error(estimate->group, 2, t)), 0, 150'000) << t;
  }
  // A clock that cannot be linear has no bounds.
  EXPECT_EQ(estimate->group.clocks[1].quality, Quality::kApproximate);
  EXPECT_FALSE(estimate->group.clocks[1].bound.has_value());
}

TEST(Piecewise, EpochSizedStampsGiveTheSameResult) {
  const BentClocks small = SlewedGroup(0);
  const BentClocks large = SlewedGroup(kEpoch);
  const auto from_small = EstimatePiecewise(small.inputs(), small.Pairs(), small.Messages());
  const auto from_large = EstimatePiecewise(large.inputs(), large.Pairs(), large.Messages());
  ASSERT_TRUE(from_small && from_large);
  for (size_t i = 0; i < 3; ++i) {
    const auto knots = from_small->group.clocks[i].correction.knots();
    const auto shifted = from_large->group.clocks[i].correction.knots();
    ASSERT_EQ(knots.size(), shifted.size());
    for (size_t k = 0; k < knots.size(); ++k) {
      EXPECT_EQ(knots[k].local.ticks, shifted[k].local.ticks - kEpoch);
      EXPECT_EQ(knots[k].global.ns, shifted[k].global.ns - kEpoch);
    }
  }
}

// Rabenseifner, figure 7.3: the pairs disagree, and no constant offsets solve it; at one instant.
TEST(Piecewise, KeepsTheTreeWhereMessagesContradictEachOtherAtAnyLength) {
  const auto equal = [](int64_t t) { return t; };
  BentClocks clocks({equal, equal, equal}, 10 * kSecond);
  for (int64_t t = kSecond; t < 10 * kSecond; t += kSecond) {
    // Around a circle, all seem to arrive 1 ms before they were sent.
    clocks.Send(0, 1, t, -kMs);
    clocks.Send(1, 2, t, -kMs);
    clocks.Send(2, 0, t, -kMs);
  }
  const auto estimate = EstimatePiecewise(clocks.inputs(), clocks.Pairs(), clocks.Messages());
  ASSERT_TRUE(estimate.has_value());
  EXPECT_EQ(estimate->components[0].state, IntervalFinding::State::kFallback);
  EXPECT_NE(estimate->components[0].reason, "");
  EXPECT_EQ(estimate->group.clocks[1].quality, Quality::kIncomplete);
}

TEST(Piecewise, BoundsCountFromEveryKnotOfTheCorrection) {
  // Two clocks of one rate, known to ± 1 µs; the correction is 700 ns off at one moment.
  PairPoints points;
  for (const int64_t x : {int64_t{0}, kSecond}) {
    points.AddAToB(x, x + 1000);
    points.AddBToA(x - 1000, x);
  }
  const PairEstimate pair = EstimatePair(points, {.max_drift_ppm = 0});
  const ClockInput input{{.name = "a"}, {0}, {kSecond}};
  const TimeBounds bounds(input.clock, {std::make_shared<const Bounds>(pair.bounds)});
  const int64_t moment = kSecond / 2 + 12'345;
  const auto bent =
      Correction::FromKnots({{{0}, {0}}, {{moment}, {moment + 700}}, {{kSecond}, {kSecond}}});
  const ClockEstimate clock = DescribeClock(input, *bent, bounds, Quality::kAccurate);
  EXPECT_EQ(clock.bound->worst_ns, 1000 + 700);
  EXPECT_EQ(clock.bound->best_ns, 1000);
}

TEST(Piecewise, ReportsAFailedPassOverTheMessages) {
  const BentClocks clocks = SlewedGroup(0);
  const MessagePass broken = [](const auto&) -> Result<void> {
    return Fail(ErrorCode::kUnreadable, "the disk is gone");
  };
  const auto estimate = EstimatePiecewise(clocks.inputs(), clocks.Pairs(), broken);
  ASSERT_FALSE(estimate.has_value());
  EXPECT_EQ(estimate.error().message, "the disk is gone");
}

}  // namespace
}  // namespace syncline
