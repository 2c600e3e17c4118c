#include "live/exchange/peer_bounds.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/int128.h"
#include "base/testing/times.h"

namespace syncline {
namespace {

constexpr int64_t kBillion = 1'000'000'000;
using Direction = PeerMessage::Direction;

// The definition: all paths in the graph of the messages. Nodes: 0 is zero of the peer's time, the
// others are own readings z, worth c(z). Weights: lower bounds of differences, in 10^-9 ns.
class Graph {
 public:
  Graph(const std::vector<PeerMessage>& messages, int64_t own_ns, int64_t max_drift_ppb)
      : origin_(messages.front().peer_ns) {
    std::vector<int64_t> readings;
    for (const PeerMessage& m : messages) readings.push_back(m.own_ns);
    readings.push_back(own_ns);
    const size_t n = readings.size() + 1;
    longest_.assign(n, std::vector<Int128>(n, kNone));
    for (size_t i = 0; i < n; ++i) longest_[i][i] = 0;
    const auto require = [&](size_t from, size_t to, Int128 weight) {
      longest_[from][to] = std::max(longest_[from][to], weight);
    };
    for (size_t i = 0; i < readings.size(); ++i) {
      for (size_t j = 0; j < readings.size(); ++j) {
        const Int128 span = static_cast<Int128>(readings[j]) - readings[i];
        if (span < 0 || i == j) continue;
        require(i + 1, j + 1, (kBillion - max_drift_ppb) * span);
        require(j + 1, i + 1, -(kBillion + max_drift_ppb) * span);
      }
    }
    for (size_t i = 0; i < messages.size(); ++i) {
      const Int128 peer = (static_cast<Int128>(messages[i].peer_ns) - origin_) * kBillion;
      if (messages[i].direction == Direction::kToPeer) {
        require(i + 1, 0, -peer);
      } else {
        require(0, i + 1, peer);
      }
    }
    FindLongest();
  }

  bool HasPositiveCycle() const {
    for (size_t i = 0; i < longest_.size(); ++i) {
      if (longest_[i][i] > 0) return true;
    }
    return false;
  }
  // Of the reading that was asked for (the last node), or of any message's.
  std::optional<int64_t> Lower(size_t node) const {
    if (longest_[0][node] <= kNone / 2) return std::nullopt;
    return Saturate(origin_ + FloorDiv(longest_[0][node], kBillion));
  }
  std::optional<int64_t> Upper(size_t node) const {
    if (longest_[node][0] <= kNone / 2) return std::nullopt;
    return Saturate(origin_ + CeilDiv(-longest_[node][0], kBillion));
  }
  size_t last() const { return longest_.size() - 1; }

 private:
  static constexpr Int128 kNone = -(static_cast<Int128>(1) << 120);

  void FindLongest() {
    const size_t n = longest_.size();
    for (size_t k = 0; k < n; ++k) {
      for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) {
          if (longest_[i][k] <= kNone / 2 || longest_[k][j] <= kNone / 2) continue;
          // Positive cycles double with each node; there are few nodes.
          longest_[i][j] =
              std::min(std::max(longest_[i][j], longest_[i][k] + longest_[k][j]), -kNone / 4);
        }
      }
    }
  }

  int64_t origin_;
  std::vector<std::vector<Int128>> longest_;
};

// A peer's clock whose rate is at the limits: always at one of them, or walking between them.
class LimitClock {
 public:
  enum class Habit { kAlternating, kWalking, kSteady };
  LimitClock(Habit habit, int64_t max_drift_ppb, uint64_t seed)
      : habit_(habit), most_(max_drift_ppb), random_(seed), drift_(max_drift_ppb) {
    own_ns_ = kRoundEpoch;
    parts_ = static_cast<Int128>(kRoundEpoch + Uniform(-5 * kBillion, 5 * kBillion)) * kBillion;
  }
  // Lets own time pass; some of it at each of several rates.
  void Pass(int64_t ns) {
    while (ns > 0) {
      const int64_t step = std::min(ns, Uniform(1, 300'000));
      parts_ += static_cast<Int128>(step) * (kBillion + drift_);
      own_ns_ += step;
      ns -= step;
      if (habit_ == Habit::kAlternating && Uniform(0, 3) == 0) drift_ = -drift_;
      if (habit_ == Habit::kWalking) {
        drift_ = std::clamp(drift_ + Uniform(-most_ / 4, most_ / 4), -most_, most_);
      }
    }
  }
  int64_t own_ns() const { return own_ns_; }
  int64_t Shown() const { return static_cast<int64_t>(FloorDiv(parts_, kBillion)); }
  int64_t ShownLater() const { return static_cast<int64_t>(CeilDiv(parts_, kBillion)); }
  int64_t Uniform(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random_);
  }

 private:
  Habit habit_;
  int64_t most_;
  std::mt19937_64 random_;
  int64_t drift_;
  int64_t own_ns_ = 0;
  Int128 parts_ = 0;  // of the peer's time, 10^-9 ns
};

// Any delays, from none to far above what rates change in the meantime. What the peer shows on
// arrival is rounded up, on departure down: the messages hold exactly.
PeerMessage AnyMessage(LimitClock& clock) {
  const auto delay = [&] { return clock.Uniform(0, 3) == 0 ? 0 : clock.Uniform(0, 2'000'000); };
  clock.Pass(clock.Uniform(0, 1) == 0 ? 10 : clock.Uniform(10, 20'000'000));
  if (clock.Uniform(0, 1) == 0) {
    PeerMessage m = {.direction = Direction::kToPeer, .own_ns = clock.own_ns()};
    clock.Pass(delay());
    m.peer_ns = clock.ShownLater();
    return m;
  }
  PeerMessage m = {.direction = Direction::kFromPeer, .peer_ns = clock.Shown()};
  clock.Pass(delay());
  m.own_ns = clock.own_ns();
  return m;
}

TEST(PeerBounds, WidenByTheLimitUntilTheNextMessage) {
  PeerBounds bounds(200'000);  // 200 ppm
  EXPECT_FALSE(bounds.Lower(kRoundEpoch).has_value());
  // The peer is 1 s ahead; 30 there, 10 back.
  const ClockExchange e = {.t1_ns = kRoundEpoch,
                           .t2_ns = kRoundEpoch + 30 + kBillion,
                           .t3_ns = kRoundEpoch + 30 + kBillion,
                           .t4_ns = kRoundEpoch + 40};
  bounds.Add(QuestionOf(e));
  EXPECT_FALSE(bounds.Lower(kRoundEpoch).has_value());
  EXPECT_EQ(bounds.Upper(kRoundEpoch), kRoundEpoch + kBillion + 30);
  bounds.Add(AnswerOf(e));
  // 40 ns by 200 ppm are 0.008 ns, outwards 1.
  EXPECT_EQ(bounds.Upper(kRoundEpoch + 40), kRoundEpoch + kBillion + 30 + 40 + 1);
  EXPECT_EQ(bounds.Lower(kRoundEpoch + 40), kRoundEpoch + kBillion + 30);
  // 5 s by 200 ppm are 1 ms, to either side.
  const int64_t later = kRoundEpoch + 5 * kBillion;
  EXPECT_EQ(bounds.Upper(later), later + kBillion + 30 + 1'000'000);
  EXPECT_EQ(bounds.Lower(later + 40), later + 40 + kBillion - 10 - 1'000'000);
}

TEST(PeerBounds, SeeTheFirstMomentFromLater) {
  PeerBounds bounds(100'000'000);  // a tenth
  bounds.Add({Direction::kToPeer, 1000, 1500, 0, 0});
  bounds.Add({Direction::kFromPeer, 2000, 2100, 0, 0});
  bounds.Add({Direction::kToPeer, 3000, 3050, 0, 0});
  EXPECT_EQ(bounds.start_ns(), 1000);
  // At 1000: what is at most 3050 after 2000 at nine tenths was at most 1250 then; and what is at
  // least 2100 after 1000 at eleven tenths, at least 1000.
  EXPECT_EQ(bounds.UpperAtStart(), 3050 - 1800);
  EXPECT_EQ(bounds.LowerAtStart(), 2100 - 1100);
}

TEST(PeerBounds, AreTheLongestPathsOfAllMessages) {
  for (const auto habit :
       {LimitClock::Habit::kAlternating, LimitClock::Habit::kWalking, LimitClock::Habit::kSteady}) {
    for (uint64_t seed = 1; seed <= 15; ++seed) {
      SCOPED_TRACE(seed);
      const int64_t max_drift_ppb = seed % 3 == 0 ? 100'000'000 : 200'000;
      LimitClock clock(habit, max_drift_ppb, seed);
      PeerBounds bounds(max_drift_ppb);
      std::vector<PeerMessage> messages;
      for (int i = 0; i < 14; ++i) {
        const PeerMessage m = AnyMessage(clock);
        ASSERT_FALSE(bounds.ContradictionOf(m).has_value());
        bounds.Add(m);
        messages.push_back(m);
        const int64_t now = m.own_ns + clock.Uniform(0, 3'000'000);
        const Graph graph(messages, now, max_drift_ppb);
        ASSERT_FALSE(graph.HasPositiveCycle());
        EXPECT_EQ(bounds.Lower(now), graph.Lower(graph.last()));
        EXPECT_EQ(bounds.Upper(now), graph.Upper(graph.last()));
        EXPECT_EQ(bounds.LowerAtStart(), graph.Lower(1));
        EXPECT_EQ(bounds.UpperAtStart(), graph.Upper(1));
      }
    }
  }
}

TEST(PeerBounds, HoldTheTruthOfAnyClockWithinTheLimit) {
  for (const auto habit :
       {LimitClock::Habit::kAlternating, LimitClock::Habit::kWalking, LimitClock::Habit::kSteady}) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE(seed);
      const int64_t max_drift_ppb = seed % 3 == 0 ? 100'000'000 : 200'000;
      LimitClock clock(habit, max_drift_ppb, seed);
      PeerBounds bounds(max_drift_ppb);
      for (int i = 0; i < 500; ++i) {
        const PeerMessage m = AnyMessage(clock);
        ASSERT_FALSE(bounds.ContradictionOf(m).has_value());
        bounds.Add(m);
        clock.Pass(clock.Uniform(0, 1'000'000));
        const auto lower = bounds.Lower(clock.own_ns());
        const auto upper = bounds.Upper(clock.own_ns());
        EXPECT_TRUE(!lower || *lower <= clock.Shown());
        EXPECT_TRUE(!upper || *upper >= clock.ShownLater());
      }
    }
  }
}

// L and U at all readings are themselves clocks of the model that all messages fit.
TEST(PeerBounds, AreAttained) {
  const int64_t max_drift_ppb = 100'000'000;
  LimitClock clock(LimitClock::Habit::kWalking, max_drift_ppb, 7);
  PeerBounds bounds(max_drift_ppb);
  std::vector<PeerMessage> messages;
  for (int i = 0; i < 40; ++i) {
    messages.push_back(AnyMessage(clock));
    bounds.Add(messages.back());
  }
  const Graph graph(messages, messages.back().own_ns, max_drift_ppb);
  EXPECT_EQ(bounds.Lower(messages.back().own_ns), graph.Lower(messages.size()));
  EXPECT_EQ(bounds.Upper(messages.back().own_ns), graph.Upper(messages.size()));
  for (size_t i = 0; i < messages.size(); ++i) {
    const PeerMessage& m = messages[i];
    for (const int64_t shown : {*graph.Lower(i + 1), *graph.Upper(i + 1)}) {
      EXPECT_TRUE(m.direction == Direction::kToPeer ? shown <= m.peer_ns : shown >= m.peer_ns);
    }
    if (i == 0) continue;
    const int64_t own = m.own_ns - messages[i - 1].own_ns;
    for (const int64_t counted :
         {*graph.Lower(i + 1) - *graph.Lower(i), *graph.Upper(i + 1) - *graph.Upper(i)}) {
      EXPECT_LE(std::abs(counted - own), own / 10 + 2);  // two are rounded
    }
  }
}

TEST(PeerBounds, AreContradictedExactlyByPositiveCycles) {
  int contradictions = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    // Slewing by up to four times what is allowed.
    LimitClock clock(LimitClock::Habit::kWalking, 200'000'000, seed);
    const int64_t max_drift_ppb = 50'000'000;
    PeerBounds bounds(max_drift_ppb);
    std::vector<PeerMessage> messages;
    for (int i = 0; i < 14; ++i) {
      const PeerMessage m = AnyMessage(clock);
      messages.push_back(m);
      const bool is_contradicted = Graph(messages, m.own_ns, max_drift_ppb).HasPositiveCycle();
      const auto found = bounds.ContradictionOf(m);
      ASSERT_EQ(found.has_value(), is_contradicted);
      if (found) {
        EXPECT_EQ(found->kind, Contradiction::Kind::kTooFast);
        EXPECT_GT(std::abs(found->drift_ppm), 50'000);
        EXPECT_LE(std::abs(found->drift_ppm), 200'000 + 1);
        ++contradictions;
        messages = {m};
        bounds = PeerBounds(max_drift_ppb);
      }
      bounds.Add(m);
    }
  }
  EXPECT_GT(contradictions, 100);
}

TEST(PeerBounds, KnowReadingsThatGoBackwards) {
  PeerBounds bounds(200'000);
  const ClockExchange e = {.t1_ns = 5000, .t2_ns = 7000, .t3_ns = 7100, .t4_ns = 5500};
  bounds.Add(QuestionOf(e));
  bounds.Add(AnswerOf(e));
  const auto own = bounds.ContradictionOf(
      QuestionOf({.t1_ns = 4000, .t2_ns = 7300, .t3_ns = 7400, .t4_ns = 4500}));
  ASSERT_TRUE(own.has_value());
  EXPECT_EQ(own->kind, Contradiction::Kind::kOwnSetBack);
  EXPECT_EQ(own->change_low_ns, 5500 - 4000);
  const auto peer = bounds.ContradictionOf(
      QuestionOf({.t1_ns = 6000, .t2_ns = 7000, .t3_ns = 7050, .t4_ns = 6500}));
  ASSERT_TRUE(peer.has_value());
  EXPECT_EQ(peer->kind, Contradiction::Kind::kPeerSetBack);
  EXPECT_EQ(peer->change_high_ns, 7000 - 7100);
  EXPECT_EQ(peer->from_ns, 5000);
  EXPECT_EQ(peer->to_ns, 6500);
}

TEST(PeerBounds, SayTheRateThatWouldExplainIt) {
  PeerBounds bounds(200'000);
  bounds.Add(
      QuestionOf({.t1_ns = kRoundEpoch, .t2_ns = kRoundEpoch + 100, .t4_ns = kRoundEpoch + 200}));
  // 600 µs more within 1 s.
  const auto found =
      bounds.ContradictionOf(AnswerOf({.t1_ns = kRoundEpoch + kBillion - 500,
                                       .t3_ns = kRoundEpoch + 100 + kBillion + 600'000,
                                       .t4_ns = kRoundEpoch + kBillion}));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->kind, Contradiction::Kind::kTooFast);
  EXPECT_NEAR(found->drift_ppm, 600, 1e-9);
  EXPECT_EQ(found->from_ns, kRoundEpoch);
  EXPECT_EQ(found->to_ns, kRoundEpoch + kBillion);
}

}  // namespace
}  // namespace syncline
