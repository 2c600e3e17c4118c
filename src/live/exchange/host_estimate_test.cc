#include "live/exchange/host_estimate.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "live/exchange/distortion.h"

namespace syncline {
namespace {

constexpr int64_t kStart = 1'750'000'000'000'000'000;

ClockExchange ExchangeAt(int64_t t1, int64_t there, int64_t at_host, int64_t back,
                         const Distortion& host) {
  return {.t1_ns = t1,
          .t2_ns = host.Shown(t1 + there),
          .t3_ns = host.Shown(t1 + there + at_host),
          .t4_ns = t1 + there + at_host + back};
}

TEST(HostEstimate, OfOneExchangeIsItsMiddleAndHalfItsTrip) {
  HostEstimate estimate(0);  // clocks of the same rate
  EXPECT_FALSE(estimate.At(kStart).has_value());
  const Distortion host = {.offset_ns = 1000};
  const std::vector<ClockExchange> one = {ExchangeAt(kStart, 30, 5, 10, host)};
  estimate.Add(one);
  const auto found = estimate.At(kStart + 500);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->quality, Quality::kAccurate);
  EXPECT_EQ(found->offset_ns, OffsetOf(one[0])->offset_ns);
  EXPECT_EQ(found->bounds->low_ns, 1000 - 10);
  EXPECT_EQ(found->bounds->high_ns, 1000 + 30);
  EXPECT_EQ(found->bounds->bound_ns, 20);
  EXPECT_EQ(found->at_ns, kStart + 500);
}

TEST(HostEstimate, HoldsTheTruthAfterEveryBurst) {
  for (const uint64_t seed : {1, 2, 3, 4, 5}) {
    std::mt19937_64 random(seed);
    std::exponential_distribution<double> jitter(1.0 / 40'000);
    std::uniform_int_distribution<int64_t> offsets(-5'000'000'000, 5'000'000'000);
    std::uniform_int_distribution<int64_t> drifts(-90'000, 90'000);
    const Distortion host = {offsets(random), drifts(random), kStart - 1'000'000'000};
    const auto delay = [&](int64_t least) { return least + static_cast<int64_t>(jitter(random)); };
    HostEstimate estimate(200);
    for (int burst = 0; burst < 8; ++burst) {
      std::vector<ClockExchange> exchanges;
      for (int i = 0; i < 10; ++i) {
        const int64_t t1 = kStart + burst * 1'000'000'000LL + i * 2'000'000LL;
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
    const auto last = estimate.At(kStart + 7'000'000'000);
    EXPECT_LT(last->bounds->high_drift_ppm - last->bounds->low_drift_ppm, 2 * 500.0 / 7);
    EXPECT_EQ(estimate.exchanges(), 80);
  }
}

TEST(HostEstimate, ClaimsNoBoundWhereTheClockWasSet) {
  HostEstimate estimate(200);
  for (int i = 0; i < 10; ++i) {
    const Distortion host = {.offset_ns = i < 5 ? 0 : 50'000'000};
    estimate.Add(std::vector{ExchangeAt(kStart + i * 100'000'000LL, 1000, 1000, 1000, host)});
  }
  const auto found = estimate.At(kStart + 1'000'000'000);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->quality, Quality::kApproximate);
  EXPECT_FALSE(found->bounds.has_value());
  EXPECT_FALSE(found->reason.empty());
}

TEST(HostEstimate, SurvivesAnyTimes) {
  std::mt19937_64 random(9);
  const int64_t extremes[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, kStart, INT64_MAX};
  for (int round = 0; round < 200; ++round) {
    HostEstimate estimate(round % 2 == 0 ? std::optional<double>(200) : std::nullopt);
    for (int i = 0; i < 5; ++i) {
      const auto any = [&] { return extremes[random() % std::size(extremes)]; };
      estimate.Add(std::vector{ClockExchange{any(), any(), any(), any()}});
    }
    for (const int64_t at : extremes) {
      const auto found = estimate.At(at);
      EXPECT_TRUE(!found || found->at_ns == at);
    }
  }
}

}  // namespace
}  // namespace syncline
