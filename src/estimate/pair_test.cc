#include "estimate/pair.h"

#include <cstdint>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/times.h"

namespace syncline {
namespace {

using ::testing::HasSubstr;

// `count` messages each way over a minute between a and b, b = truth(a); delays at least `ab_ns`
// and `ba_ns`, 120 µs more on average.
PairPoints SimulatedPoints(const Line& truth, int count, MinDelays least, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> jitter(1.0 / 120'000);
  PairPoints points;
  for (int i = 0; i < count; ++i) {
    const int64_t x = truth.at.x + static_cast<int64_t>(random() % (60 * kSecond));
    points.AddAToB(x, truth.Ceil(x) + least.ab_ns + static_cast<int64_t>(jitter(random)));
    const int64_t z = truth.at.x + static_cast<int64_t>(random() % (60 * kSecond));
    points.AddBToA(truth.Floor(z) - least.ba_ns - static_cast<int64_t>(jitter(random)), z);
  }
  return points;
}

const Line kTrueLine{{kEpoch, kEpoch + 1'700'000'000}, {1'000'035, 1'000'000}};

TEST(EstimatePair, FindsOffsetAndDriftOfSimulatedClocks) {
  for (const LineMethod method : {LineMethod::kWidest, LineMethod::kBisector}) {
    const PairEstimate estimate =
        EstimatePair(SimulatedPoints(kTrueLine, 2000, {500'000, 500'000}, 1), {.method = method});
    ASSERT_EQ(estimate.quality, Quality::kAccurate);
    EXPECT_NEAR(estimate.line->slope.ToDouble(), 1.000035, 1e-6);
    const int64_t middle = kEpoch + 30 * kSecond;
    EXPECT_NEAR(static_cast<double>(estimate.line->Nearest(middle) - kTrueLine.Nearest(middle)), 0,
                20'000);
    EXPECT_EQ(estimate.messages_ab, 2000u);
    EXPECT_EQ(estimate.reason, "");
    EXPECT_LE(estimate.slopes->min, kTrueLine.slope);
    EXPECT_GE(estimate.slopes->max, kTrueLine.slope);
  }
}

TEST(EstimatePair, GivesTheSameToTheNanosecondWhateverTheClocksShow) {
  // More messages than a sample holds, so that it matters which are in it.
  const Line small{{0, 0}, kTrueLine.slope};
  const auto here = EstimatePair(SimulatedPoints(small, 5000, {500'000, 500'000}, 3), {});
  const auto there = EstimatePair(SimulatedPoints(kTrueLine, 5000, {500'000, 500'000}, 3), {});
  ASSERT_TRUE(here.line && there.line);
  EXPECT_EQ(here.drift_error, there.drift_error);
  for (const int64_t x : {int64_t{0}, 30 * kSecond, 60 * kSecond}) {
    EXPECT_EQ(here.line->Nearest(x) + kTrueLine.at.y, there.line->Nearest(x + kTrueLine.at.x));
    EXPECT_EQ(here.bounds.upper->Ceil(x) + kTrueLine.at.y,
              there.bounds.upper->Ceil(x + kTrueLine.at.x));
    EXPECT_EQ(here.bounds.lower->Floor(x) + kTrueLine.at.y,
              there.bounds.lower->Floor(x + kTrueLine.at.x));
  }
}

TEST(EstimatePair, GivenMinimumDelaysNarrowTheBoundsAndKeepTheTruth) {
  const MinDelays least{435'400, 713'900};
  const PairPoints points = SimulatedPoints(kTrueLine, 500, least, 2);
  const PairEstimate wide = EstimatePair(points, {});
  const PairEstimate narrow = EstimatePair(points, {.min_delays = least});
  ASSERT_EQ(narrow.quality, Quality::kAccurate);
  const int64_t x = kEpoch + 30 * kSecond;
  EXPECT_LE(narrow.bounds.upper->Ceil(x), wide.bounds.upper->Ceil(x) - 400'000);
  EXPECT_GE(narrow.bounds.lower->Floor(x), wide.bounds.lower->Floor(x) + 700'000);
  EXPECT_GE(narrow.bounds.upper->Ceil(x), kTrueLine.Ceil(x));
  EXPECT_LE(narrow.bounds.lower->Floor(x), kTrueLine.Floor(x));
}

TEST(EstimatePair, AutomaticMinimumDelayIsNineTenthsOfHalfTheSmallestRoundTrip) {
  PairPoints points;
  points.AddAToB(0, 1000);  // round trip: 1000 there, 600 back at slope 1
  points.AddBToA(-600, 0);
  const PairEstimate estimate =
      EstimatePair(points, {.min_delay_source = PairOptions::MinDelaySource::kAuto});
  EXPECT_EQ(estimate.min_delays, (MinDelays{(1000 + 600) * 9 / 20, (1000 + 600) * 9 / 20}));
  EXPECT_TRUE(estimate.min_delays_assumed);
  EXPECT_EQ(estimate.quality, Quality::kAccurate);
  EXPECT_EQ(estimate.bounds.upper->Ceil(0), 1000 - 720);
}

TEST(EstimatePair, MinimumDelaysBeyondWhatMessagesAllowAreNamedAsTheReason) {
  PairPoints points;
  points.AddAToB(0, 1000);
  points.AddBToA(-600, 0);
  const PairEstimate estimate = EstimatePair(points, {.min_delays = {1000, 700}});
  EXPECT_EQ(estimate.quality, Quality::kApproximate);
  EXPECT_THAT(estimate.reason, HasSubstr("minimum delays"));
  EXPECT_FALSE(estimate.bounds.upper.has_value());
}

TEST(EstimatePair, AbsurdMinimumDelaysDoNotOverflow) {
  PairPoints points;
  points.AddAToB(kEpoch, kEpoch + 1000);
  points.AddBToA(kEpoch, kEpoch + 1000);
  for (const int64_t delay : {INT64_MAX, INT64_MIN}) {
    const PairEstimate estimate = EstimatePair(points, {.min_delays = {delay, delay}});
    EXPECT_EQ(estimate.quality, delay > 0 ? Quality::kApproximate : Quality::kAccurate);
    EXPECT_EQ(std::abs(estimate.min_delays.ab_ns), int64_t{1} << 49);
  }
}

TEST(EstimatePair, DriftBeyondThePriorIsToldApartFromContradiction) {
  const Line fast{{kEpoch, kEpoch}, {1'000'900, 1'000'000}};
  const PairPoints points = SimulatedPoints(fast, 500, {0, 0}, 3);
  const PairEstimate clipped = EstimatePair(points, {});
  EXPECT_EQ(clipped.quality, Quality::kApproximate);
  EXPECT_THAT(clipped.reason, HasSubstr("prior"));
  EXPECT_GT(clipped.violations.count, 0u);
  EXPECT_EQ(EstimatePair(points, {.max_drift_ppm = 1000}).quality, Quality::kAccurate);
  EXPECT_EQ(EstimatePair(points, {.max_drift_ppm = std::nullopt}).quality, Quality::kAccurate);
}

TEST(EstimatePair, UncommonRatesAreFoundWhereMessagesDetermineThem) {
  for (const int64_t drift_ppm : {-90'000, -1'000, 1'000, 3'000, 400'000}) {
    SCOPED_TRACE(drift_ppm);
    const Line truth{{kEpoch, kEpoch}, {1'000'000 + drift_ppm, 1'000'000}};
    const PairEstimate estimate =
        EstimatePair(SimulatedPoints(truth, 500, {0, 0}, 4), {.max_drift_ppm = std::nullopt});
    ASSERT_EQ(estimate.quality, Quality::kAccurate);
    EXPECT_NEAR(estimate.line->slope.ToDouble(), truth.slope.ToDouble(), 1e-6);
  }
}

TEST(EstimatePair, BentClocksGetAnApproximateLineAndNoBound) {
  PairPoints points;
  for (int64_t i = 0; i <= 100; ++i) {
    const int64_t x = i * kSecond;
    const int64_t bend = i < 50 ? 0 : (i - 50) * 100'000;  // 100 ppm from the middle on
    points.AddAToB(x, x + bend + 1000);
    points.AddBToA(x + bend - 1000, x);
  }
  const PairEstimate estimate = EstimatePair(points, {});
  EXPECT_EQ(estimate.quality, Quality::kApproximate);
  EXPECT_THAT(estimate.reason, HasSubstr("not linear"));
  EXPECT_GT(estimate.violations.count, 0u);
  EXPECT_LT(estimate.violations.worst_ns, 50 * 100'000);
  EXPECT_FALSE(estimate.bounds.upper || estimate.bounds.lower || estimate.slopes);
}

TEST(EstimatePair, OneDirectionIsIncompleteAndOpenOnTheOtherSide) {
  PairPoints points;
  points.AddBToA(1000, 5000);
  points.AddBToA(2000, 6100);
  const PairEstimate estimate = EstimatePair(points, {});
  EXPECT_EQ(estimate.quality, Quality::kIncomplete);
  ASSERT_TRUE(estimate.line.has_value());
  EXPECT_TRUE(estimate.bounds.lower.has_value());
  EXPECT_FALSE(estimate.bounds.upper.has_value());
  EXPECT_THAT(estimate.reason, HasSubstr("one direction"));
}

TEST(EstimatePair, WithoutMessagesIsAbsent) {
  const PairEstimate estimate = EstimatePair({}, {});
  EXPECT_EQ(estimate.quality, Quality::kAbsent);
  EXPECT_FALSE(estimate.line.has_value());
  EXPECT_NE(estimate.reason, "");
}

TEST(EstimatePair, OneExchangeWithoutPriorStillGetsAPlausibleRate) {
  PairPoints points;
  points.AddAToB(0, 1000);
  points.AddBToA(1100, 900);
  const PairEstimate estimate = EstimatePair(points, {.max_drift_ppm = std::nullopt});
  EXPECT_EQ(estimate.quality, Quality::kAccurate);
  EXPECT_NEAR(estimate.line->slope.ToDouble(), 1, 1e-3);
}

TEST(EstimatePair, SameInstantMessagesBothWaysAreAdmissible) {
  PairPoints points;
  for (int i = 0; i < 3; ++i) {
    points.AddAToB(7, 9);
    points.AddBToA(9, 7);
  }
  const PairEstimate estimate = EstimatePair(points, {});
  EXPECT_EQ(estimate.quality, Quality::kAccurate);
  EXPECT_EQ(estimate.hull_ab, 1u);
  EXPECT_EQ(estimate.line->Nearest(7), 9);
}

TEST(EstimatePair, ReportsMessagesOutOfRange) {
  PairPoints points;
  points.AddAToB(kEpoch, kEpoch + 10);
  points.AddBToA(kEpoch, kEpoch + 20);
  points.AddAToB(kEpoch, INT64_MAX);
  const PairEstimate estimate = EstimatePair(points, {});
  EXPECT_EQ(estimate.quality, Quality::kAccurate);
  EXPECT_EQ(estimate.out_of_range, 1u);
}

TEST(QualityName, NamesEveryQuality) {
  EXPECT_EQ(QualityName(Quality::kAccurate), "accurate");
  EXPECT_EQ(QualityName(Quality::kApproximate), "approximate");
  EXPECT_EQ(QualityName(Quality::kIncomplete), "incomplete");
  EXPECT_EQ(QualityName(Quality::kAbsent), "absent");
}

}  // namespace
}  // namespace syncline
