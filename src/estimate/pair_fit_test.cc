// Lines from the messages themselves, as part of a pair's estimate.
#include "estimate/pair_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/times.h"

namespace syncline {
namespace {

using ::testing::HasSubstr;

constexpr LineMethod kFitted[] = {LineMethod::kRegression, LineMethod::kRobust,
                                  LineMethod::kTwoPoint, LineMethod::kMinMax};

struct Sent {
  int64_t send = 0;
  int64_t receive = 0;
  bool is_a_to_b = false;
};

PairEstimate Estimated(const std::vector<Sent>& messages, const PairOptions& options) {
  PairPoints points;
  for (const Sent& m : messages) {
    m.is_a_to_b ? points.AddAToB(m.send, m.receive) : points.AddBToA(m.send, m.receive);
  }
  PairFit fit(points, EstimatePair(points, options), options);
  if (NeedsMessages(options.method)) {
    for (const Sent& m : messages) {
      m.is_a_to_b ? fit.AddAToB(m.send, m.receive) : fit.AddBToA(m.send, m.receive);
    }
  }
  return std::move(fit).Finish();
}

// `there` and `back` messages over a minute, b = truth(a), each at least as late as `least` says
// and 120 µs more on average; every second one back answers one there.
std::vector<Sent> SimulatedMessages(const Line& truth, int there, int back, MinDelays least,
                                    uint64_t seed) {
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> jitter(1.0 / 120'000);
  const auto time = [&] { return truth.at.x + static_cast<int64_t>(random() % (60 * kSecond)); };
  std::vector<Sent> messages;
  for (int i = 0; i < std::max(there, back); ++i) {
    const int64_t x = time();
    const int64_t y = truth.Nearest(x) + least.ab_ns + static_cast<int64_t>(jitter(random));
    if (i < there) messages.push_back({x, y, true});
    const int64_t sent = i % 2 == 0 ? y + 30'000 : truth.Nearest(time());
    const int64_t received = truth.Inverted().Nearest(sent) + least.ba_ns;
    if (i < back) {
      messages.push_back({sent, received + static_cast<int64_t>(jitter(random)), false});
    }
  }
  return messages;
}

const Line kTruth{{kEpoch, kEpoch + 1'700'000'000}, {1'000'035, 1'000'000}};

double ErrorAtMiddle(const PairEstimate& estimate) {
  const int64_t middle = kEpoch + 30 * kSecond;
  return static_cast<double>(estimate.line->Nearest(middle) - kTruth.Nearest(middle));
}

TEST(PairFit, ErrsByHalfTheAsymmetryWhateverTheMethod) {
  const MinDelays least{435'000, 714'000};
  const auto messages = SimulatedMessages(kTruth, 2000, 2000, least, 1);
  for (const LineMethod method : kFitted) {
    SCOPED_TRACE(LineMethodName(method));
    const PairEstimate estimate = Estimated(messages, {.method = method});
    ASSERT_EQ(estimate.quality, Quality::kAccurate);
    EXPECT_EQ(estimate.line_from, LineMethodName(method));
    EXPECT_NEAR(ErrorAtMiddle(estimate), (435'000 - 714'000) / 2.0, 25'000);
    EXPECT_NEAR(static_cast<double>(estimate.line->slope.Drift() * 1e6L), 35, 0.6);
    EXPECT_EQ(estimate.violations.count, 0u);
    EXPECT_EQ(estimate.reason, "");
  }
}

TEST(PairFit, GivenMinimumDelaysTakeTheAsymmetryAway) {
  const MinDelays least{435'000, 714'000};
  const auto messages = SimulatedMessages(kTruth, 2000, 2000, least, 2);
  for (const LineMethod method : kFitted) {
    SCOPED_TRACE(LineMethodName(method));
    const PairEstimate estimate = Estimated(messages, {.method = method, .min_delays = least});
    EXPECT_NEAR(ErrorAtMiddle(estimate), 0, 25'000);
  }
}

TEST(PairFit, KeepsQualityAndBoundsAndSaysWhatTheLineViolates) {
  // Ten times as many there as back: regression lies above the messages there.
  const auto messages = SimulatedMessages(kTruth, 2000, 200, {500'000, 500'000}, 3);
  const PairEstimate hulls = Estimated(messages, {});
  const PairEstimate fitted = Estimated(messages, {.method = LineMethod::kRegression});
  EXPECT_EQ(fitted.quality, Quality::kAccurate);
  EXPECT_GT(fitted.violations.count, 0u);
  // The mean delay of all, (10 · 620 − 620) / 11 µs, less that of the fastest there.
  EXPECT_NEAR(fitted.violations.worst_ns, 9.0 / 11 * 620'000 - 500'000, 60'000);
  EXPECT_THAT(fitted.reason, HasSubstr("the regression line has "));
  ASSERT_TRUE(fitted.bounds.upper && fitted.bounds.lower && fitted.slopes);
  const int64_t x = kEpoch + 30 * kSecond;
  EXPECT_EQ(fitted.bounds.upper->Ceil(x), hulls.bounds.upper->Ceil(x));
  EXPECT_EQ(fitted.bounds.lower->Floor(x), hulls.bounds.lower->Floor(x));
  EXPECT_LE(fitted.bounds.lower->Floor(x), kTruth.Floor(x));
  EXPECT_GE(fitted.bounds.upper->Ceil(x), kTruth.Ceil(x));
}

TEST(PairFit, StatesFiguresForRegressionAlone) {
  const auto messages = SimulatedMessages(kTruth, 300, 200, {500'000, 500'000}, 4);
  for (const LineMethod method : kLineMethods) {
    const PairEstimate estimate = Estimated(messages, {.method = method});
    EXPECT_EQ(estimate.regression.has_value(), method == LineMethod::kRegression);
    EXPECT_EQ(estimate.regression.value_or(RegressionFigures{}).messages,
              method == LineMethod::kRegression ? 300u + 200u : 0u);
  }
}

TEST(PairFit, CountsTheViolationsOfLinesOfClocksThatBend) {
  std::vector<Sent> messages;
  for (int64_t i = 0; i <= 100; ++i) {
    const int64_t x = i * kSecond;
    const int64_t bend = i < 50 ? 0 : (i - 50) * 100'000;  // 100 ppm from the middle on
    messages.push_back({x, x + bend + 1000, true});
    messages.push_back({x + bend - 1000, x, false});
  }
  const PairEstimate fallback = Estimated(messages, {});
  EXPECT_EQ(fallback.line_from, "fallback");
  for (const LineMethod method : kFitted) {
    SCOPED_TRACE(LineMethodName(method));
    const PairEstimate estimate = Estimated(messages, {.method = method});
    EXPECT_EQ(estimate.quality, Quality::kApproximate);
    EXPECT_EQ(estimate.reason, fallback.reason);
    EXPECT_EQ(estimate.line_from, LineMethodName(method));
    EXPECT_GT(estimate.violations.count, 0u);
    EXPECT_GT(estimate.violations.worst_ns, 0);
    EXPECT_LT(estimate.violations.worst_ns, 50 * 100'000);
    EXPECT_FALSE(estimate.bounds.upper || estimate.bounds.lower || estimate.slopes);
  }
}

TEST(PairFit, OneDirectionKeepsTheLineOfLeastDelay) {
  const auto messages = SimulatedMessages(kTruth, 100, 0, {500'000, 500'000}, 5);
  for (const LineMethod method : kFitted) {
    const PairEstimate estimate = Estimated(messages, {.method = method});
    EXPECT_EQ(estimate.quality, Quality::kIncomplete);
    EXPECT_EQ(estimate.line_from, "least-delay");
    EXPECT_FALSE(estimate.regression.has_value());
  }
}

TEST(PairFit, WithoutMessagesStaysAbsent) {
  for (const LineMethod method : kFitted) {
    const PairEstimate estimate = Estimated({}, {.method = method});
    EXPECT_EQ(estimate.quality, Quality::kAbsent);
    EXPECT_FALSE(estimate.line.has_value());
    EXPECT_EQ(estimate.line_from, "");
  }
}

TEST(PairFit, WhereTheMethodFindsNoLineThatOfTheHullsStays) {
  // Two messages that cross, in different halves of the time: neither exchange nor strip.
  const std::vector<Sent> messages = {{0, 1000, true}, {0, 1000, false}};
  for (const LineMethod method : {LineMethod::kTwoPoint, LineMethod::kMinMax}) {
    SCOPED_TRACE(LineMethodName(method));
    const PairEstimate estimate = Estimated(messages, {.method = method});
    EXPECT_EQ(estimate.line_from, "widest");
    EXPECT_EQ(estimate.line->at, Estimated(messages, {}).line->at);
  }
}

TEST(PairFit, FewAndEqualMessagesStillGiveAPlausibleLine) {
  const std::vector<Sent> cases[] = {
      {{kEpoch, kEpoch + 1000, true}, {kEpoch + 1000, kEpoch, false}},
      {{kEpoch, kEpoch + 500, true}, {kEpoch + 500, kEpoch + 40, false}},
      std::vector<Sent>{{kEpoch, kEpoch + 9, true},
                        {kEpoch, kEpoch + 9, true},
                        {kEpoch + 9, kEpoch, false},
                        {kEpoch + 9, kEpoch, false}},
      {{kEpoch, kEpoch + 900, true}, {kEpoch, kEpoch + 700, true}, {kEpoch - 50, kEpoch, false}},
  };
  for (const auto& messages : cases) {
    for (const LineMethod method : kFitted) {
      SCOPED_TRACE(LineMethodName(method));
      const PairEstimate estimate = Estimated(messages, {.method = method});
      ASSERT_TRUE(estimate.line.has_value());
      EXPECT_NEAR(estimate.line->slope.ToDouble(), 1, 200.001e-6);
      EXPECT_NEAR(static_cast<double>(estimate.line->Nearest(kEpoch) - kEpoch), 0, 1000);
    }
  }
}

TEST(PairFit, OfEpochTimesIsThatOfSmallTimesToTheNanosecond) {
  auto late = SimulatedMessages(kTruth, 400, 300, {435'000, 714'000}, 6);
  std::vector<Sent> small = late;
  for (Sent& m : small) {
    m.send -= kEpoch;
    m.receive -= kEpoch;
  }
  std::shuffle(late.begin(), late.end(), std::mt19937_64(6));
  for (const LineMethod method : kFitted) {
    SCOPED_TRACE(LineMethodName(method));
    const PairEstimate a = Estimated(late, {.method = method});
    const PairEstimate b = Estimated(small, {.method = method});
    for (const int64_t t : {int64_t{0}, 60 * kSecond}) {
      EXPECT_NEAR(static_cast<double>(a.line->Nearest(kEpoch + t) - kEpoch - b.line->Nearest(t)), 0,
                  1);
    }
  }
}

TEST(PairFit, LeavesOutMessagesOutOfRange) {
  auto messages = SimulatedMessages(kTruth, 100, 100, {500'000, 500'000}, 7);
  std::vector<Sent> more = messages;
  more.push_back({kEpoch, INT64_MAX, true});
  more.push_back({INT64_MIN, INT64_MIN, false});
  more.push_back({-kEpoch, -kEpoch, true});
  for (const LineMethod method : kFitted) {
    SCOPED_TRACE(LineMethodName(method));
    const PairEstimate a = Estimated(messages, {.method = method});
    const PairEstimate b = Estimated(more, {.method = method});
    EXPECT_EQ(b.out_of_range, 3u);
    EXPECT_EQ(a.line->at, b.line->at);
    EXPECT_EQ(a.line->slope, b.line->slope);
  }
}

// Whatever the times and the prior: a line of an allowed slope, and nothing overflows.
TEST(PairFit, SurvivesMessagesAnywhereInTime) {
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const int bits = 1 + static_cast<int>(seed % 64);
    const auto anywhere = [&] { return static_cast<int64_t>(random()) >> (64 - bits); };
    std::vector<Sent> messages;
    for (uint32_t i = 0; i < 2 + seed % 30; ++i) {
      messages.push_back({anywhere(), anywhere(), i % 2 == 0});
    }
    const std::optional<double> prior =
        seed % 3 == 0 ? std::nullopt : std::optional(seed % 3 == 1 ? 200.0 : 1e5);
    for (const LineMethod method : kFitted) {
      SCOPED_TRACE(LineMethodName(method));
      const PairEstimate estimate = Estimated(
          messages,
          {.method = method, .max_drift_ppm = prior, .min_delays = {anywhere(), anywhere()}});
      if (estimate.messages_ab == 0 || estimate.messages_ba == 0) continue;
      ASSERT_TRUE(estimate.line.has_value());
      const SlopeRange range = PriorRange(prior);
      EXPECT_TRUE(estimate.line->slope >= range.min && estimate.line->slope <= range.max);
      EXPECT_FALSE(std::isnan(estimate.violations.worst_ns));
    }
  }
}

TEST(LineMethodName, IsWhatTheCommandLineTakes) {
  std::vector<std::string> names;
  for (const LineMethod method : kLineMethods) names.emplace_back(LineMethodName(method));
  EXPECT_THAT(names, testing::ElementsAre("widest", "bisector", "regression", "robust", "two-point",
                                          "minmax"));
}

}  // namespace
}  // namespace syncline
