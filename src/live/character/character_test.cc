#include "live/character/character.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr int64_t kMs = 1'000'000;

struct SimulatedOffset {
  int64_t ahead_ns = 0;
  double drift_ppm = 0;
  double noise_ns = 0;
  int64_t uncertainty_ns = 0;
  int64_t measuring_ns = 1000;  // how long a measurement takes
  int unanswered_every = 0;
  int slow_every = 0;  // a measurement that takes ten milliseconds more
};

// Nothing in it depends on real time.
class SimulatedMeter final : public OffsetMeter {
 public:
  explicit SimulatedMeter(const SimulatedOffset& model) : model_(model) {}

  std::optional<OffsetSample> Measure() override {
    ++asked_;
    effort_.readings += 2;
    now_ns_ += model_.measuring_ns;
    if (model_.slow_every != 0 && asked_ % model_.slow_every == 0) now_ns_ += 10 * kMs;
    if (model_.unanswered_every != 0 && asked_ % model_.unanswered_every == 0) return std::nullopt;
    const double gained = static_cast<double>(now_ns_) * model_.drift_ppm * 1e-6;
    const double noise = model_.noise_ns == 0 ? 0 : normal_(random_) * model_.noise_ns;
    return OffsetSample{kEpochNs + now_ns_, model_.ahead_ns + std::llround(gained + noise),
                        model_.uncertainty_ns};
  }
  Effort GetEffort() const override { return effort_; }
  int64_t SteadyNs() override { return now_ns_; }
  void SleepUntil(int64_t steady_ns) override { now_ns_ = steady_ns; }

 private:
  static constexpr int64_t kEpochNs = 1'750'000'000'000'000'000;
  SimulatedOffset model_;
  std::mt19937_64 random_{99};
  std::normal_distribution<double> normal_;
  int64_t now_ns_ = 5 * kMs;
  int asked_ = 0;
  Effort effort_{7, 3};  // of before
};

Measurement Measured(const SimulatedOffset& model, const Pace& pace) {
  SimulatedMeter meter(model);
  return MeasureOverTime(meter, pace);
}

TEST(Measuring, SamplesAreAtEvenTimesAndEffortIsWhatItTook) {
  const Measurement m = Measured({}, {kMs, 10});
  ASSERT_EQ(m.samples.size(), 10U);
  for (size_t i = 1; i < m.samples.size(); ++i) {
    EXPECT_EQ(m.samples[i].at_ns - m.samples[i - 1].at_ns, kMs);
  }
  EXPECT_EQ(m.elapsed_ns, 9 * kMs + 1000);
  EXPECT_EQ(m.effort.readings, 2 * 10U);
  EXPECT_EQ(m.effort.messages, 0U);
  EXPECT_EQ(m.wanted, 10U);
}

TEST(Measuring, WhatGotNoAnswerOrIsTooLateIsCountedAndLaterTimesAreKept) {
  const Measurement unanswered = Measured({.unanswered_every = 4}, {kMs, 10});
  EXPECT_EQ(unanswered.unanswered, 10U / 4);
  EXPECT_EQ(unanswered.samples.size(), 10U - 10 / 4);
  // The third measurement ends 10 ms late: of the next, those due at 3 … 11 ms are too late, but
  // not the one due at 12 ms + 1 µs, half an interval ago at most.
  const Measurement slow = Measured({.measuring_ns = 0, .slow_every = 3}, {kMs, 13});
  EXPECT_EQ(slow.skipped, 9U);
  EXPECT_EQ(slow.samples.size(), 13U - 9);
  EXPECT_EQ(slow.samples.back().at_ns - slow.samples.front().at_ns, 12 * kMs);
}

TEST(CharacterOfAClock, DriftAndOffsetsWithoutNoiseAreExact) {
  const Measurement m =
      Measured({.ahead_ns = -1'000'000, .drift_ppm = 40, .uncertainty_ns = 30}, {10 * kMs, 1001});
  const auto c = CharacterOf(m.samples);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->elapsed_ns, 10'000 * kMs);
  EXPECT_EQ(c->interval_ns, 10 * kMs);
  // 10 s at 40 ppm: 400 µs.
  EXPECT_EQ(c->last_offset_ns - c->first_offset_ns, 400'000);
  EXPECT_NEAR(c->drift_ppm, 40, 1e-4);
  // Two uncertainties of 30 ns over 10 s: 6 ppb.
  EXPECT_NEAR(c->least_drift_ppm, 40 - 0.006, 1e-9);
  EXPECT_NEAR(c->most_drift_ppm, 40 + 0.006, 1e-9);
  EXPECT_LE(c->residual_ns, 0.6);
  EXPECT_LE(c->jitter_ns, 1);
  EXPECT_EQ(c->median_uncertainty_ns, 30);
}

TEST(CharacterOfAClock, WhiteNoiseIsSeenAsJitterAndInTheAllanDeviation) {
  constexpr double kNoise = 500;
  const Measurement m = Measured({.drift_ppm = -7, .noise_ns = kNoise}, {10 * kMs, 20'000});
  const auto c = CharacterOf(m.samples);
  ASSERT_TRUE(c);
  EXPECT_NEAR(c->drift_ppm, -7, 1e-3);
  EXPECT_NEAR(c->residual_ns, kNoise, 0.03 * kNoise);
  // The difference of two independent values.
  EXPECT_NEAR(c->jitter_ns, std::sqrt(2.0) * kNoise, 0.03 * kNoise);
  EXPECT_LT(c->least_residual_ns, -3 * kNoise);
  EXPECT_GT(c->most_residual_ns, 3 * kNoise);
  ASSERT_GE(c->allan.size(), 3U);
  // √3 · 500 ns / 10 ms.
  EXPECT_NEAR(c->allan[0].deviation, std::sqrt(3.0) * kNoise / (10.0 * kMs), 0.03 * 8.7e-5);
}

TEST(CharacterOfAClock, TooFewSamplesOrTimesThatGoBackTellNothing) {
  std::vector<OffsetSample> samples = {{1, 0, 0}, {2, 0, 0}};
  EXPECT_FALSE(CharacterOf(samples));
  samples.push_back({2, 0, 0});
  EXPECT_FALSE(CharacterOf(samples));
  samples.back().at_ns = 3;
  EXPECT_TRUE(CharacterOf(samples));
}

TEST(CharacterOfAClock, ExtremeOffsetsOverflowNothing) {
  const std::vector<OffsetSample> samples = {{INT64_MIN, INT64_MIN, INT64_MAX},
                                             {0, INT64_MAX, INT64_MAX},
                                             {INT64_MAX, INT64_MIN, INT64_MAX}};
  const auto c = CharacterOf(samples);
  ASSERT_TRUE(c);
  EXPECT_TRUE(std::isfinite(c->jitter_ns));
  EXPECT_TRUE(std::isfinite(c->drift_ppm));
}

}  // namespace
}  // namespace syncline
