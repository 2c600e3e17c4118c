#include "estimate/windows/joint_windows.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "estimate/hulls/pair_points.h"

namespace syncline {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kHour = 3600 * kSecond;
constexpr int64_t kWindow = 1200 * kSecond;

// By how much a clock is ahead, by true time since the start.
using Ahead = std::function<int64_t(int64_t)>;

Ahead Straight(int64_t offset_ns, int64_t drift_ppb) {
  return [=](int64_t t) { return offset_ns + t / 1'000'000 * drift_ppb / 1000; };
}
Ahead Swinging(const Ahead& otherwise, int64_t most_ns, int64_t period) {
  return [=](int64_t t) {
    const double turn = static_cast<double>(t) / static_cast<double>(period);
    const double swing = std::sin(2 * std::numbers::pi * turn);
    return otherwise(t) + std::llround(swing * static_cast<double>(most_ns));
  };
}
Ahead Stepped(const Ahead& otherwise, int64_t step_ns, int64_t at) {
  return [=](int64_t t) { return otherwise(t) + (t >= at ? step_ns : 0); };
}

class LongGroup {
 public:
  LongGroup(std::vector<Ahead> clocks, int64_t length, int64_t start = 0)
      : ahead_(std::move(clocks)), length_(length), start_(start) {
    for (size_t i = 0; i < ahead_.size(); ++i) {
      inputs_.push_back({{}, {Read(i, 0)}, {Read(i, length_)}});
    }
  }

  // `count` messages each way, 400 and 300 µs at least and exponential beyond.
  void Talk(size_t a, size_t b, int count, std::mt19937_64& random) {
    std::exponential_distribution<double> jitter(1 / 60'000.0);
    for (int i = 0; i < 2 * count; ++i) {
      const auto at = static_cast<int64_t>(random() % static_cast<uint64_t>(length_ - kSecond));
      const auto delay = static_cast<int64_t>(jitter(random));
      i % 2 == 0 ? Send(a, b, at, 400'000 + delay) : Send(b, a, at, 300'000 + delay);
    }
  }
  void Send(size_t from, size_t to, int64_t at, int64_t delay_ns) {
    sent_.push_back({from, to, at, at + delay_ns});
  }
  void Reverse() { std::reverse(sent_.begin(), sent_.end()); }

  JointEstimate Estimate(int64_t window_ns = kWindow) const {
    std::map<std::pair<size_t, size_t>, PairPoints> points;
    WindowHulls hulls(window_ns);
    for (const Sent& m : sent_) {
      const int64_t send = Read(m.from, m.sent);
      const int64_t receive = Read(m.to, m.received);
      hulls.Add(IdOf(m.from), IdOf(m.to), send, receive);
      PairPoints& pair = points[{std::min(m.from, m.to), std::max(m.from, m.to)}];
      m.from < m.to ? pair.AddAToB(send, receive) : pair.AddBToA(send, receive);
    }
    std::vector<PairInput> pairs;
    pairs.reserve(points.size());
    for (const auto& [clocks, of_pair] : points) {
      pairs.push_back({IdOf(clocks.first), IdOf(clocks.second), EstimatePair(of_pair, {})});
    }
    return EstimateWindows(inputs_, pairs, hulls, ClockId(0));
  }

  size_t Inversions(const JointEstimate& estimate) const {
    return static_cast<size_t>(std::count_if(sent_.begin(), sent_.end(), [&](const Sent& m) {
      return Corrected(estimate, m.to, m.received) < Corrected(estimate, m.from, m.sent);
    }));
  }
  // Events whose true time, that of clock 0, lies outside their bounds.
  size_t Outside(const JointEstimate& estimate) const {
    size_t outside = 0;
    ForEachEvent([&](size_t clock, int64_t at) {
      const TimeBounds& bounds = estimate.group.clocks[clock].bounds;
      const auto upper = bounds.Upper({Read(clock, at)});
      const auto lower = bounds.Lower({Read(clock, at)});
      const int64_t truth = Read(0, at);
      outside += !upper || !lower || upper->ns < truth || lower->ns > truth ? 1 : 0;
    });
    return outside;
  }
  int64_t LargestError(const JointEstimate& estimate) const {
    int64_t largest = 0;
    ForEachEvent([&](size_t clock, int64_t at) {
      largest = std::max(largest, std::abs(Corrected(estimate, clock, at).ns - Read(0, at)));
    });
    return largest;
  }

 private:
  struct Sent {
    size_t from, to;
    int64_t sent, received;  // true time since the start
  };

  static ClockId IdOf(size_t clock) { return ClockId(static_cast<uint32_t>(clock)); }
  int64_t Read(size_t clock, int64_t at) const { return start_ + at + ahead_[clock](at); }
  GlobalTime Corrected(const JointEstimate& estimate, size_t clock, int64_t at) const {
    return estimate.group.clocks[clock].correction({Read(clock, at)});
  }
  template <typename Visit>
  void ForEachEvent(const Visit& visit) const {
    for (const Sent& m : sent_) {
      visit(m.from, m.sent);
      visit(m.to, m.received);
    }
  }

  std::vector<Ahead> ahead_;
  int64_t length_;
  int64_t start_;
  std::vector<ClockInput> inputs_;
  std::vector<Sent> sent_;
};

// Four clocks for three hours, each swinging by milliseconds, two messages per second in all.
LongGroup WanderingGroup(uint64_t seed, int64_t start = 0) {
  std::mt19937_64 random(seed);
  LongGroup group(
      {Swinging(Straight(0, 0), 500'000, 5 * kHour),
       Swinging(Straight(700 * kSecond, 30'000), 3'000'000, 2 * kHour),
       Swinging(Straight(-kHour, -40'000), 2'000'000, 3 * kHour), Straight(123'456'789, 5'000)},
      3 * kHour, start);
  for (const auto& [a, b] : {std::pair(0, 1), {1, 2}, {2, 3}, {0, 3}, {0, 2}}) {
    group.Talk(static_cast<size_t>(a), static_cast<size_t>(b), 2'000, random);
  }
  return group;
}

TEST(JointWindows, FollowsARateThatChangesAtABorder) {
  // Messages every 5 s take 100 µs either way. Until 1200 s clock 1 agrees with clock 0, then it
  // runs 10 ppm fast; it is 12 ms ahead at the end, after another 1200 s.
  const Ahead fast = [](int64_t t) { return std::max<int64_t>(t - kWindow, 0) / 1'000'000 * 10; };
  LongGroup group({Straight(0, 0), fast}, 2 * kWindow);
  for (int64_t at = 0; at < 2 * kWindow; at += 5 * kSecond) {
    group.Send(0, 1, at, 100'000);
    group.Send(1, 0, at, 100'000);
  }
  const JointEstimate estimate = group.Estimate();
  const auto knots = estimate.group.clocks[1].correction.knots();
  ASSERT_EQ(knots.size(), 3U);
  EXPECT_EQ(knots[1].local.ticks, kWindow);
  EXPECT_NEAR(static_cast<double>(knots[1].global.ns), kWindow, 1'000);
  const int64_t end = 2 * kWindow + 12'000'000;
  EXPECT_NEAR(static_cast<double>(estimate.group.clocks[1].correction({end}).ns), 2 * kWindow,
              1'000);
  EXPECT_EQ(group.Inversions(estimate), 0U);
  EXPECT_EQ(estimate.components[0].state, JointFinding::State::kPiecewise);
}

TEST(JointWindows, OrdersAllMessagesOfWanderingClocksAndBoundsThem) {
  for (const uint64_t seed : {1, 2, 3, 4, 5}) {
    SCOPED_TRACE(seed);
    const LongGroup group = WanderingGroup(seed);
    const JointEstimate estimate = group.Estimate();
    EXPECT_EQ(group.Inversions(estimate), 0U);
    EXPECT_EQ(estimate.components[0].violated, 0U);
    EXPECT_EQ(group.Outside(estimate), 0U);
    // The ways differ by 100 µs, of which half cannot be seen; 3 ms if clocks were not followed.
    EXPECT_LT(group.LargestError(estimate), 200'000);
    EXPECT_GT(estimate.components[0].rate_error_ppm, 0);
  }
}

TEST(JointWindows, KnotsAreAtMultiplesOfTheWindowAndIncrease) {
  const JointEstimate estimate = WanderingGroup(6).Estimate();
  for (size_t i = 1; i < 4; ++i) {
    const auto knots = estimate.group.clocks[i].correction.knots();
    ASSERT_GE(knots.size(), 3 * kHour / kWindow);
    for (size_t k = 1; k < knots.size(); ++k) {
      EXPECT_LT(knots[k - 1].local, knots[k].local);
      EXPECT_LT(knots[k - 1].global, knots[k].global);
    }
    for (size_t k = 1; k + 1 < knots.size(); ++k) {
      EXPECT_EQ(knots[k].local.ticks % (kWindow / 8), 0);
    }
  }
}

// To a nanosecond.
TEST(JointWindows, DoesNotDependOnTheEpochOrTheOrderOfMessages) {
  // 1.8·10^18 ns, a multiple of the window.
  constexpr int64_t kEpoch = 1'500'000 * kWindow;
  LongGroup group = WanderingGroup(7);
  const JointEstimate small = group.Estimate();
  const JointEstimate large = WanderingGroup(7, kEpoch).Estimate();
  group.Reverse();
  const JointEstimate reversed = group.Estimate();
  for (size_t i = 1; i < 4; ++i) {
    const auto knots = small.group.clocks[i].correction.knots();
    const auto shifted = large.group.clocks[i].correction.knots();
    const auto other_order = reversed.group.clocks[i].correction.knots();
    ASSERT_EQ(knots.size(), shifted.size());
    ASSERT_EQ(knots.size(), other_order.size());
    for (size_t k = 0; k < knots.size(); ++k) {
      EXPECT_EQ(knots[k].local.ticks + kEpoch, shifted[k].local.ticks);
      EXPECT_LE(std::abs(knots[k].global.ns + kEpoch - shifted[k].global.ns), 1);
      EXPECT_EQ(knots[k].local, other_order[k].local);
      EXPECT_LE(std::abs(knots[k].global.ns - other_order[k].global.ns), 1);
    }
  }
}

TEST(JointWindows, AFewWrongMatchesDoNotMoveTheOthers) {
  LongGroup group = WanderingGroup(8);
  std::mt19937_64 random(9);
  for (int i = 0; i < 20; ++i) {
    const auto at = static_cast<int64_t>(random() % (3 * kHour - 9 * kSecond)) + 8 * kSecond;
    group.Send(static_cast<size_t>(i % 2), static_cast<size_t>(1 - i % 2), at, -5 * kSecond);
  }
  const JointEstimate estimate = group.Estimate();
  EXPECT_GE(estimate.components[0].violated, 20U);
  EXPECT_LE(group.Inversions(estimate), 22U);
  EXPECT_LT(group.LargestError(estimate), 500'000);  // of 5 s that they are wrong by
}

TEST(JointWindows, SilenceIsBridged) {
  std::mt19937_64 random(10);
  LongGroup group({Straight(0, 0), Straight(5'000'000, 20'000)}, 4 * kHour);
  std::exponential_distribution<double> jitter(1 / 60'000.0);
  for (int i = 0; i < 2'000; ++i) {
    // Nothing for two hours in the middle.
    const auto at = static_cast<int64_t>(random() % kHour) + (i % 2 == 0 ? 0 : 3 * kHour - kSecond);
    const auto delay = 300'000 + static_cast<int64_t>(jitter(random));
    group.Send(0, 1, at, delay);
    group.Send(1, 0, at, delay);
  }
  const JointEstimate estimate = group.Estimate();
  EXPECT_EQ(group.Inversions(estimate), 0U);
  EXPECT_LT(group.LargestError(estimate), 50'000);
  const GlobalTime middle =
      estimate.group.clocks[1].correction({2 * kHour + 5'000'000 + 2 * kHour / 1'000'000 * 20});
  EXPECT_NEAR(static_cast<double>(middle.ns), 2 * kHour, 100'000);
}

TEST(JointWindows, OneSidedAndSilentClocksAreTold) {
  std::mt19937_64 random(12);
  LongGroup group({Straight(0, 0), Straight(1'000, 10'000), Straight(5, 0), Straight(9, 0)},
                  2 * kHour);
  group.Talk(0, 1, 500, random);
  for (int64_t at = kSecond; at < 2 * kHour; at += 20 * kSecond) group.Send(1, 2, at, 400'000);
  const JointEstimate estimate = group.Estimate();
  EXPECT_EQ(group.Inversions(estimate), 0U);
  EXPECT_EQ(estimate.group.clocks[2].quality, Quality::kIncomplete);
  EXPECT_FALSE(estimate.group.clocks[2].bound);
  EXPECT_EQ(estimate.components[1].state, JointFinding::State::kSingle);
}

TEST(JointWindows, TracesShorterThanAWindowGetOnePiece) {
  std::mt19937_64 random(13);
  LongGroup group({Straight(0, 0), Straight(1'000'000, 50'000)}, 60 * kSecond);
  group.Talk(0, 1, 500, random);
  const JointEstimate estimate = group.Estimate();
  EXPECT_EQ(estimate.group.clocks[1].correction.knots().size(), 2U);
  EXPECT_EQ(group.Inversions(estimate), 0U);
  EXPECT_LT(group.LargestError(estimate), 60'000);
}

TEST(JointWindows, TooManyWindowsAreRefused) {
  LongGroup group({Straight(0, 0), Straight(0, 0)}, 200'000 * kSecond);
  group.Send(0, 1, kSecond, 1'000);
  group.Send(1, 0, 2 * kSecond, 1'000);
  const JointEstimate estimate = group.Estimate(kSecond);
  EXPECT_EQ(estimate.components[0].state, JointFinding::State::kFallback);
  EXPECT_FALSE(estimate.components[0].reason.empty());
}

TEST(JointWindows, AStepSpoilsOnlyTheTimeAroundIt) {
  std::mt19937_64 random(14);
  const int64_t at = 90 * 60 * kSecond + 7 * kSecond;
  LongGroup group({Straight(0, 0), Stepped(Straight(0, 10'000), 50'000'000, at)}, 3 * kHour);
  group.Talk(0, 1, 8'000, random);
  const JointEstimate estimate = group.Estimate();
  const auto error_at = [&](int64_t t) {
    const int64_t local = t + t / 1'000'000 * 10 + (t >= at ? 50'000'000 : 0);
    return std::abs(estimate.group.clocks[1].correction({local}).ns - t);
  };
  for (int64_t t = 0; t < 3 * kHour; t += 60 * kSecond) {
    if (std::abs(t - at) < kWindow / 2) continue;
    EXPECT_LT(error_at(t), 200'000) << t / kSecond;
  }
}

// 1 is set 5 ms ahead. What is known of 2 does not go through it.
TEST(JointWindows, AClockThatWasSetHasNoBoundsAndWidensThoseOfNoOther) {
  std::mt19937_64 random(15);
  const int64_t at = 90 * 60 * kSecond + 7 * kSecond;
  LongGroup group(
      {Straight(0, 0), Stepped(Straight(0, 10'000), 5'000'000, at), Straight(0, -5'000)},
      3 * kHour);
  group.Talk(0, 1, 4'000, random);
  group.Talk(0, 2, 4'000, random);
  group.Talk(1, 2, 4'000, random);
  const JointEstimate estimate = group.Estimate();
  ASSERT_EQ(estimate.components[0].steps.size(), 1U);
  EXPECT_EQ(estimate.components[0].steps[0].clock, ClockId(1));
  EXPECT_FALSE(estimate.group.clocks[1].bound.has_value());
  EXPECT_THAT(estimate.group.clocks[1].reason, testing::HasSubstr("it was set"));
  ASSERT_TRUE(estimate.group.clocks[2].bound.has_value());
  // Half of the least way there and back, and jitter.
  EXPECT_LT(estimate.group.clocks[2].bound->worst_ns, 1'000'000);
}

// Windows as long as the trace leave too few parts to seek a step; but no bend of a part satisfies
// the messages just before and after it.
TEST(JointWindows, AClockWhoseStepIsNotSeenHasNoBoundsEither) {
  std::mt19937_64 random(16);
  LongGroup group({Straight(0, 0), Stepped(Straight(0, 10'000), 5'000'000, 41 * 60 * kSecond),
                   Straight(0, -5'000)},
                  3 * kHour);
  for (const auto& [a, b] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 2)}) {
    group.Talk(static_cast<size_t>(a), static_cast<size_t>(b), 4'000, random);
  }
  const JointEstimate estimate = group.Estimate(3 * kHour);
  EXPECT_TRUE(estimate.components[0].steps.empty());
  EXPECT_THAT(estimate.components[0].contradicted, testing::Contains(ClockId(1)));
  EXPECT_FALSE(estimate.group.clocks[1].bound.has_value());
  EXPECT_THAT(estimate.group.clocks[1].reason, testing::HasSubstr("contradict"));
}

}  // namespace
}  // namespace syncline
