#include "estimate/group.h"

#include <vector>

#include <gtest/gtest.h>

#include "base/testing/times.h"

namespace syncline {
namespace {

Correction Ahead(int64_t from, int64_t to, int64_t ns) {
  return Correction::FromKnots({{{from}, {from - ns}}, {{to}, {to - ns}}}).value();
}

// The nominal time, exactly.
TimeBounds Exact() { return TimeBounds(Clock{}, std::vector<TimeBounds::Step>()); }

// Set back by 3 s after 10 s and by 1 s after 20 s.
ClockEstimate SetBackTwice(TimeBounds last = Exact()) {
  ClockInput input{.clock = {.name = "c"}, .first = {0}, .last = {20 * kSecond}};
  input.epochs = {
      {{0}, {10 * kSecond}}, {{7 * kSecond}, {20 * kSecond}}, {{19 * kSecond}, {20 * kSecond}}};
  return DescribeClock(input, Ahead(0, 10 * kSecond, 100), Exact(), Quality::kAccurate,
                       {{Ahead(7 * kSecond, 20 * kSecond, 300 - 3 * kSecond), Exact()},
                        {Ahead(19 * kSecond, 20 * kSecond, 200 - 4 * kSecond), std::move(last)}});
}

TEST(ClockEpochsOfEstimate, AreFoundByNumber) {
  const ClockEstimate clock = SetBackTwice();
  EXPECT_EQ(CorrectionOf(clock, 0)({kSecond}).ns, kSecond - 100);
  EXPECT_EQ(CorrectionOf(clock, 1)({8 * kSecond}).ns, 11 * kSecond - 300);
  EXPECT_EQ(CorrectionOf(clock, 2)({19 * kSecond}).ns, 23 * kSecond - 200);
  EXPECT_EQ(&CorrectionOf(clock, 7), &clock.later_epochs[1].correction);
  EXPECT_EQ(&BoundsOf(clock, 0), &clock.bounds);
  EXPECT_EQ(&BoundsOf(clock, 1), &clock.later_epochs[0].bounds);
  const ClockEstimate plain;
  EXPECT_EQ(&CorrectionOf(plain, 3), &plain.correction);
  EXPECT_EQ(&BoundsOf(plain, 3), &plain.bounds);
}

TEST(ClockEpochsOfEstimate, AreGuessedFromReadingsAndTimes) {
  const ClockEstimate clock = SetBackTwice();
  EXPECT_EQ(EpochNear(clock, {-5}), 0U);
  EXPECT_EQ(EpochNear(clock, {10 * kSecond}), 0U);
  EXPECT_EQ(EpochNear(clock, {10 * kSecond + 1}), 1U);
  EXPECT_EQ(EpochNear(clock, {21 * kSecond}), 2U);
  EXPECT_EQ(ReadingAt(clock, {-5}).ticks, 95);
  EXPECT_EQ(ReadingAt(clock, {11 * kSecond - 300}).ticks, 8 * kSecond);
  EXPECT_EQ(ReadingAt(clock, {24 * kSecond}).ticks, 20 * kSecond + 200);
}

TEST(ClockEpochsOfEstimate, AreAllInTheSummary) {
  const ClockEstimate clock = SetBackTwice();
  ASSERT_TRUE(clock.bound.has_value());
  // The bounds are the nominal times.
  EXPECT_EQ(clock.bound->best_ns, 100);
  EXPECT_EQ(clock.bound->worst_ns, 4 * kSecond - 200);
  const double mean = (10 * 100.0 + 13 * (3e9 - 300) + 1 * (4e9 - 200)) / 24;
  EXPECT_NEAR(clock.bound->mean_ns, mean, 1);
  // Of the second epoch, which is the longest.
  EXPECT_EQ(clock.offset_ns, 300 - 3 * kSecond);
  EXPECT_NEAR(clock.drift_ppm, 0, 1e-9);
  EXPECT_NEAR(clock.where_bounded->unbounded_share, 0, 1e-12);
  EXPECT_EQ(clock.where_bounded->bound.worst_ns, clock.bound->worst_ns);
}

TEST(ClockEpochsOfEstimate, ThatAreOpenLeaveTheOthersBounded) {
  const ClockEstimate clock = SetBackTwice(TimeBounds());
  EXPECT_FALSE(clock.bound.has_value());
  ASSERT_TRUE(clock.where_bounded.has_value());
  // The last of 24 s.
  EXPECT_NEAR(clock.where_bounded->unbounded_share, 1 / 24.0, 1e-9);
  EXPECT_EQ(clock.where_bounded->bound.best_ns, 100);
  EXPECT_EQ(clock.where_bounded->bound.worst_ns, 3 * kSecond - 300);
  EXPECT_NEAR(clock.where_bounded->bound.mean_ns, (10 * 100.0 + 13 * (3e9 - 300)) / 23, 1);
  const ClockEstimate none =
      DescribeClock({.clock = {.name = "c"}, .first = {0}, .last = {kSecond}}, Ahead(0, kSecond, 0),
                    TimeBounds(), Quality::kAbsent);
  EXPECT_FALSE(none.where_bounded.has_value());
}

}  // namespace
}  // namespace syncline
