#include "estimate/lines/two_point.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/times.h"

namespace syncline {
namespace {

const SlopeRange kAny = PriorRange(std::nullopt);

FitFrame FrameOver(int64_t first_x, int64_t last_x) {
  return {
      .origin = {first_x + (last_x - first_x) / 2, first_x}, .first_x = first_x, .last_x = last_x};
}

TEST(TwoPoint, OfThreeExchangesIsTheLineWorkedByHand) {
  TwoPointFit fit(FrameOver(0, 10'020));
  // a asks at 0, b gets it at 115 and answers at 119, a gets that at 8: δ = 115 − 111, middle
  // (4, 117).
  fit.AddUpper({0, 115});
  fit.AddLower({8, 119});
  // In between, a slow one: δ = 600 + 100.
  fit.AddUpper({5000, 5600});
  fit.AddLower({5700, 5600});
  // b asks at 10 210, a gets it at 10 000 and answers at 10 004, b gets that at 10 220:
  // δ = 216 − 210, middle (10 002, 10 215).
  fit.AddLower({10'000, 10'210});
  fit.AddUpper({10'004, 10'220});
  const auto fitted = fit.Fit(kAny);
  ASSERT_TRUE(fitted.has_value());
  EXPECT_NEAR(fitted->line.slope.ToDouble(), (10'215.0 - 117) / (10'002 - 4), 1e-15);
  EXPECT_EQ(fitted->line.Nearest(4), 117);  // the exchange of least δ
  EXPECT_EQ(fitted->line.Nearest(10'002), 10'215);
}

TEST(TwoPoint, MinimumDelaysMakeUnequalWaysEqual) {
  // 50 there, 10 back, known: the middle is right.
  FitFrame frame = FrameOver(0, 1000);
  frame.min_delays = {50, 10};
  TwoPointFit fit(frame);
  fit.AddUpper({0, 50 - 50});
  fit.AddLower({70, 60 + 10});
  const auto fitted = fit.Fit(kAny);
  ASSERT_TRUE(fitted.has_value());
  EXPECT_EQ(fitted->line.Nearest(0), 0);
}

TEST(TwoPoint, MessagesThatCrossAreNoExchange) {
  TwoPointFit fit(FrameOver(0, 100));
  fit.AddUpper({0, 100});
  fit.AddLower({100, 0});
  EXPECT_FALSE(fit.Fit(kAny).has_value());
  // Nor when minimum delays, once taken off, make it look like one: received at 100, sent at 90.
  FitFrame frame = FrameOver(0, 100);
  frame.min_delays = {30, 0};
  TwoPointFit shifted(frame);
  shifted.AddUpper({0, 100 - 30});
  shifted.AddLower({100, 90});
  EXPECT_FALSE(shifted.Fit(kAny).has_value());
}

TEST(TwoPoint, OfOneExchangeRunsAtNominalRate) {
  TwoPointFit fit(FrameOver(kEpoch, kEpoch + 200));
  fit.AddUpper({kEpoch, kEpoch + 1100});
  fit.AddLower({kEpoch + 200, kEpoch + 1100});
  const auto fitted = fit.Fit(PriorRange(200));
  ASSERT_TRUE(fitted.has_value());
  EXPECT_EQ(fitted->line.slope, (Slope{1, 1}));
  EXPECT_EQ(fitted->line.Nearest(kEpoch + 100), kEpoch + 1100);
}

TEST(TwoPoint, OfEqualMessagesIsStillALine) {
  TwoPointFit fit(FrameOver(7, 7));
  for (int i = 0; i < 200; ++i) {
    fit.AddUpper({7, 9});
    fit.AddLower({7, 9});
  }
  const auto fitted = fit.Fit(PriorRange(200));
  ASSERT_TRUE(fitted.has_value());
  EXPECT_EQ(fitted->line.slope, (Slope{1, 1}));
  EXPECT_EQ(fitted->line.Nearest(7), 9);
}

struct Traffic {
  std::vector<Point> upper, lower;
};

// Requests at random times over a minute, each answered at once or not; b 35 ppm fast.
Traffic MakeTraffic(size_t requests, uint64_t seed, int64_t start = kEpoch) {
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> jitter(1.0 / 120'000);
  const auto delay = [&](int64_t least) { return least + static_cast<int64_t>(jitter(random)); };
  const auto at_b = [&](int64_t t) { return start + t + t / 1'000'000 * 35; };
  Traffic traffic;
  for (size_t i = 0; i < requests; ++i) {
    const auto t = static_cast<int64_t>(random() % (60 * kSecond));
    if (random() % 2 == 0) {
      const int64_t there = t + delay(400'000), back = there + 50'000;
      traffic.upper.push_back({start + t, at_b(there)});
      if (random() % 4 > 0) traffic.lower.push_back({start + back + delay(700'000), at_b(back)});
    } else {
      const int64_t there = t + delay(700'000), back = there + 50'000;
      traffic.lower.push_back({start + there, at_b(t)});
      traffic.upper.push_back({start + back, at_b(back + delay(400'000))});
    }
  }
  return traffic;
}

FitFrame FrameOf(const Traffic& traffic) {
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (const auto* points : {&traffic.upper, &traffic.lower}) {
    for (const Point p : *points) {
      first = std::min(first, p.x);
      last = std::max(last, p.x);
    }
  }
  return FrameOver(first, last);
}

std::optional<FittedLine> TwoPointFitOf(const Traffic& traffic) {
  TwoPointFit fit(FrameOf(traffic));
  for (const Point p : traffic.upper) fit.AddUpper(p);
  for (const Point p : traffic.lower) fit.AddLower(p);
  return fit.Fit(kAny);
}

struct NaiveExchange {
  double round_trip = 0;
  double x = 0, y = 0;  // the middle, from kEpoch
};

// Every message with the first one back that was sent after it was received.
std::vector<NaiveExchange> AllExchanges(const Traffic& traffic) {
  std::vector<NaiveExchange> all;
  const auto add = [&](Point u, Point l) {
    all.push_back({std::max(static_cast<double>((u.y - u.x) - (l.y - l.x)), 0.0),
                   static_cast<double>(u.x - kEpoch + l.x - kEpoch) / 2,
                   static_cast<double>(u.y - kEpoch + l.y - kEpoch) / 2});
  };
  for (const Point u : traffic.upper) {
    const Point* answer = nullptr;
    for (const Point& l : traffic.lower) {
      const bool is_later = l.y >= u.y;
      if (is_later && (!answer || std::tie(l.y, l.x) < std::tie(answer->y, answer->x))) answer = &l;
    }
    if (answer) add(u, *answer);
  }
  for (const Point l : traffic.lower) {
    const Point* answer = nullptr;
    for (const Point& u : traffic.upper) {
      if (u.x >= l.x && (!answer || u < *answer)) answer = &u;
    }
    if (answer) add(*answer, l);
  }
  return all;
}

// Algorithm 2.1 as it stands.
Line NaiveTwoPoint(std::vector<NaiveExchange> all) {
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.round_trip < b.round_trip; });
  double first = INFINITY, last = -INFINITY;
  for (const NaiveExchange& e : all) {
    first = std::min(first, e.x);
    last = std::max(last, e.x);
  }
  std::vector<NaiveExchange> chosen;
  std::vector<int> taken(11);
  for (const NaiveExchange& e : all) {
    const auto part = std::min<size_t>(static_cast<size_t>((e.x - first) / (last - first) * 10), 9);
    if (++taken[part] <= 10) chosen.push_back(e);
  }
  double least = INFINITY, slope = 1;
  for (const NaiveExchange& e : chosen) {
    for (const NaiveExchange& f : chosen) {
      if (e.x <= f.x) continue;
      const double delta_beta = (e.round_trip + f.round_trip) / (2 * (e.x - f.x));
      if (delta_beta >= least) continue;
      least = delta_beta;
      slope = (e.y - f.y) / (e.x - f.x);
    }
  }
  const NaiveExchange& best = all.front();
  return {{kEpoch + std::llround(best.x), kEpoch + std::llround(best.y)},
          SlopeFromDrift(slope - 1, kAny.min, kAny.max)};
}

TEST(TwoPoint, AgreesWithASearchOfAllExchanges) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    // At most 64 messages of a direction in a tenth: all are kept.
    const Traffic traffic = MakeTraffic(4 + seed * 8, seed);
    const auto fitted = TwoPointFitOf(traffic);
    ASSERT_TRUE(fitted.has_value());
    const Line naive = NaiveTwoPoint(AllExchanges(traffic));
    EXPECT_NEAR(fitted->line.slope.ToDouble(), naive.slope.ToDouble(), 1e-13);
    EXPECT_NEAR(static_cast<double>(fitted->line.Nearest(kEpoch) - naive.Nearest(kEpoch)), 0, 3);
  }
}

TEST(TwoPoint, OfManyMessagesKeepsTheFastest) {
  const Traffic traffic = MakeTraffic(20'000, 1);
  const auto fitted = TwoPointFitOf(traffic);
  ASSERT_TRUE(fitted.has_value());
  // Among 20 000 messages the best are some µs slower than 400 + 700 µs, over most of the minute.
  EXPECT_NEAR(static_cast<double>(fitted->line.slope.Drift() * 1e6L), 35, 10.0 / 50);
  const int64_t middle = 30 * kSecond;
  EXPECT_NEAR(
      static_cast<double>(fitted->line.Nearest(kEpoch + middle) - kEpoch - middle) - 35.0 * 30'000,
      (400'000 - 700'000) / 2.0, 15'000);
}

TEST(TwoPoint, OfEpochTimesAndOfAnyOrderIsThatOfSmallTimes) {
  Traffic small = MakeTraffic(5000, 9, 0);
  Traffic late = MakeTraffic(5000, 9, kEpoch);
  std::mt19937_64 random(2);
  std::shuffle(late.upper.begin(), late.upper.end(), random);
  std::shuffle(late.lower.begin(), late.lower.end(), random);
  const auto a = TwoPointFitOf(small);
  const auto b = TwoPointFitOf(late);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->line.slope, b->line.slope);
  EXPECT_EQ(a->line.at.x, b->line.at.x - kEpoch);
  EXPECT_EQ(a->line.at.y, b->line.at.y - kEpoch);
}

}  // namespace
}  // namespace syncline
