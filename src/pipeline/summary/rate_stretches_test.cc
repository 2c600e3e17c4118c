#include "pipeline/summary/rate_stretches.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

const Clock kNanoseconds;

Correction Through(std::vector<Correction::Knot> knots) {
  return *Correction::FromKnots(std::move(knots));
}

Correction::Knot At(int64_t local, int64_t global) { return {{local}, {global}}; }

ClockJump Step(int64_t after, int64_t before, int64_t ahead_ns) {
  return {.ahead_ns = ahead_ns, .after = {after}, .before = {before}};
}

void ExpectStretch(const RateStretch& stretch, int64_t from, int64_t to, double drift_ppm) {
  EXPECT_EQ(stretch.from.ns, from);
  EXPECT_EQ(stretch.to.ns, to);
  EXPECT_NEAR(stretch.drift_ppm, drift_ppm, 1e-3);
}

// 10 s at the rate of the reference, then 10 s at 1 + 500 ppm.
TEST(RateStretches, ArePiecesOfDifferentRates) {
  const auto stretches = RateStretchesOf(kNanoseconds,
                                         Through({At(0, 0), At(10 * kSecondNs, 10 * kSecondNs),
                                                  At(20 * kSecondNs + 5'000'000, 20 * kSecondNs)}),
                                         {{0}, {20 * kSecondNs + 5'000'000}}, {});
  ASSERT_EQ(stretches.size(), 2U);
  ExpectStretch(stretches[0], 0, 10 * kSecondNs, 0);
  ExpectStretch(stretches[1], 10 * kSecondNs, 20 * kSecondNs, 5e-3 / 10 * 1e6);
}

// A nanosecond within 1 ms is 1 ppm, and rounding.
TEST(RateStretches, JoinPiecesThatAreEqualWithinTheRoundingOfTheirKnots) {
  constexpr int64_t kMs = 1'000'000;
  const auto stretches =
      RateStretchesOf(kNanoseconds, Through({At(0, 0), At(kMs, kMs + 1), At(2 * kMs, 2 * kMs)}),
                      {{0}, {2 * kMs}}, {});
  ASSERT_EQ(stretches.size(), 1U);
  ExpectStretch(stretches[0], 0, 2 * kMs, 0);
}

TEST(RateStretches, KeepWhatIsMoreThanRounding) {
  constexpr int64_t kMs = 1'000'000;
  const auto stretches =
      RateStretchesOf(kNanoseconds, Through({At(0, 0), At(kMs, kMs + 6), At(2 * kMs, 2 * kMs)}),
                      {{0}, {2 * kMs}}, {});
  EXPECT_EQ(stretches.size(), 2U);
}

TEST(RateStretches, EndWithTheEventsOfTheClock) {
  const auto stretches = RateStretchesOf(
      kNanoseconds,
      Through({At(-kSecondNs, -kSecondNs), At(0, 0), At(kSecondNs, kSecondNs - 50'000),
               At(2 * kSecondNs, 2 * kSecondNs)}),
      {{0}, {kSecondNs / 2}}, {});
  ASSERT_EQ(stretches.size(), 1U);
  ExpectStretch(stretches[0], 0, kSecondNs / 2 - 25'000, 50e-6 / (1 - 50e-6) * 1e6);
}

// Set ahead by 1 s between 10 and 11 s. In the gap the correction is as steep as that takes.
TEST(RateStretches, LeaveOutSteps) {
  const Correction correction =
      Through({At(0, 0), At(10 * kSecondNs, 10 * kSecondNs),
               At(10 * kSecondNs + 500'000'000, 10 * kSecondNs + 500'000'000),
               At(11 * kSecondNs + 500'000'000, 10 * kSecondNs + 500'000'001),
               At(12 * kSecondNs, 11 * kSecondNs), At(20 * kSecondNs, 19 * kSecondNs)});
  const ClockJump step = Step(10 * kSecondNs, 11 * kSecondNs, kSecondNs);
  const auto stretches =
      RateStretchesOf(kNanoseconds, correction, {{0}, {20 * kSecondNs}}, std::span(&step, 1));
  ASSERT_EQ(stretches.size(), 2U);
  ExpectStretch(stretches[0], 0, 10 * kSecondNs, 0);
  ExpectStretch(stretches[1], 11 * kSecondNs, 19 * kSecondNs, 0);
}

// Set back by 1 s between 10 and 11 s: a correction for what it showed before, one for later.
TEST(RateStretches, GoOnThroughEpochs) {
  LoadedTraces loaded;
  loaded.traces.clocks = {kNanoseconds};
  loaded.spans = {{{0}, {19 * kSecondNs}, 100}};
  loaded.epoch_spans = {
      {{{0}, {10 * kSecondNs}}, {{9 * kSecondNs + 500'000'000}, {19 * kSecondNs}}}};
  GroupEstimate group;
  ClockEstimate& clock = group.clocks.emplace_back();
  clock.correction = Through({At(0, 0), At(10 * kSecondNs, 10 * kSecondNs)});
  clock.later_epochs.push_back(
      {Through({At(9 * kSecondNs, 10 * kSecondNs), At(10 * kSecondNs, 11 * kSecondNs),
                At(19 * kSecondNs, 20 * kSecondNs + 9'000)}),
       {}});
  group.steps = {Step(10 * kSecondNs, 11 * kSecondNs, -kSecondNs)};
  const auto stretches = RateStretchesOf(loaded, group, ClockId{0});
  ASSERT_EQ(stretches.size(), 2U);
  ExpectStretch(stretches[0], 0, 10 * kSecondNs, 0);
  ExpectStretch(stretches[1], 11 * kSecondNs, 20 * kSecondNs + 9'000, -1);
}

}  // namespace
}  // namespace syncline
