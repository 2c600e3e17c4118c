#include "live/exchange/clock_exchange.h"

#include <array>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(OffsetOf, IsTheMiddleOfWhatAnExchangeAllows) {
  // The peer is 1000 ahead; 30 there, 5 at the peer, 10 back.
  const ClockExchange e = {
      .t1_ns = 500, .t2_ns = 500 + 30 + 1000, .t3_ns = 535 + 1000, .t4_ns = 545};
  const auto offset = OffsetOf(e);
  ASSERT_TRUE(offset.has_value());
  EXPECT_EQ(offset->trip_ns, 30 + 10);
  EXPECT_EQ(offset->offset_ns, 1000 + (30 - 10) / 2);
  EXPECT_EQ(offset->bound_ns, (30 + 10) / 2);
}

TEST(OffsetOf, RoundsItsBoundOutwards) {
  const auto offset = OffsetOf({.t1_ns = 0, .t2_ns = 2, .t3_ns = 2, .t4_ns = 3});
  ASSERT_TRUE(offset.has_value());
  EXPECT_EQ(offset->offset_ns, 0);  // the middle of −1 and 2, rounded down
  EXPECT_EQ(offset->bound_ns, 2);
}

TEST(OffsetOf, HasNoneWhereTimesContradictEachOther) {
  EXPECT_FALSE(OffsetOf({.t1_ns = 0, .t2_ns = 5, .t3_ns = 20, .t4_ns = 14}).has_value());
}

TEST(OffsetOf, SurvivesAnyTimes) {
  const auto offset =
      OffsetOf({.t1_ns = INT64_MIN, .t2_ns = INT64_MAX, .t3_ns = INT64_MIN, .t4_ns = INT64_MAX});
  ASSERT_TRUE(offset.has_value());
  EXPECT_EQ(offset->trip_ns, INT64_MAX);
  EXPECT_EQ(offset->offset_ns, 0);
  EXPECT_EQ(offset->bound_ns, INT64_MAX);
}

TEST(OffsetOf, HoldsTheTruthWhateverTheDelays) {
  std::mt19937_64 random(20240611);
  std::exponential_distribution<double> delay(1.0 / 50'000);
  for (int i = 0; i < 1000; ++i) {
    const int64_t truth =
        std::uniform_int_distribution<int64_t>(-1'000'000'000, 1'000'000'000)(random);
    ClockExchange e = {.t1_ns = 1'000'000LL * i};
    e.t2_ns = e.t1_ns + static_cast<int64_t>(delay(random)) + truth;
    e.t3_ns = e.t2_ns + static_cast<int64_t>(delay(random));
    e.t4_ns = e.t3_ns - truth + static_cast<int64_t>(delay(random));
    const auto offset = OffsetOf(e);
    ASSERT_TRUE(offset.has_value());
    EXPECT_LE(std::abs(offset->offset_ns - truth), offset->bound_ns);
  }
}

ClockExchange WithTrip(int64_t trip_ns) {
  return {.t1_ns = 0, .t2_ns = trip_ns / 2, .t3_ns = trip_ns / 2, .t4_ns = trip_ns};
}

TEST(FiguresOf, LeavesTripsOfMoreThanTwiceTheLeastOutOfTheMean) {
  const std::vector<ClockExchange> burst = {WithTrip(20), WithTrip(10), WithTrip(21), WithTrip(400),
                                            WithTrip(-4)};
  const BurstFigures figures = FiguresOf(burst);
  EXPECT_EQ(figures.exchanges, 5);
  EXPECT_EQ(figures.contradictory, 1);
  EXPECT_EQ(figures.used, 2);
  EXPECT_EQ(figures.least_trip_ns, 10);
  EXPECT_EQ(figures.mean_trip_ns, (20 + 10) / 2);
  EXPECT_EQ(figures.largest_trip_ns, 400);
  ASSERT_TRUE(figures.best.has_value());
  EXPECT_EQ(figures.best->bound_ns, 10 / 2);
}

TEST(Together, WeighsTheMeansAndKeepsTheExtremes) {
  const BurstFigures quick = FiguresOf(std::vector{WithTrip(10), WithTrip(20), WithTrip(90)});
  const BurstFigures slow = FiguresOf(std::vector{WithTrip(60), WithTrip(-1)});
  for (const BurstFigures& both : {Together(quick, slow), Together(slow, quick)}) {
    EXPECT_EQ(both.exchanges, 5);
    EXPECT_EQ(both.contradictory, 1);
    EXPECT_EQ(both.used, 2 + 1);
    EXPECT_EQ(both.mean_trip_ns, (15 * 2 + 60) / 3);
    EXPECT_EQ(both.least_trip_ns, 10);
    EXPECT_EQ(both.largest_trip_ns, 90);
    EXPECT_EQ(both.best->trip_ns, 10);
  }
  EXPECT_EQ(Together(BurstFigures{}, quick).mean_trip_ns, 15);
  EXPECT_FALSE(Together(BurstFigures{}, BurstFigures{}).best.has_value());
}

TEST(FiguresOf, CountsAnswersThatLeftBeforeTheirQuestionsArrived) {
  const ClockExchange sound = {.t1_ns = 0, .t2_ns = 10, .t3_ns = 10, .t4_ns = 20};
  const ClockExchange early = {.t1_ns = 0, .t2_ns = 10, .t3_ns = 9, .t4_ns = 20};
  const BurstFigures figures = FiguresOf(std::array{sound, early});
  EXPECT_EQ(figures.departed_early, 1);
  EXPECT_EQ(Together(figures, figures).departed_early, 2);
}

TEST(FiguresOf, OfNothingAreNone) {
  const BurstFigures figures = FiguresOf({});
  EXPECT_EQ(figures.exchanges, 0);
  EXPECT_EQ(figures.used, 0);
  EXPECT_FALSE(figures.best.has_value());
  EXPECT_FALSE(FiguresOf(std::vector{WithTrip(-1)}).best.has_value());
}

}  // namespace
}  // namespace syncline
