#include "estimate/joint/joint_piecewise.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "estimate/hulls/pair_points.h"

namespace syncline {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kLength = 60 * kSecond;

// By how much a clock is ahead, by true time since the start.
using Ahead = std::function<int64_t(int64_t)>;

Ahead Straight(int64_t offset_ns, int64_t drift_ppb) {
  return [=](int64_t t) { return offset_ns + t / 1000 * drift_ppb / 1'000'000; };
}
// Besides, `ppm` faster from `from` for `length`.
Ahead Slewed(const Ahead& otherwise, int64_t from, int64_t length, int64_t ppm) {
  return [=](int64_t t) {
    return otherwise(t) + (std::clamp(t, from, from + length) - from) * ppm / 1'000'000;
  };
}

class BentGroup {
 public:
  BentGroup(std::vector<Ahead> clocks, int64_t start) : ahead_(std::move(clocks)), start_(start) {
    for (size_t i = 0; i < ahead_.size(); ++i) {
      inputs_.push_back({{}, {Read(i, 0)}, {Read(i, kLength + kSecond)}});
    }
  }

  // `count` messages each way, 400 µs and 300 µs at least and exponential beyond.
  void Talk(size_t a, size_t b, int count, std::mt19937_64& random) {
    std::exponential_distribution<double> jitter(1 / 60'000.0);
    for (int i = 0; i < 2 * count; ++i) {
      const auto at = static_cast<int64_t>(random() % kLength);
      const auto delay = static_cast<int64_t>(jitter(random));
      i % 2 == 0 ? Send(a, b, at, 400'000 + delay) : Send(b, a, at, 300'000 + delay);
    }
  }
  void Send(size_t from, size_t to, int64_t at, int64_t delay_ns) {
    messages_.push_back({from, to, at, at + delay_ns});
    const int64_t send = Read(from, at);
    const int64_t receive = Read(to, at + delay_ns);
    PairPoints& points = points_[{std::min(from, to), std::max(from, to)}];
    from < to ? points.AddAToB(send, receive) : points.AddBToA(send, receive);
  }

  JointEstimate Estimate(PiecewiseOptions options = {}, JointOptions joint = {}) const {
    std::vector<PairInput> pairs;
    for (const auto& [clocks, points] : points_) {
      pairs.push_back({ClockId(static_cast<uint32_t>(clocks.first)),
                       ClockId(static_cast<uint32_t>(clocks.second)),
                       EstimatePair(points, {.max_drift_ppm = options.max_drift_ppm})});
    }
    joint.max_drift_ppm = options.max_drift_ppm;
    return *EstimateJointPiecewise(inputs_, pairs, EstimateJoint(inputs_, pairs, joint),
                                   EveryOf(0, 1), options);
  }
  // A pass over every `count`-th message from number `first` on.
  MessagePass EveryOf(size_t first, size_t count) const {
    return [=, this](const MessageVisitor& visit) -> Result<void> {
      for (size_t i = first; i < messages_.size(); i += count) {
        const Sent& m = messages_[i];
        const int64_t sent = Read(m.from, m.sent);
        const int64_t received = Read(m.to, m.received);
        visit({ClockId(static_cast<uint32_t>(m.from)),
               ClockId(static_cast<uint32_t>(m.to)),
               {sent},
               {received},
               sent,
               received});
      }
      return {};
    };
  }

  size_t Inversions(const JointEstimate& estimate) const {
    size_t inverted = 0;
    for (const Sent& m : messages_) {
      inverted += Corrected(estimate, m.to, m.received) < Corrected(estimate, m.from, m.sent);
    }
    return inverted;
  }
  // Of events, how many have a true time outside the bounds, and the largest error; the time that
  // the root shows is the true one.
  size_t Outside(const JointEstimate& estimate) const {
    size_t outside = 0;
    ForEachEvent([&](size_t clock, int64_t at) {
      const TimeBounds& bounds = estimate.group.clocks[clock].bounds;
      const GlobalTime truth{Read(estimate.group.roots[0].index(), at)};
      const auto upper = bounds.Upper({Read(clock, at)});
      const auto lower = bounds.Lower({Read(clock, at)});
      outside += (upper && *upper < truth) || (lower && *lower > truth) ? 1 : 0;
    });
    return outside;
  }
  int64_t LargestError(const JointEstimate& estimate) const {
    int64_t largest = 0;
    ForEachEvent([&](size_t clock, int64_t at) {
      const int64_t truth = Read(estimate.group.roots[0].index(), at);
      largest = std::max(largest, std::abs(Corrected(estimate, clock, at).ns - truth));
    });
    return largest;
  }

 private:
  struct Sent {
    size_t from, to;
    int64_t sent, received;  // true time since the start
  };

  int64_t Read(size_t clock, int64_t at) const { return start_ + at + ahead_[clock](at); }
  GlobalTime Corrected(const JointEstimate& estimate, size_t clock, int64_t at) const {
    return estimate.group.clocks[clock].correction({Read(clock, at)});
  }
  template <typename Visit>
  void ForEachEvent(const Visit& visit) const {
    for (const Sent& m : messages_) {
      visit(m.from, m.sent);
      visit(m.to, m.received);
    }
  }

  std::vector<Ahead> ahead_;
  int64_t start_;
  std::vector<ClockInput> inputs_;
  std::vector<Sent> messages_;
  std::map<std::pair<size_t, size_t>, PairPoints> points_;
};

BentGroup SlewedGroup(uint64_t seed, int64_t start) {
  std::mt19937_64 random(seed);
  const auto drift = [&] { return static_cast<int64_t>(random() % 100'000) - 50'000; };
  const Ahead plain = Straight(-3 * kSecond, drift());
  const auto from = static_cast<int64_t>(15 * kSecond + random() % (20 * kSecond));
  BentGroup group(
      {Straight(0, 0), Straight(1'700'000'000, drift()), Slewed(plain, from, 5 * kSecond, 500)},
      start);
  // Few enough that the pairs' samples hold all of them.
  group.Talk(0, 1, 1000, random);
  group.Talk(1, 2, 1000, random);
  group.Talk(0, 2, 1000, random);
  return group;
}

TEST(EstimateJointPiecewise, PutsASlewedClockInOrderWithinBounds) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const BentGroup group = SlewedGroup(seed, seed % 2 == 0 ? 1'800'000'000 * kSecond : 0);
    for (uint32_t reference = 0; reference < 3; ++reference) {
      const JointEstimate e = group.Estimate({}, {.reference = ClockId(reference)});
      ASSERT_EQ(e.components[0].state, JointFinding::State::kPiecewise);
      EXPECT_EQ(e.components[0].knots, 2U);
      EXPECT_EQ(e.components[0].rate_limit_ppm, 1000);
      EXPECT_EQ(group.Inversions(e), 0U);
      EXPECT_EQ(group.Outside(e), 0U);
      // Half of the ways' difference, and what jitter leaves open at the knots.
      EXPECT_LT(group.LargestError(e), 50'000 + 100'000);
      for (const ClockEstimate& clock : e.group.clocks) EXPECT_TRUE(clock.bound);
    }
  }
}

TEST(EstimateJointPiecewise, PartsOfThePassMakeNoDifference) {
  const BentGroup group = SlewedGroup(3, 0);
  const JointEstimate whole = group.Estimate();
  const JointEstimate parts =
      group.Estimate({.parts = {group.EveryOf(0, 3), group.EveryOf(1, 3), group.EveryOf(2, 3)}});
  ASSERT_EQ(parts.components[0].knots, whole.components[0].knots);
  for (size_t i = 0; i < whole.group.clocks.size(); ++i) {
    EXPECT_EQ(parts.group.clocks[i].correction, whole.group.clocks[i].correction);
  }
}

TEST(EstimateJointPiecewise, TheOriginOfTimeMakesNoDifference) {
  const int64_t start = 1'800'000'000 * kSecond;
  const JointEstimate small = SlewedGroup(3, 0).Estimate();
  const JointEstimate large = SlewedGroup(3, start).Estimate();
  for (size_t i = 0; i < 3; ++i) {
    const auto a = small.group.clocks[i].correction.knots();
    const auto b = large.group.clocks[i].correction.knots();
    ASSERT_EQ(a.size(), b.size());
    for (size_t k = 0; k < a.size(); ++k) {
      EXPECT_LE(std::abs(a[k].local.ticks - (b[k].local.ticks - start)), 2);
      EXPECT_LE(std::abs(a[k].global.ns - (b[k].global.ns - start)), 2);
    }
  }
}

TEST(EstimateJointPiecewise, StraightClocksStayStraight) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    BentGroup group({Straight(0, 0), Straight(5 * kSecond, 40'000), Straight(-kSecond, -70'000)},
                    0);
    group.Talk(0, 1, 800, random);
    group.Talk(1, 2, 800, random);
    const JointEstimate e = group.Estimate();
    EXPECT_EQ(e.components[0].state, JointFinding::State::kJoint);
    for (const ClockEstimate& clock : e.group.clocks) {
      EXPECT_EQ(clock.correction.knots().size(), 2U);
    }
    EXPECT_EQ(group.Inversions(e), 0U);
    EXPECT_EQ(group.Outside(e), 0U);
  }
}

// All requests wait for the server, but not at the start and the end.
TEST(EstimateJointPiecewise, ClocksOfABusyServerStayStraight) {
  constexpr int kClients = 6;
  constexpr int64_t kMostWait = 5'000'000;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::vector<Ahead> clocks = {Straight(0, 0)};
    for (int64_t i = 1; i <= kClients; ++i) clocks.push_back(Straight(i * kSecond, i * 10'000));
    BentGroup group(std::move(clocks), 0);
    for (size_t client = 1; client <= kClients; ++client) {
      for (int64_t i = 0; i < 1000; ++i) {
        const int64_t at = i * (kLength / 1000) + static_cast<int64_t>(random() % 50'000'000);
        const int64_t wait =
            std::min({kMostWait, at / 400, std::max<int64_t>(0, kLength - at) / 400});
        const auto jitter = [&] { return static_cast<int64_t>(random() % 100'000); };
        group.Send(client, 0, at, 200'000 + wait + jitter());
        group.Send(0, client, at + 1'000'000 + wait, 200'000 + jitter());
      }
    }
    const JointEstimate e = group.Estimate();
    EXPECT_EQ(e.components[0].state, JointFinding::State::kJoint);
    EXPECT_EQ(group.Inversions(e), 0U);
    EXPECT_EQ(group.Outside(e), 0U);
    for (const ClockEstimate& clock : e.group.clocks) EXPECT_TRUE(clock.bound);
  }
}

TEST(EstimateJointPiecewise, AWanderingClockIsFollowedAndStaysWithinBounds) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    // ±2 ms over 30 s: rates of up to 419 ppm.
    const auto wandering = [](int64_t t) {
      const double turn = 2 * std::numbers::pi * static_cast<double>(t) / (30.0 * kSecond);
      return std::llround(2e6 * std::sin(turn));
    };
    BentGroup group({Straight(0, 0), wandering}, 0);
    group.Talk(0, 1, 3000, random);
    const JointEstimate e = group.Estimate();
    ASSERT_EQ(e.components[0].state, JointFinding::State::kPiecewise);
    EXPECT_GE(e.components[0].knots, 6U);
    EXPECT_EQ(group.Inversions(e), 0U);
    EXPECT_EQ(group.Outside(e), 0U);
    EXPECT_LT(group.LargestError(e), 500'000);  // a straight line: 2 ms
  }
}

TEST(EstimateJointPiecewise, AClockThatWasSteppedGetsNoFalseBound) {
  std::mt19937_64 random(1);
  const auto stepped = [](int64_t t) { return t < 30 * kSecond ? 0 : 50'000'000; };
  BentGroup group({Straight(0, 0), Straight(7, 30'000), stepped}, 0);
  group.Talk(0, 1, 1000, random);
  group.Talk(0, 2, 1000, random);
  const JointEstimate e = group.Estimate();
  EXPECT_EQ(group.Outside(e), 0U);
  EXPECT_NE(e.group.clocks[2].quality, Quality::kAccurate);
}

TEST(EstimateJointPiecewise, AClockThatOnlySendsStaysStraightBesideASlewedOne) {
  std::mt19937_64 random(1);
  BentGroup group({Straight(0, 0), Slewed(Straight(9, 10'000), 20 * kSecond, 5 * kSecond, 500),
                   Straight(kSecond, 20'000)},
                  0);
  group.Talk(0, 1, 2000, random);
  for (int64_t i = 0; i < 500; ++i) {
    group.Send(2, 0, i * 120'000'000, 200'000 + static_cast<int64_t>(random() % 100'000));
  }
  const JointEstimate e = group.Estimate({}, {.reference = ClockId(0)});
  ASSERT_EQ(e.components[0].state, JointFinding::State::kPiecewise);
  EXPECT_EQ(group.Inversions(e), 0U);
  EXPECT_EQ(group.Outside(e), 0U);
  EXPECT_EQ(e.group.clocks[2].correction.knots().size(), 2U);
  EXPECT_EQ(e.group.clocks[2].quality, Quality::kIncomplete);
  EXPECT_FALSE(e.group.clocks[2].bound);
}

}  // namespace
}  // namespace syncline
