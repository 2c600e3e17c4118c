#include "live/exchange/host_estimate.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/times.h"
#include "live/exchange/distortion.h"

namespace syncline {
namespace {

ClockExchange ExchangeAt(int64_t t1, int64_t there, int64_t at_host, int64_t back,
                         const Distortion& host) {
  return {.t1_ns = t1,
          .t2_ns = host.Shown(t1 + there),
          .t3_ns = host.Shown(t1 + there + at_host),
          .t4_ns = t1 + there + at_host + back};
}

TEST(HostEstimate, OfOneExchangeIsItsMiddleAndHalfItsTrip) {
  HostEstimate estimate(0);  // clocks of the same rate
  EXPECT_FALSE(estimate.At(kRoundEpoch).has_value());
  const Distortion host = {.offset_ns = 1000};
  const std::vector<ClockExchange> one = {ExchangeAt(kRoundEpoch, 30, 5, 10, host)};
  estimate.Add(one);
  const auto found = estimate.At(kRoundEpoch + 500);  // D = 0: as at its answer
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->quality, Quality::kAccurate);
  EXPECT_EQ(found->offset_ns, OffsetOf(one[0])->offset_ns);
  EXPECT_EQ(found->bounds->low_ns, 1000 - 10);
  EXPECT_EQ(found->bounds->high_ns, 1000 + 30);
  EXPECT_EQ(found->bounds->bound_ns, 20);
  EXPECT_EQ(found->at_ns, kRoundEpoch + 500);
}

TEST(HostEstimate, HoldsTheTruthAfterEveryBurst) {
  for (const uint64_t seed : {1, 2, 3, 4, 5}) {
    std::mt19937_64 random(seed);
    std::exponential_distribution<double> jitter(1.0 / 40'000);
    std::uniform_int_distribution<int64_t> offsets(-5'000'000'000, 5'000'000'000);
    std::uniform_int_distribution<int64_t> drifts(-90'000, 90'000);
    const Distortion host = {offsets(random), drifts(random), kRoundEpoch - 1'000'000'000};
    const auto delay = [&](int64_t least) { return least + static_cast<int64_t>(jitter(random)); };
    HostEstimate estimate(200);
    for (int burst = 0; burst < 8; ++burst) {
      std::vector<ClockExchange> exchanges;
      for (int i = 0; i < 10; ++i) {
        const int64_t t1 = kRoundEpoch + burst * 1'000'000'000LL + i * 2'000'000LL;
        exchanges.push_back(ExchangeAt(t1, delay(100'000), delay(3'000), delay(250'000), host));
      }
      estimate.Add(exchanges);
      const int64_t now = exchanges.back().t4_ns;
      const auto found = estimate.At(now);
      ASSERT_TRUE(found.has_value() && found->bounds.has_value()) << "seed " << seed;
      const int64_t truth = host.Shown(now) - now;
      const double true_drift = static_cast<double>(host.drift_ppb) / 1000;
      EXPECT_LE(found->bounds->low_ns, truth);
      EXPECT_GE(found->bounds->high_ns, truth);
      EXPECT_LE(std::abs(found->offset_ns - truth), found->bounds->bound_ns);
      EXPECT_LE(found->bounds->low_drift_ppm, true_drift + 1e-6);
      EXPECT_GE(found->bounds->high_drift_ppm, true_drift - 1e-6);
    }
    // Least round trip 350 µs: after 7 s the drift is known to 0.35 ms / 7 s at worst.
    const auto last = estimate.At(kRoundEpoch + 7'000'000'000);
    EXPECT_LT(last->bounds->high_drift_ppm - last->bounds->low_drift_ppm, 2 * 500.0 / 7);
    EXPECT_EQ(estimate.exchanges(), 80);
  }
}

TEST(HostEstimate, WidensByTheLimitUntilTheNextExchange) {
  HostEstimate estimate(200);
  estimate.Add(std::vector{ExchangeAt(kRoundEpoch, 30, 5, 10, {})});
  const auto early = estimate.At(kRoundEpoch + 45);
  const auto late = estimate.At(kRoundEpoch + 45 + 3'000'000'000);
  ASSERT_TRUE(early->bounds && late->bounds);
  // 3 s by 200 ppm, to either side; roundings of a nanosecond.
  EXPECT_LE(std::abs(late->bounds->high_ns - early->bounds->high_ns - 600'000), 1);
  EXPECT_LE(std::abs(early->bounds->low_ns - late->bounds->low_ns - 600'000), 1);
  EXPECT_EQ(late->bounds->below_ns, late->offset_ns - late->bounds->low_ns);
  EXPECT_EQ(late->bounds->above_ns, late->bounds->high_ns - late->offset_ns);
  EXPECT_EQ(late->bounds->bound_ns, std::max(late->bounds->below_ns, late->bounds->above_ns));
  // Nothing is said of times that later messages have passed.
  EXPECT_EQ(estimate.At(kRoundEpoch)->at_ns, kRoundEpoch + 45);
}

// Rates that are always at one of the limits, and change at any time.
TEST(HostEstimate, HoldsTheTruthOfClocksThatAreNotStraight) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    std::exponential_distribution<double> jitter(1.0 / 300'000);
    const auto delay = [&] { return 1000 + static_cast<int64_t>(jitter(random)); };
    HostEstimate estimate(200);
    int64_t own = kRoundEpoch;
    int64_t offset = 5'000'000'000;
    int64_t rate = 200;  // ns per ms of what passes
    const auto pass = [&](int64_t ns) {
      // Whole steps of 5 µs, in which 200 ppm are 1 ns.
      for (; ns >= 0; ns -= 5'000, own += 5'000, offset += rate / 200) {
        if (random() % 1000 == 0) rate = -rate;
      }
      return own;
    };
    const int64_t first_own = own;
    const int64_t first_offset = offset;
    for (int burst = 0; burst < 30; ++burst) {
      std::vector<ClockExchange> exchanges;
      for (int i = 0; i < 5; ++i) {
        ClockExchange e = {.t1_ns = pass(1'000'000)};
        e.t2_ns = pass(delay()) + offset;
        e.t3_ns = pass(3'000) + offset;
        e.t4_ns = pass(delay());
        exchanges.push_back(e);
      }
      estimate.Add(exchanges);
      pass(static_cast<int64_t>(random() % 30'000'000));
      const auto found = estimate.At(own);
      ASSERT_TRUE(found && found->bounds) << "seed " << seed;
      EXPECT_LE(found->bounds->low_ns, offset) << "seed " << seed;
      EXPECT_GE(found->bounds->high_ns, offset) << "seed " << seed;
      EXPECT_GE(found->bounds->below_ns, 0);
      EXPECT_GE(found->bounds->above_ns, 0);
      // The mean since the first question, which left 1 ms after first_own at most.
      const double mean =
          static_cast<double>(offset - first_offset) / static_cast<double>(own - first_own) * 1e6;
      const double slack = 2 * 200 * 1.1e6 / static_cast<double>(own - first_own);
      EXPECT_LE(found->bounds->low_drift_ppm, mean + slack) << "seed " << seed;
      EXPECT_GE(found->bounds->high_drift_ppm, mean - slack) << "seed " << seed;
      EXPECT_LE(found->bounds->low_drift_ppm, found->drift_ppm);
      EXPECT_GE(found->bounds->high_drift_ppm, found->drift_ppm);
    }
    EXPECT_EQ(estimate.contradictions_seen(), 0);
  }
}

// A host that is set by this much between the fifth and the sixth of ten exchanges, 0.1 s apart.
HostEstimate SetBy(int64_t change_ns) {
  HostEstimate estimate(200);
  for (int i = 0; i < 10; ++i) {
    const Distortion host = {.offset_ns = i < 5 ? 0 : change_ns};
    estimate.Add(std::vector{ExchangeAt(kRoundEpoch + i * 100'000'000LL, 1000, 1000, 1000, host)});
    const auto found = estimate.At(kRoundEpoch + i * 100'000'000LL + 3000);
    EXPECT_TRUE(!found->bounds || (found->bounds->low_ns <= host.offset_ns &&
                                   found->bounds->high_ns >= host.offset_ns));
  }
  return estimate;
}

TEST(HostEstimate, BeginsAnewWhereTheClockWasSet) {
  for (const int64_t change :
       {50'000'000LL, -50'000'000LL, 1'000'000'000'000LL, -1'000'000'000'000LL}) {
    const HostEstimate estimate = SetBy(change);
    ASSERT_EQ(estimate.contradictions().size(), 1) << change;
    EXPECT_EQ(estimate.contradictions_seen(), 1);
    const Contradiction& c = estimate.contradictions()[0];
    // Set back by less than 0.1 s, it shows no reading twice.
    EXPECT_EQ(c.kind, change < -100'000'000 ? Contradiction::Kind::kPeerSetBack
                                            : Contradiction::Kind::kSet);
    EXPECT_GE(c.from_ns, kRoundEpoch);
    EXPECT_LE(c.from_ns, kRoundEpoch + 400'003'000);
    EXPECT_EQ(c.to_ns, kRoundEpoch + 500'003'000);
    ASSERT_TRUE(c.change_low_ns && c.change_high_ns);
    EXPECT_LE(*c.change_low_ns, change);
    EXPECT_GE(*c.change_high_ns, change);
    // Both ends of trips of 2 µs, and 0.1 s by twice 200 ppm.
    EXPECT_LE(*c.change_high_ns - *c.change_low_ns, 2 * 2000 + 2 * 40'000 + 10);
    const auto found = estimate.At(kRoundEpoch + 900'003'000);
    EXPECT_EQ(found->quality, Quality::kAccurate);
    ASSERT_TRUE(found->bounds.has_value());
    EXPECT_GE(found->since_ns, kRoundEpoch + 500'000'000);
    EXPECT_LE(std::abs(found->offset_ns - change), 1000);
    EXPECT_LE(found->bounds->bound_ns, 1500);
  }
}

// Whether its question came before or after, one answer alone does not tell.
TEST(HostEstimate, ClaimsNoBoundFromTheAnswerThatContradicts) {
  HostEstimate estimate(200);
  estimate.Add(std::vector{ExchangeAt(kRoundEpoch, 1000, 1000, 1000, {})});
  // The question arrived at the old clock, the answer left from the new one, 40 µs ahead, and took
  // long enough to hide it.
  ClockExchange e = ExchangeAt(kRoundEpoch + 10'000'000, 1000, 1000, 60'000, {});
  e.t3_ns += 40'000;
  estimate.Add(std::vector{e});
  EXPECT_EQ(estimate.contradictions_seen(), 0);
  e = ExchangeAt(kRoundEpoch + 20'000'000, 1000, 1000, 1000, {.offset_ns = 40'000});
  estimate.Add(std::vector{e});
  EXPECT_EQ(estimate.contradictions_seen(), 1);
  EXPECT_EQ(estimate.At(e.t4_ns)->quality, Quality::kIncomplete);
  EXPECT_FALSE(estimate.At(e.t4_ns)->bounds.has_value());
  EXPECT_FALSE(estimate.At(e.t4_ns)->reason.empty());
  e = ExchangeAt(kRoundEpoch + 30'000'000, 1000, 1000, 1000, {.offset_ns = 40'000});
  estimate.Add(std::vector{e});
  const auto found = estimate.At(e.t4_ns);
  ASSERT_TRUE(found->bounds.has_value());
  EXPECT_LE(std::abs(found->offset_ns - 40'000), found->bounds->bound_ns);
}

// Each of whose exchanges would bound it alone, as a clock that was set anew each time.
TEST(HostEstimate, ClaimsNothingOfAHostThatContradictsItselfAllTheTime) {
  std::mt19937_64 random(4);
  for (const int64_t stopped_at : {kRoundEpoch, INT64_MIN, INT64_MAX, int64_t{-1}}) {
    HostEstimate estimate(200);
    for (int i = 0; i < 50; ++i) {
      // Stopped, or of any times.
      const int64_t shown =
          stopped_at == -1 ? static_cast<int64_t>(random() % kRoundEpoch) : stopped_at;
      const int64_t t1 = kRoundEpoch + i * 1'000'000'000LL;
      estimate.Add(std::vector{ClockExchange{t1, shown, shown, t1 + 40'000}});
      const auto found = estimate.At(t1 + 40'000);
      if (i < 2) continue;  // it may have been set once
      EXPECT_NE(found->quality, Quality::kAccurate) << shown << " " << i;
      EXPECT_FALSE(found->bounds.has_value()) << shown << " " << i;
    }
    const auto last = estimate.At(kRoundEpoch + 50'000'000'000LL);
    EXPECT_THAT(last->reason, testing::HasSubstr("contradict each other too often")) << stopped_at;
    EXPECT_THAT(last->reason, testing::HasSubstr("times in 50 exchanges"));
  }
}

TEST(HostEstimate, HasNoBoundsAtTheEndOfWhatAClockCanShow) {
  for (const int64_t end : {INT64_MIN, INT64_MAX}) {
    HostEstimate estimate(200);
    estimate.Add(std::vector{ClockExchange{kRoundEpoch, end, end, kRoundEpoch + 40'000}});
    const auto found = estimate.At(kRoundEpoch + 40'000);
    EXPECT_EQ(found->quality, Quality::kIncomplete) << end;
    EXPECT_FALSE(found->bounds.has_value()) << end;
    EXPECT_THAT(found->reason, testing::HasSubstr("at the end of what a clock can show"));
  }
}

TEST(HostEstimate, AllowsAClockTwiceWhatItWasSeenToRun) {
  HostEstimate estimate(200);
  for (int i = 0; i < 10; ++i) {
    // 450 ppm since its first exchange.
    const int64_t at = kRoundEpoch + i * 1'000'000'000LL;
    const Distortion host = {.drift_ppb = i < 1 ? 0 : 450'000, .origin_ns = kRoundEpoch};
    estimate.Add(std::vector{ExchangeAt(at, 1000, 1000, 1000, host),
                             ExchangeAt(at + 10'000, 1000, 1000, 1000, host)});
    const auto found = estimate.At(at + 500'000'000);
    ASSERT_TRUE(found->bounds.has_value());
    const int64_t truth = host.Shown(at + 500'000'000) - (at + 500'000'000);
    EXPECT_LE(found->bounds->low_ns, truth);
    EXPECT_GE(found->bounds->high_ns, truth);
    EXPECT_NEAR(found->max_drift_ppm, i < 1 ? 200 : 900, i < 1 ? 0 : 10);
  }
  ASSERT_EQ(estimate.contradictions_seen(), 1);
  const Contradiction& c = estimate.contradictions()[0];
  EXPECT_EQ(c.kind, Contradiction::Kind::kTooFast);
  EXPECT_NEAR(c.drift_ppm, 450, 5);
}

TEST(HostEstimate, NoticesItsOwnClockSetBack) {
  HostEstimate estimate(200);
  estimate.Add(std::vector{ExchangeAt(kRoundEpoch, 1000, 1000, 1000, {})});
  const int64_t back = kRoundEpoch - 5'000'000'000;
  estimate.Add(std::vector{ExchangeAt(back, 1000, 1000, 1000, {.offset_ns = 5'000'100'000})});
  ASSERT_EQ(estimate.contradictions_seen(), 1);
  const Contradiction& c = estimate.contradictions()[0];
  EXPECT_EQ(c.kind, Contradiction::Kind::kOwnSetBack);
  EXPECT_EQ(c.change_low_ns, 5'000'000'000 + 3000);
  const auto found = estimate.At(back + 3000);
  EXPECT_EQ(found->at_ns, back + 3000);
  EXPECT_EQ(found->offset_ns, 5'000'100'000);
}

TEST(HostEstimate, SurvivesAnyTimes) {
  std::mt19937_64 random(9);
  const int64_t extremes[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, kRoundEpoch, INT64_MAX};
  for (int round = 0; round < 200; ++round) {
    HostEstimate estimate(round % 2 == 0 ? 200 : 1e6);
    for (int i = 0; i < 5; ++i) {
      const auto any = [&] { return extremes[random() % std::size(extremes)]; };
      estimate.Add(std::vector{ClockExchange{any(), any(), any(), any()}});
    }
    for (const int64_t at : extremes) {
      const auto found = estimate.At(at);
      ASSERT_TRUE(found.has_value());
      EXPECT_GE(found->at_ns, at);
      EXPECT_TRUE(!found->bounds || found->bounds->low_ns <= found->bounds->high_ns);
    }
  }
}

}  // namespace
}  // namespace syncline
