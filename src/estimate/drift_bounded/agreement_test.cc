#include "estimate/drift_bounded/agreement.h"

#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/random_cases.h"
#include "estimate/drift_bounded/drift_bounded.h"
#include "estimate/groups/groups_test_util.h"

namespace syncline::drift_bounded {
namespace {

constexpr int64_t kOneMs = 1'000'000;

DriftBoundedEstimate EstimateOf(const BentClocks& clocks, double max_suspects = 0.005) {
  DriftBoundedOptions options;
  options.reference = ClockId(0);
  options.max_suspects = max_suspects;
  return EstimateDriftBounded(clocks.inputs(), clocks.Pairs(), clocks.Messages(), options).value();
}

// Perfect clocks, of which one is ahead between two moments.
BentClocks OneAhead(size_t clocks, size_t which, int64_t ahead, int64_t from, int64_t to,
                    int64_t length) {
  const auto keeps = [](int64_t t) { return t; };
  std::vector<BentClocks::Reading> all(clocks, keeps);
  all[which] = [=](int64_t t) { return t + (from <= t && t < to ? ahead : 0); };
  return BentClocks(std::move(all), length);
}

// True times of messages' ends that lie outside of what is claimed.
class OutsideOfBounds {
 public:
  explicit OutsideOfBounds(const GroupEstimate& group) : group_(group) {}
  void Look(size_t clock, int64_t reading, int64_t true_ns) {
    const TimeBounds& bounds = group_.clocks[clock].bounds;
    const std::optional<GlobalTime> lower = bounds.Lower(LocalTime{reading});
    const std::optional<GlobalTime> upper = bounds.Upper(LocalTime{reading});
    outside_ += (lower && lower->ns > true_ns) || (upper && upper->ns < true_ns) ? 1 : 0;
  }
  size_t outside() const { return outside_; }

 private:
  const GroupEstimate& group_;
  size_t outside_ = 0;
};

// Messages each 10 ms between any two of eight clocks, so that a pair has one way one in half a
// second. Two in a row to different peers, or from them, are sent while clock 1 is 1 or 2 ms off.
struct SparseMesh {
  explicit SparseMesh(uint64_t seed) : random(seed) {
    const int64_t size = kOneMs * (1 + Draw(2));
    ahead = Draw(2) == 0 ? size : -size;
    const int64_t set = kLength / 2;
    clocks = OneAhead(8, 1, ahead, set, set + 20 * kOneMs, kLength);
    for (int64_t at = 10 * kOneMs; at < kLength - 10 * kOneMs; at += 10 * kOneMs) {
      size_t from = Draw(8), to = (from + 1 + Draw(7)) % 8;
      const bool is_off = set <= at && at < set + 20 * kOneMs;
      if (is_off) {
        const size_t peer = 2 + Draw(3) + (at > set ? 3 : 0);
        from = ahead > 0 ? 1 : peer;
        to = ahead > 0 ? peer : 1;
      }
      sent.push_back(at + 4 * kOneMs);
      received.push_back(sent.back() + 50'000 + Draw(200'000));
      clocks.Send(from, to, sent.back(), received.back() - sent.back());
    }
  }
  int64_t Draw(uint64_t n) { return static_cast<int64_t>(random() % n); }

  static constexpr int64_t kLength = 8'000 * kOneMs;
  std::mt19937_64 random;
  int64_t ahead = 0;
  BentClocks clocks{{}, 0};
  std::vector<int64_t> sent, received;  // by message, true times
};

TEST(FindAgreement, NoBoundIsFalseOfAClockThatWasOffForTwoMessagesToDifferentPeers) {
  size_t found = 0;
  for (uint64_t seed = 1; seed <= RandomCases(40); ++seed) {
    SCOPED_TRACE(seed);
    const SparseMesh mesh(seed);
    const DriftBoundedEstimate estimate = EstimateOf(mesh.clocks);
    // Else rates are said to have been higher, which is another assumption.
    if (!estimate.raised.empty()) continue;
    OutsideOfBounds outside(estimate.group);
    for (size_t i = 0; i < mesh.sent.size(); ++i) {
      const RecordedMessage& m = mesh.clocks.messages()[i];
      outside.Look(m.from.index(), m.send_ns, mesh.sent[i]);
      outside.Look(m.to.index(), m.receive_ns, mesh.received[i]);
    }
    EXPECT_EQ(outside.outside(), 0u);
    EXPECT_TRUE(estimate.suspects.empty());
    found += estimate.group.steps.size() == 2 ? 1 : 0;
  }
  EXPECT_GE(found, RandomCases(30));
}

// Three clocks of which each two exchange messages each 20 ms; clock 1 then sends two more, one to
// each of the others, that arrive early by so much.
BentClocks WithEarlyOnes(int64_t first_early, int64_t second_early, bool has_right_between) {
  BentClocks clocks = OneAhead(3, 1, 0, 0, 0, 20'000 * kOneMs);
  for (int64_t at = 20 * kOneMs; at < 19'980 * kOneMs; at += 20 * kOneMs) {
    clocks.Exchange(0, 1, at, 50'000, 50'000);
    clocks.Exchange(1, 2, at + kOneMs, 50'000, 50'000);
    clocks.Exchange(0, 2, at + 2 * kOneMs, 50'000, 50'000);
  }
  const int64_t at = 10'015 * kOneMs;
  clocks.Send(1, 0, at, -first_early);
  if (has_right_between) clocks.Send(1, 0, at + kOneMs, 50'000);
  clocks.Send(1, 2, at + 2 * kOneMs, -second_early);
  return clocks;
}

TEST(FindAgreement, OfTwoPairsThatMissTheirOffsetsAlike) {
  const DriftBoundedEstimate estimate = EstimateOf(WithEarlyOnes(5'000'000, 5'200'000, false), 0);
  EXPECT_TRUE(estimate.suspects.empty());
  EXPECT_EQ(estimate.components[0].state, DriftBoundedFinding::State::kBounded);
  ASSERT_EQ(estimate.group.steps.size(), 2u);
  for (const ClockJump& step : estimate.group.steps) EXPECT_EQ(step.clock, ClockId(1));
}

TEST(FindAgreement, NotWhereTheyMissThemDifferently) {
  const DriftBoundedEstimate estimate = EstimateOf(WithEarlyOnes(5'000'000, 9'000'000, false));
  EXPECT_EQ(estimate.suspects.size(), 2u);
  EXPECT_TRUE(estimate.group.steps.empty());
}

// What the clock sends in between contradicts that it was ahead.
TEST(FindAgreement, NotWithARightMessageBetweenThem) {
  const DriftBoundedEstimate estimate = EstimateOf(WithEarlyOnes(5'000'000, 5'000'000, true));
  EXPECT_EQ(estimate.suspects.size(), 2u);
  EXPECT_TRUE(estimate.group.steps.empty());
}

}  // namespace
}  // namespace syncline::drift_bounded
