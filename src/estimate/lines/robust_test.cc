#include "estimate/lines/robust.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/times.h"

namespace syncline {
namespace {

struct Clouds {
  std::vector<Point> upper;
  std::vector<Point> lower;
};

std::optional<Line> LineOf(const Clouds& clouds, SlopeRange allowed, Point origin = {0, 0}) {
  return TrimmedSquaresLine(clouds.upper, clouds.lower, {.origin = origin}, allowed);
}

TEST(TrimmedSquares, OfAFewMessagesIsTheLineWorkedByHand) {
  // There in 100, but for two late ones; back in 60, but for one. In the middle: (100 − 60) / 2.
  const Clouds clouds{{{0, 100}, {1000, 1100}, {2000, 2900}, {3000, 3100}, {4000, 4700}},
                      {{500, 440}, {1500, 1440}, {2500, 1300}}};
  const auto line = LineOf(clouds, PriorRange(200));
  ASSERT_TRUE(line.has_value());
  EXPECT_NEAR(static_cast<double>(line->slope.Drift()), 0, 1e-12);
  EXPECT_EQ(line->Nearest(2000), 2000 + (100 - 60) / 2);
}

double Average(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

// Σ(x − x̄)², Σ(x − x̄)(e − ē), Σ(e − ē)² of the points of `chosen`'s bits.
struct Sums {
  double xx = 0, xe = 0, ee = 0;
};
Sums SumsOf(const std::vector<Point>& points, uint32_t chosen) {
  std::vector<double> x, e;
  for (size_t i = 0; i < points.size(); ++i) {
    if ((chosen >> i & 1) == 0) continue;
    x.push_back(static_cast<double>(points[i].x));
    e.push_back(static_cast<double>(points[i].y - points[i].x));
  }
  const double mean_x = Average(x), mean_e = Average(e);
  Sums sums;
  for (size_t i = 0; i < x.size(); ++i) {
    sums.xx += (x[i] - mean_x) * (x[i] - mean_x);
    sums.xe += (x[i] - mean_x) * (e[i] - mean_e);
    sums.ee += (e[i] - mean_e) * (e[i] - mean_e);
  }
  return sums;
}

std::vector<uint32_t> HalvesOf(size_t n) {
  std::vector<uint32_t> halves;
  for (uint32_t bits = 0; bits < 1U << n; ++bits) {
    if (static_cast<size_t>(std::popcount(bits)) == n / 2 + 1) halves.push_back(bits);
  }
  return halves;
}

// The least sum of squares over all halves of both directions, for the given drift or, without
// one, for the best drift of each choice.
double LeastSquaresOfAllHalves(const Clouds& clouds, std::optional<double> drift) {
  double least = INFINITY;
  for (const uint32_t up : HalvesOf(clouds.upper.size())) {
    const Sums u = SumsOf(clouds.upper, up);
    for (const uint32_t down : HalvesOf(clouds.lower.size())) {
      const Sums d = SumsOf(clouds.lower, down);
      const double xx = u.xx + d.xx, xe = u.xe + d.xe, ee = u.ee + d.ee;
      const double b = drift ? *drift : xe / xx;
      least = std::min(least, ee - 2 * b * xe + b * b * xx);
    }
  }
  return least;
}

TEST(TrimmedSquares, AreTheLeastOfAllHalves) {
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Clouds clouds{std::vector<Point>(3 + seed % 5), std::vector<Point>(3 + seed % 4)};
    for (auto* cloud : {&clouds.upper, &clouds.lower}) {
      const int64_t side = cloud == &clouds.upper ? 1 : -1;
      for (Point& p : *cloud) {
        p.x = static_cast<int64_t>(random() % 1'000'000);
        const auto delay = static_cast<int64_t>(400 + random() % (random() % 3 == 0 ? 5000 : 200));
        p.y = p.x + side * delay;
      }
    }
    const auto line = LineOf(clouds, PriorRange(9e5));
    ASSERT_TRUE(line.has_value());
    const double found = LeastSquaresOfAllHalves(clouds, static_cast<double>(line->slope.Drift()));
    const double least = LeastSquaresOfAllHalves(clouds, std::nullopt);
    EXPECT_LE(found, least * (1 + 1e-6) + 1e-3);
  }
}

// Over a minute, b 35 ppm fast; at least `there` and `back` ns and 50 µs more on average, and of
// each direction `slow` of 100 messages up to 50 ms more, the later the more.
Clouds Simulated(size_t there_count, size_t back_count, MinDelays least, unsigned slow,
                 uint64_t seed, int64_t start = 0) {
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> jitter(1.0 / 50'000);
  const auto delay = [&](int64_t t) {
    const bool is_slow = random() % 100 < slow;
    return static_cast<int64_t>(jitter(random)) + (is_slow ? t / 1200 + 500'000 : 0);
  };
  const auto time = [&] { return static_cast<int64_t>(random() % (60 * kSecond)); };
  const auto at_b = [](int64_t t) { return t + t / 1'000'000 * 35; };
  Clouds clouds;
  for (size_t i = 0; i < there_count; ++i) {
    const int64_t t = time();
    clouds.upper.push_back({start + t, start + at_b(t) + least.ab_ns + delay(t)});
  }
  for (size_t i = 0; i < back_count; ++i) {
    const int64_t t = time();
    clouds.lower.push_back({start + t, start + at_b(t) - least.ba_ns - delay(t)});
  }
  return clouds;
}

TEST(TrimmedSquares, IgnoreUpToFortyPercentOfSlowMessages) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const auto line = LineOf(Simulated(800, 800, {400'000, 700'000}, 40, seed), PriorRange(200));
    ASSERT_TRUE(line.has_value());
    // The fast half spreads by some 50 µs over 60 s: 50 µs / √800 / 17 s = 0.1 ppm.
    EXPECT_NEAR(static_cast<double>(line->slope.Drift() * 1e6L), 35, 0.7);
    const int64_t middle = 30 * kSecond;
    EXPECT_NEAR(static_cast<double>(line->Nearest(middle) - middle - 30 * 35'000),
                (400'000 - 700'000) / 2.0, 15'000);
  }
}

TEST(TrimmedSquares, StandBetweenTheCloudsHoweverUnevenTheirNumbers) {
  const auto line = LineOf(Simulated(1000, 12, {400'000, 400'000}, 0, 3), PriorRange(200));
  ASSERT_TRUE(line.has_value());
  const int64_t middle = 30 * kSecond;
  // One line for both directions would lie about 400 µs higher.
  EXPECT_NEAR(static_cast<double>(line->Nearest(middle) - middle - 30 * 35'000), 0, 40'000);
}

TEST(TrimmedSquares, OfEpochTimesAndOfAnyOrderAreThoseOfSmallTimes) {
  const Clouds small = Simulated(400, 300, {400'000, 400'000}, 20, 7);
  Clouds late = Simulated(400, 300, {400'000, 400'000}, 20, 7, kEpoch);
  std::mt19937_64 random(1);
  std::shuffle(late.upper.begin(), late.upper.end(), random);
  std::shuffle(late.lower.begin(), late.lower.end(), random);
  const auto a = LineOf(small, PriorRange(200));
  const auto b = LineOf(late, PriorRange(200), {kEpoch, kEpoch});
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->slope, b->slope);
  for (const int64_t t : {int64_t{0}, 60 * kSecond}) {
    EXPECT_EQ(a->Nearest(t), b->Nearest(kEpoch + t) - kEpoch);
  }
}

TEST(TrimmedSquares, NeedBothDirections) {
  EXPECT_FALSE(LineOf({{{0, 5}, {9, 14}}, {}}, PriorRange(200)).has_value());
  EXPECT_FALSE(LineOf({{}, {{0, 5}, {9, 14}}}, PriorRange(200)).has_value());
}

TEST(TrimmedSquares, RunAtNominalRateWhereNothingTellsIt) {
  const struct {
    Clouds clouds;
    int64_t height;  // at 0
  } cases[] = {
      {{{{0, 100}}, {{10, -50}}}, (100 - 60) / 2},                               // one exchange
      {{{{0, 100}, {0, 100}, {0, 100}}, {{0, -50}, {0, -50}}}, (100 - 50) / 2},  // one point each
      {{{{0, 100}, {0, 100}, {0, 900}}, {{0, -60}}}, (100 - 60) / 2},            // a stack
  };
  for (const auto& c : cases) {
    const auto line = LineOf(c.clouds, PriorRange(200));
    ASSERT_TRUE(line.has_value());
    EXPECT_EQ(line->slope, (Slope{1, 1}));
    EXPECT_EQ(line->Nearest(0), c.height);
  }
}

TEST(TrimmedSquares, KeepToThePrior) {
  const Clouds clouds{{{0, 100}, {kSecond, kSecond + 2 * kMs}},
                      {{0, -100}, {kSecond, kSecond + 2 * kMs - 200}}};
  const auto line = LineOf(clouds, PriorRange(200));
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(line->slope, PriorRange(200).max);
}

}  // namespace
}  // namespace syncline
