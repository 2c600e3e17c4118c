#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/times.h"
#include "estimate/lines/fast_slope.h"

namespace syncline {
namespace {

constexpr double kPpm = 1e-6;

struct Messages {
  std::vector<Point> above;
  std::vector<Point> below;
};

double DriftPpm(const Messages& m) {
  const auto start = FindTrimmedDrift(m.above, m.below);
  if (!start) return NAN;
  const auto refined = RefineDrift(m.above, m.below, start->drift);
  return refined ? static_cast<double>(refined->drift) / kPpm : NAN;
}

// 600 messages each way within 24 s, from a clock to one that runs 12 ppm slow.
template <typename Delay>
Messages Draw(uint64_t seed, Delay delay) {
  std::mt19937_64 random(seed);
  Messages messages;
  for (int64_t i = 0; i < 600; ++i) {
    const int64_t t = i * 40'000'000;
    const int64_t y = kEpoch + t - t / 1'000'000 * 12;
    messages.above.push_back({kEpoch + t, y + static_cast<int64_t>(delay(random, i))});
    messages.below.push_back({kEpoch + t, y - static_cast<int64_t>(delay(random, i))});
  }
  return messages;
}

double RmsErrorPpm(uint64_t seeds, double (*of)(uint64_t)) {
  double squares = 0;
  for (uint64_t seed = 1; seed <= seeds; ++seed) squares += std::pow(of(seed) + 12, 2);
  return std::sqrt(squares / static_cast<double>(seeds));
}

TEST(QuantileDrift, IsMorePreciseThanTheTrimmedSlopeWhereDelaysHaveNoSharpFloor) {
  // The sum of three exponential delays of 60 µs.
  static const auto kDraw = [](uint64_t seed) {
    return Draw(seed, [](std::mt19937_64& random, int64_t) {
      return std::gamma_distribution<double>(3, 60'000)(random) + 400'000;
    });
  };
  const double refined = RmsErrorPpm(40, [](uint64_t seed) { return DriftPpm(kDraw(seed)); });
  const double trimmed = RmsErrorPpm(40, [](uint64_t seed) {
    const Messages m = kDraw(seed);
    return static_cast<double>(FindTrimmedDrift(m.above, m.below)->drift) / kPpm;
  });
  EXPECT_LT(refined, 0.6);
  EXPECT_LT(refined, trimmed * 0.8);
}

TEST(QuantileDrift, IsAboutAsPreciseAsItSays) {
  double squares = 0, claimed = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const Messages m = Draw(seed, [](std::mt19937_64& random, int64_t) {
      return std::gamma_distribution<double>(3, 60'000)(random);
    });
    const auto start = FindTrimmedDrift(m.above, m.below);
    ASSERT_TRUE(start);
    const auto refined = RefineDrift(m.above, m.below, start->drift);
    ASSERT_TRUE(refined);
    squares += std::pow(static_cast<double>(refined->drift) / kPpm + 12, 2);
    claimed += refined->error / kPpm / 2;
  }
  const double rms = std::sqrt(squares / 40);
  EXPECT_GT(rms, claimed / 40 * 0.6);
  EXPECT_LT(rms, claimed / 40 * 1.8);
}

TEST(QuantileDrift, IsNotTiltedByALoadedNetworkAtOneEnd) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    // The last fifth of the messages there take 2 ms longer.
    Messages m = Draw(seed, [](std::mt19937_64& random, int64_t i) {
      return std::exponential_distribution<double>(1 / 120e3)(random) + (i >= 480 ? 2e6 : 0);
    });
    EXPECT_NEAR(DriftPpm(m), -12, 1);
  }
}

TEST(QuantileDrift, IsExactWithoutJitter) {
  Messages m;
  for (int64_t i = 0; i < 50; ++i) {
    const int64_t t = i * 1'000'000'000;
    m.above.push_back({kEpoch + t, kEpoch + t + i * 3'000 + 400});
    m.below.push_back({kEpoch + t + 7, kEpoch + t + 7 + i * 3'000 - 900});
  }
  EXPECT_NEAR(DriftPpm(m), 3, 1e-6);
}

TEST(QuantileDrift, DoesNotDependOnTheOrderOfMessages) {
  Messages m = Draw(7, [](std::mt19937_64& random, int64_t) {
    return std::exponential_distribution<double>(1 / 120e3)(random);
  });
  const auto sorted = RefineDrift(m.above, m.below, -12e-6L);
  std::rotate(m.above.begin() + 1, m.above.begin() + 250, m.above.end());
  std::reverse(m.below.begin(), m.below.end());
  const auto other = RefineDrift(m.above, m.below, -12e-6L);
  ASSERT_TRUE(sorted && other);
  EXPECT_NEAR(static_cast<double>(sorted->drift - other->drift) / kPpm, 0, 1e-6);
}

TEST(QuantileDrift, NeedsEnoughMessagesAtDifferentInstants) {
  EXPECT_FALSE(RefineDrift({}, {}, 0));
  const std::vector<Point> few(kLeastPoints - 1, Point{kEpoch, kEpoch});
  EXPECT_FALSE(RefineDrift(few, few, 0));
  const std::vector<Point> same(100, Point{kEpoch, kEpoch + 5});
  EXPECT_FALSE(RefineDrift(same, {}, 0));
}

// Three clocks that run by −3, 0 and 5 ppm off; messages all round, of which those of one direction
// are slow and vary much.
std::vector<DelaySeries> DrawRound(uint64_t seed) {
  constexpr double kPpmOff[] = {-3, 0, 5};
  std::mt19937_64 random(seed);
  std::vector<DelaySeries> series;
  for (const auto& [from, to, spread_ns] :
       {std::tuple(0, 1, 100e3), std::tuple(1, 0, 100e3), std::tuple(1, 2, 20e6),
        std::tuple(2, 1, 100e3), std::tuple(0, 2, 100e3), std::tuple(2, 0, 100e3)}) {
    std::exponential_distribution<double> delay(1 / spread_ns);
    DelaySeries& added =
        series.emplace_back(DelaySeries{static_cast<size_t>(from), static_cast<size_t>(to), {}});
    for (int64_t i = 0; i < 600; ++i) {
      const int64_t t = i * 40'000'000;
      const auto at = [&](int clock, double true_ns) {
        return kEpoch + static_cast<int64_t>(true_ns * (1 + kPpmOff[clock] * kPpm));
      };
      const auto sent = static_cast<double>(t);
      added.points.push_back({at(from, sent), at(to, sent + 300'000 + delay(random))});
    }
  }
  return series;
}

TEST(GroupDrifts, AreThoseWithWhichNoDirectionsDelaysRiseOrFall) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const std::vector<double> drifts = RefineDrifts(4, DrawRound(seed));
    ASSERT_EQ(drifts.size(), 4U);
    EXPECT_EQ(drifts[0], 0);
    EXPECT_NEAR(drifts[1] / kPpm, 3, 1);
    EXPECT_NEAR(drifts[2] / kPpm, 8, 1);
    EXPECT_EQ(drifts[3], 0);  // no messages
  }
}

TEST(GroupDrifts, DirectionsOfWideDelaysTellLittle) {
  double squares = 0, squares_without = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<DelaySeries> series = DrawRound(seed);
    squares += std::pow(RefineDrifts(3, series)[2] / kPpm - 8, 2);
    series.erase(series.begin() + 2);
    squares_without += std::pow(RefineDrifts(3, series)[2] / kPpm - 8, 2);
  }
  EXPECT_LT(std::sqrt(squares / 20), 1.1 * std::sqrt(squares_without / 20));
}

TEST(GroupDrifts, NeedEnoughMessages) {
  const std::vector<Point> few(kLeastPoints - 1, Point{kEpoch, kEpoch});
  EXPECT_THAT(RefineDrifts(2, std::vector<DelaySeries>{{0, 1, few}}), testing::Each(0));
  const std::vector<Point> same(100, Point{kEpoch, kEpoch + 5});
  EXPECT_THAT(RefineDrifts(2, std::vector<DelaySeries>{{0, 1, same}}), testing::Each(0));
  EXPECT_TRUE(RefineDrifts(0, {}).empty());
}

}  // namespace
}  // namespace syncline
