#include "estimate/groups/broadcast.h"

#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "estimate/groups/groups_test_util.h"

namespace syncline {
namespace {

// Clocks 0 to 2 receive broadcasts, clock 3 sends them and hears none.
class BroadcastGroup : public testing::Test {
 protected:
  void Receive(int count) {
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<int64_t>(random_() % (60 * kSecond));
      TimedBroadcast broadcast;
      for (uint32_t clock = 0; clock < 3; ++clock) {
        const int64_t late = at + static_cast<int64_t>(delay_(random_));
        broadcast.push_back({ClockId(clock), {clocks_.Truth(clock).Nearest(late)}});
      }
      broadcasts_.push_back(broadcast);
    }
  }
  BroadcastEstimate Estimate() const {
    return EstimateBroadcast(clocks_.inputs(), clocks_.Pairs(), broadcasts_,
                             {.reference = ClockId(0)});
  }
  double Error(const GroupEstimate& group, size_t clock, int64_t t) const {
    const LocalTime local{clocks_.Truth(clock).Nearest(t)};
    return static_cast<double>(group.clocks[clock].correction(local).ns - t);
  }

  std::mt19937_64 random_{5};
  std::exponential_distribution<double> delay_{1.0 / 2'000};
  ClockGroup clocks_{{{}, {kSecond, 30'000}, {-kSecond, -10'000}, {7 * kSecond, 5'000}}};
  std::vector<TimedBroadcast> broadcasts_;
};

TEST_F(BroadcastGroup, ClocksWithoutMessagesAreSetButNotBounded) {
  Receive(300);
  const BroadcastEstimate estimate = Estimate();
  ASSERT_EQ(estimate.findings.size(), 1u);
  EXPECT_TRUE(estimate.findings[0].is_solved);
  EXPECT_EQ(estimate.findings[0].clocks.size(), 3u);
  EXPECT_EQ(estimate.findings[0].used, 300u);
  for (size_t i = 1; i < 3; ++i) {
    const ClockEstimate& clock = estimate.group.clocks[i];
    EXPECT_EQ(clock.component, 0u);
    EXPECT_EQ(clock.quality, Quality::kApproximate);
    EXPECT_NE(clock.reason, "");
    EXPECT_FALSE(clock.bound.has_value());
    for (int64_t s = 0; s <= 60; s += 10)
      EXPECT_NEAR(Error(estimate.group, i, s * kSecond), 0, 800);
  }
  EXPECT_EQ(estimate.group.clocks[3].quality, Quality::kAbsent);
}

TEST_F(BroadcastGroup, MessagesPlaceASenderThatHearsNoBroadcastAndBoundAll) {
  Receive(300);
  for (const size_t a : {0, 1, 2}) {
    clocks_.Stream(a, 3, 200, 100'000, random_);
    clocks_.Stream(3, a, 200, 400'000, random_);
  }
  const GroupEstimate group = Estimate().group;
  ASSERT_EQ(group.roots.size(), 1u);
  for (size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(group.clocks[i].quality, Quality::kAccurate);
    ASSERT_TRUE(group.clocks[i].bound.has_value());
    for (int64_t s = 0; s <= 60; s += 10) {
      const double error = Error(group, i, s * kSecond);
      EXPECT_LE(std::abs(error), static_cast<double>(group.clocks[i].bound->worst_ns));
      // Broadcasts say where 1 and 2 are; messages set 3 wrong by half of the asymmetry.
      EXPECT_NEAR(error, 0, i < 3 ? 800 : (400'000 - 100'000) / 2.0 + 20'000);
    }
  }
}

TEST_F(BroadcastGroup, TakesTheFirstReceptionOfEachClock) {
  Receive(50);
  for (TimedBroadcast& broadcast : broadcasts_) {
    broadcast.push_back({ClockId(1), {broadcast[1].time.ticks + 1'000'000}});
  }
  const GroupEstimate group = Estimate().group;
  EXPECT_NEAR(Error(group, 1, 30 * kSecond), 0, 2'000);
}

TEST_F(BroadcastGroup, WithoutComparableBroadcastsMessagesPlaceAll) {
  broadcasts_.push_back({{ClockId(2), {5}}, {ClockId(2), {6}}});  // one clock alone
  clocks_.Stream(0, 1, 200, 100'000, random_);
  clocks_.Stream(1, 0, 200, 100'000, random_);
  const BroadcastEstimate estimate = Estimate();
  EXPECT_TRUE(estimate.findings.empty());
  EXPECT_EQ(estimate.group.clocks[1].quality, Quality::kAccurate);
  EXPECT_NEAR(Error(estimate.group, 1, 30 * kSecond), 0, 20'000);
  EXPECT_EQ(estimate.group.clocks[2].quality, Quality::kAbsent);
}

}  // namespace
}  // namespace syncline
