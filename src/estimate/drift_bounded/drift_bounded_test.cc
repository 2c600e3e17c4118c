#include "estimate/drift_bounded/drift_bounded.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "estimate/groups/groups_test_util.h"

namespace syncline {
namespace {

constexpr int64_t kMicrosecond = 1000;
using State = DriftBoundedFinding::State;

DriftBoundedEstimate Estimate(const BentClocks& clocks, DriftBoundedOptions options = {}) {
  options.reference = ClockId(0);
  return EstimateDriftBounded(clocks.inputs(), clocks.Pairs(), clocks.Messages(), options).value();
}

double ToDouble(const std::optional<GlobalTime>& t) { return static_cast<double>(t.value().ns); }
int64_t Identity(int64_t t) { return t; }
int64_t Scaled(int64_t t, int64_t ppb) { return static_cast<int64_t>(Int128{t} * ppb / kSecond); }

// A clock that is ahead by `offset` and runs fast by `ppb`.
BentClocks::Reading Straight(int64_t offset, int64_t ppb) {
  return [=](int64_t t) { return t + offset + Scaled(t, ppb); };
}

// Both ways every 20 ms, delays of 30 µs and exponential ones.
void Talk(BentClocks& clocks, size_t a, size_t b, int64_t length, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> jitter(1 / 30'000.0);
  const auto delay = [&] { return 30 * kMicrosecond + static_cast<int64_t>(jitter(random)); };
  for (int64_t at = kSecond / 50; at < length - kSecond / 50; at += kSecond / 50) {
    const int64_t there = delay();
    clocks.Exchange(a, b, at, there, delay());
  }
}

TEST(DriftBounded, OneClockAloneKeepsItsTime) {
  const BentClocks clocks({Identity}, kSecond);
  const DriftBoundedEstimate estimate = Estimate(clocks);
  ASSERT_EQ(estimate.components.size(), 1u);
  EXPECT_EQ(estimate.components[0].state, State::kSingle);
  EXPECT_EQ(estimate.group.clocks[0].correction(LocalTime{123}).ns, 123);
}

TEST(DriftBounded, ThreeMessagesByHand) {
  // b is ahead by 1 s. a → b at 1 s and at 3 s, each 100 µs; back at 2 s, 300 µs.
  BentClocks clocks({Identity, Straight(kSecond, 0)}, 4 * kSecond);
  clocks.Send(0, 1, 1 * kSecond, 100 * kMicrosecond);
  clocks.Send(1, 0, 2 * kSecond, 300 * kMicrosecond);
  clocks.Send(0, 1, 3 * kSecond, 100 * kMicrosecond);
  const DriftBoundedEstimate estimate = Estimate(clocks, {.max_drift_ppm = 100});
  ASSERT_EQ(estimate.components[0].state, State::kBounded);
  const TimeBounds& bounds = estimate.group.clocks[1].bounds;
  // What b reads as 3 s is the true time 2 s: 300 µs at most before it was received; and 999.9 ms
  // behind the first message, of which a clock that is 100 ppm fast counts 99 980 ns too much.
  const LocalTime sent{3 * kSecond};
  EXPECT_NEAR(ToDouble(bounds.Upper(sent)), 2e9 + 300e3, 2);
  EXPECT_NEAR(ToDouble(bounds.Lower(sent)), 2e9 - 100e3 - 99'980, 2);
  // Its receive of the first message, as far before.
  const LocalTime received{2 * kSecond + 100 * kMicrosecond};
  EXPECT_NEAR(ToDouble(bounds.Lower(received)), 1e9, 2);
  EXPECT_NEAR(ToDouble(bounds.Upper(received)), 2e9 + 300e3 - 999.9e6 + 99'980, 2);
  EXPECT_EQ(clocks.Inversions(estimate.group), 0u);
}

TEST(DriftBounded, StraightClocksComeOutAsLines) {
  BentClocks clocks({Identity, Straight(kSecond, 30'000), Straight(-5 * kSecond, -90'000)},
                    20 * kSecond);
  Talk(clocks, 0, 1, 20 * kSecond, 1);
  Talk(clocks, 1, 2, 20 * kSecond, 2);
  const DriftBoundedEstimate estimate = Estimate(clocks);
  ASSERT_EQ(estimate.components[0].state, State::kBounded);
  EXPECT_EQ(clocks.Inversions(estimate.group), 0u);
  for (const size_t c : {1, 2}) {
    SCOPED_TRACE(c);
    EXPECT_EQ(estimate.group.clocks[c].quality, Quality::kAccurate);
    EXPECT_EQ(estimate.group.clocks[c].correction.knots().size(), 2u);
    for (int64_t t = 0; t <= 20 * kSecond; t += kSecond) {
      EXPECT_LT(std::abs(clocks.Error(estimate.group, c, t)), 10 * kMicrosecond);
    }
  }
  EXPECT_TRUE(estimate.raised.empty());
  EXPECT_TRUE(estimate.suspects.empty());
  EXPECT_TRUE(estimate.group.steps.empty());
}

TEST(DriftBounded, WanderingClocksAreFollowed) {
  // 500 µs each way in 40 s: up to 79 ppm.
  const auto wandering = [](int64_t t) {
    return t + std::llround(5e5 * std::sin(2 * M_PI * static_cast<double>(t) / 40e9));
  };
  BentClocks clocks({Identity, wandering}, 60 * kSecond);
  Talk(clocks, 0, 1, 60 * kSecond, 1);
  const DriftBoundedEstimate estimate = Estimate(clocks);
  ASSERT_EQ(estimate.components[0].state, State::kBounded);
  EXPECT_EQ(clocks.Inversions(estimate.group), 0u);
  for (int64_t t = kSecond; t < 59 * kSecond; t += kSecond / 4) {
    EXPECT_LT(std::abs(clocks.Error(estimate.group, 1, t)), 60 * kMicrosecond) << t;
  }
}

TEST(DriftBounded, LinesAreFoundWhereGuessesOrCallersWantThem) {
  const BentClocks::Reading wandering = [](int64_t t) {
    return t + std::llround(5e5 * std::sin(2 * M_PI * static_cast<double>(t) / 40e9));
  };
  for (const bool is_straight : {true, false}) {
    BentClocks clocks({Identity, is_straight ? Straight(0, 30'000) : wandering}, 60 * kSecond);
    Talk(clocks, 0, 1, 60 * kSecond, 1);
    const DriftBoundedEstimate all = Estimate(clocks);
    const DriftBoundedEstimate wanted = Estimate(clocks, {.bounds_straight = false});
    EXPECT_TRUE(all.straight.has_value());
    EXPECT_EQ(wanted.straight.has_value(), is_straight);
    EXPECT_EQ(all.group.clocks[1].correction, wanted.group.clocks[1].correction);
  }
}

// Noise of the first rungs, on which most messages count, says little of the steps between them.
TEST(DriftBounded, MostStraightClocksAreFoundStraight) {
  for (const int64_t seconds : {20, 60, 200}) {
    int lines = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      BentClocks clocks({Identity, Straight(0, 30'000)}, seconds * kSecond);
      Talk(clocks, 0, 1, seconds * kSecond, seed);
      lines += Estimate(clocks, {.bounds_straight = false}).straight.has_value() ? 1 : 0;
    }
    EXPECT_GE(lines, 16) << seconds << " s";
  }
}

TEST(DriftBounded, ASlewRaisesTheLimitOfItsClock) {
  // 500 ppm for 5 s; b and c are straight.
  const auto slewing = [](int64_t t) {
    return t + Scaled(std::clamp(t - 10 * kSecond, int64_t{0}, 5 * kSecond), 500'000);
  };
  BentClocks clocks({Identity, Straight(0, 20'000), slewing}, 30 * kSecond);
  Talk(clocks, 0, 1, 30 * kSecond, 1);
  Talk(clocks, 0, 2, 30 * kSecond, 2);
  Talk(clocks, 1, 2, 30 * kSecond, 3);
  const DriftBoundedEstimate estimate = Estimate(clocks);
  ASSERT_EQ(estimate.components[0].state, State::kBounded);
  ASSERT_EQ(estimate.raised.size(), 1u);
  EXPECT_EQ(estimate.raised[0].clock, ClockId(2));
  // What 5 s of dense messages show of 500 ppm; the limit is twice that, at most 1000.
  EXPECT_GT(estimate.raised[0].needed_ppm, 450);
  EXPECT_LE(estimate.raised[0].needed_ppm, 510);
  EXPECT_NEAR(estimate.raised[0].limit_ppm, std::min(1000.0, 2 * estimate.raised[0].needed_ppm), 1);
  EXPECT_NEAR(static_cast<double>(estimate.raised[0].about.ns), 12.5e9, 3.5e9);
  EXPECT_NEAR(estimate.limits_ppm[1], 200, 0.01);
  EXPECT_TRUE(estimate.suspects.empty());
  EXPECT_EQ(clocks.Inversions(estimate.group), 0u);
  for (int64_t t = kSecond; t < 29 * kSecond; t += kSecond / 4) {
    EXPECT_LT(std::abs(clocks.Error(estimate.group, 2, t)), 100 * kMicrosecond) << t;
  }
}

TEST(DriftBounded, RoundTripsThatWouldBeTooQuickRaiseTheLimit) {
  // 500 ppm for 0.3 s, 90 µs more than 200 ppm allow; round trips take 100 µs and more.
  const auto slewing = [](int64_t t) {
    return t + Scaled(std::clamp(t - 10 * kSecond, int64_t{0}, 3 * kSecond / 10), 500'000);
  };
  BentClocks clocks({Identity, slewing}, 30 * kSecond);
  for (int64_t at = 0; at < 30 * kSecond; at += kSecond / 100) {
    clocks.Exchange(0, 1, at, 50 * kMicrosecond, 50 * kMicrosecond);
  }
  const DriftBoundedEstimate estimate = Estimate(clocks);
  ASSERT_EQ(estimate.components[0].state, State::kBounded);
  ASSERT_EQ(estimate.raised.size(), 1u);
  const RaisedLimit& raised = estimate.raised[0];
  EXPECT_EQ(raised.clock, ClockId(1));
  EXPECT_NEAR(static_cast<double>(raised.about.ns), 10.15e9, 0.25e9);
  ASSERT_TRUE(raised.round_trip.has_value());
  EXPECT_EQ(raised.round_trip->with, ClockId(0));
  // By 200 ppm 100 µs less 90, and what clocks drift between two messages.
  EXPECT_NEAR(static_cast<double>(raised.round_trip->least_ns), 10e3, 10e3);
  EXPECT_NEAR(static_cast<double>(raised.round_trip->seen_ns), 100e3, 1e3);
  // So that 67 µs are left: 500 ppm − 33 µs / 0.3 s; twice that.
  EXPECT_NEAR(raised.needed_ppm, 390, 30);
  EXPECT_NEAR(estimate.limits_ppm[1], std::ceil(2 * raised.needed_ppm), 0.01);
  for (int64_t t = kSecond; t < 29 * kSecond; t += kSecond / 100) {
    const int64_t error = clocks.Error(estimate.group, 1, t);
    EXPECT_LT(std::abs(error), 50 * kMicrosecond) << t;
  }
}

TEST(DriftBounded, RoundTripsOfSparseMessagesRaiseNothing) {
  // One each way in 2 s: in between clocks drift by more than round trips take.
  BentClocks clocks({Identity, Straight(0, 190'000)}, 100 * kSecond);
  for (int64_t at = 0; at < 100 * kSecond; at += 4 * kSecond) {
    clocks.Send(0, 1, at, 10 * kMicrosecond);
    clocks.Send(1, 0, at + 2 * kSecond, 10 * kMicrosecond);
  }
  const DriftBoundedEstimate estimate = Estimate(clocks);
  EXPECT_TRUE(estimate.raised.empty());
  EXPECT_NEAR(estimate.limits_ppm[1], 200, 0.01);
}

TEST(DriftBounded, ASlewOfTheReferenceRaisesTheLimitsOfAllOthers) {
  const auto slewing = [](int64_t t) {
    return t + Scaled(std::clamp(t - 10 * kSecond, int64_t{0}, 5 * kSecond), 500'000);
  };
  BentClocks clocks({slewing, Straight(0, 20'000), Straight(0, -20'000)}, 30 * kSecond);
  Talk(clocks, 0, 1, 30 * kSecond, 1);
  Talk(clocks, 0, 2, 30 * kSecond, 2);
  Talk(clocks, 1, 2, 30 * kSecond, 3);
  const DriftBoundedEstimate estimate = Estimate(clocks);
  ASSERT_EQ(estimate.components[0].state, State::kBounded);
  ASSERT_EQ(estimate.raised.size(), 1u);
  EXPECT_EQ(estimate.raised[0].clock, ClockId(0));
  EXPECT_GT(estimate.limits_ppm[1], 450);
  EXPECT_GT(estimate.limits_ppm[2], 450);
  EXPECT_EQ(clocks.Inversions(estimate.group), 0u);
}

TEST(DriftBounded, AWrongMatchBecomesTheSuspect) {
  BentClocks clocks({Identity, Straight(kSecond, 30'000)}, 20 * kSecond);
  Talk(clocks, 0, 1, 10 * kSecond, 1);
  // Received 5 ms before it was sent.
  clocks.Send(0, 1, 10 * kSecond, -5000 * kMicrosecond);
  const size_t wrong = clocks.messages().size() - 1;
  for (int64_t at = 10 * kSecond; at < 20 * kSecond - kSecond / 50; at += kSecond / 50) {
    clocks.Exchange(0, 1, at, 40 * kMicrosecond, 40 * kMicrosecond);
  }
  const DriftBoundedEstimate estimate = Estimate(clocks);
  ASSERT_EQ(estimate.components[0].state, State::kBounded) << estimate.components[0].reason;
  EXPECT_EQ(estimate.suspects, (std::vector<uint64_t>{wrong}));
  EXPECT_TRUE(estimate.raised.empty());
  EXPECT_TRUE(estimate.group.steps.empty());
  EXPECT_EQ(clocks.Inversions(estimate.group), 1u);
}

TEST(DriftBounded, AStepCutsTheTrace) {
  const auto stepping = [](int64_t t) { return t + (t > 10 * kSecond ? 3 * kSecond : 0); };
  BentClocks clocks({Identity, stepping}, 20 * kSecond);
  Talk(clocks, 0, 1, 20 * kSecond, 1);
  const DriftBoundedEstimate estimate = Estimate(clocks);
  ASSERT_EQ(estimate.components[0].state, State::kBounded) << estimate.components[0].reason;
  ASSERT_EQ(estimate.group.steps.size(), 1u);
  const ClockJump& step = estimate.group.steps[0];
  EXPECT_EQ(step.clock, ClockId(1));
  EXPECT_NEAR(static_cast<double>(step.ahead_ns), 3e9, 100e3);
  EXPECT_NEAR(static_cast<double>(step.after.ns), 10e9, 50e6);
  EXPECT_NEAR(static_cast<double>(step.before.ns), 10e9, 100e6);
  EXPECT_LE(step.after, step.before);
  EXPECT_TRUE(estimate.suspects.empty());
  EXPECT_TRUE(estimate.raised.empty());
  EXPECT_EQ(clocks.Inversions(estimate.group), 0u);
  for (int64_t t = kSecond / 10; t < 20 * kSecond; t += kSecond / 10) {
    if (std::abs(t - 10 * kSecond) < kSecond / 20) continue;
    EXPECT_LT(std::abs(clocks.Error(estimate.group, 1, t)), 100 * kMicrosecond) << t;
  }
}

// Ahead for as long as it sends one message to each of two others: each pair would suspect its own.
TEST(DriftBounded, MessagesOfSeveralPairsThatAgreeShowThatTheirClockWasSet) {
  const int64_t set = 10 * kSecond + kSecond / 100, back = set + kSecond / 100;
  const auto stepping = [&](int64_t t) { return t + (set <= t && t < back ? kSecond / 500 : 0); };
  BentClocks clocks({Identity, stepping, Identity}, 20 * kSecond);
  for (int64_t at = kSecond / 50; at < 20 * kSecond - kSecond / 50; at += kSecond / 50) {
    if (at == 10 * kSecond) continue;
    for (const uint32_t peer : {0u, 2u}) {
      clocks.Exchange(peer, 1, at + peer * kSecond / 400, 40 * kMicrosecond, 40 * kMicrosecond);
    }
    clocks.Exchange(0, 2, at, 40 * kMicrosecond, 40 * kMicrosecond);
  }
  const int64_t sent[] = {set + kSecond / 500, set + kSecond / 200};
  clocks.Send(1, 0, sent[0], 40 * kMicrosecond);
  clocks.Send(1, 2, sent[1], 60 * kMicrosecond);
  const DriftBoundedEstimate estimate = Estimate(clocks);
  ASSERT_EQ(estimate.components[0].state, State::kBounded) << estimate.components[0].reason;
  EXPECT_TRUE(estimate.suspects.empty());
  EXPECT_EQ(clocks.Inversions(estimate.group), 0u);
  for (const ClockJump& step : estimate.group.steps) EXPECT_EQ(step.clock, ClockId(1));
  EXPECT_EQ(estimate.group.steps.size(), 2u);
  const TimeBounds& bounds = estimate.group.clocks[1].bounds;
  for (const int64_t at : sent) {
    EXPECT_LE(ToDouble(bounds.Lower(LocalTime{stepping(at)})), static_cast<double>(at));
    EXPECT_GE(ToDouble(bounds.Upper(LocalTime{stepping(at)})), static_cast<double>(at));
  }
}

TEST(DriftBounded, ClocksHeardInOneDirectionOnlyHaveOneBound) {
  BentClocks clocks({Identity, Straight(kSecond, 0), Straight(-kSecond, 0)}, 10 * kSecond);
  for (int64_t at = kSecond; at < 10 * kSecond; at += kSecond / 10) {
    clocks.Send(0, 1, at, 40 * kMicrosecond);
    clocks.Send(2, 0, at, 40 * kMicrosecond);
  }
  const DriftBoundedEstimate estimate = Estimate(clocks);
  for (const size_t c : {1, 2}) {
    SCOPED_TRACE(c);
    const ClockEstimate& clock = estimate.group.clocks[c];
    EXPECT_EQ(clock.quality, Quality::kIncomplete);
    EXPECT_EQ(clock.reason, "messages in one direction only");
    EXPECT_FALSE(clock.bound.has_value());
    const LocalTime middle{5 * kSecond + (c == 1 ? kSecond : -kSecond)};
    EXPECT_EQ(clock.bounds.Lower(middle).has_value(), c == 1);
    EXPECT_EQ(clock.bounds.Upper(middle).has_value(), c == 2);
    EXPECT_LT(std::abs(clocks.Error(estimate.group, c, 5 * kSecond)), 50 * kMicrosecond);
  }
  EXPECT_EQ(clocks.Inversions(estimate.group), 0u);
}

TEST(DriftBounded, ComponentsAreEstimatedByThemselves) {
  BentClocks clocks({Identity, Straight(kSecond, 10'000), Straight(2 * kSecond, 0),
                     Straight(3 * kSecond, -10'000)},
                    10 * kSecond);
  Talk(clocks, 0, 1, 10 * kSecond, 1);
  Talk(clocks, 2, 3, 10 * kSecond, 2);
  const DriftBoundedEstimate estimate = Estimate(clocks);
  ASSERT_EQ(estimate.components.size(), 2u);
  for (const DriftBoundedFinding& finding : estimate.components) {
    EXPECT_EQ(finding.state, State::kBounded);
  }
  EXPECT_NE(estimate.group.clocks[1].component, estimate.group.clocks[3].component);
  for (const size_t c : {1, 3}) {
    EXPECT_LT(std::abs(clocks.Error(estimate.group, c, 5 * kSecond)), 20 * kMicrosecond);
  }
}

// Two of four clocks are set at 10 s, before which they had a few messages.
TEST(DriftBounded, WhereTooFewMessagesTellWhoWasSetNothingIsClaimed) {
  const auto set = [](int64_t t) { return t + (t < 10 * kSecond ? 0 : kSecond); };
  BentClocks clocks({Identity, set, set, Identity}, 30 * kSecond);
  Talk(clocks, 0, 3, 30 * kSecond, 1);
  const auto exchange = [&](size_t a, size_t b, int64_t at) {
    clocks.Exchange(a, b, at, 50 * kMicrosecond, 50 * kMicrosecond);
  };
  for (const int64_t at : {1 * kSecond, 4 * kSecond, 7 * kSecond}) {
    exchange(0, 1, at);
    exchange(1, 2, at + kSecond);
    exchange(0, 2, at + 2 * kSecond);
  }
  for (int64_t at = 11 * kSecond; at < 29 * kSecond; at += kSecond / 20) {
    exchange(0, 1, at);
    exchange(1, 2, at + kSecond / 100);
    exchange(0, 2, at + kSecond / 50);
  }
  const DriftBoundedEstimate estimate = Estimate(clocks);
  for (const size_t c : {1, 2}) {
    const ClockEstimate& clock = estimate.group.clocks[c];
    EXPECT_EQ(clock.quality, Quality::kIncomplete) << c;
    EXPECT_FALSE(clock.bounds.Lower(LocalTime{5 * kSecond})) << c;
    EXPECT_FALSE(clock.bounds.Upper(LocalTime{5 * kSecond})) << c;
    EXPECT_TRUE(clock.bounds.Upper(LocalTime{21 * kSecond})) << c;
  }
  EXPECT_TRUE(estimate.suspects.empty());
  ASSERT_EQ(estimate.group.steps.size(), 2u);
  for (const auto& step : estimate.group.steps) {
    EXPECT_NEAR(static_cast<double>(step.ahead_ns), 1e9, 1e6);
  }
}

}  // namespace
}  // namespace syncline
