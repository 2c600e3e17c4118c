#include "estimate/joint.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "estimate/joint_test_util.h"
#include "estimate/tree_error.h"

namespace syncline {
namespace {

std::vector<TrueClock> RandomClocks(size_t count, std::mt19937_64& random) {
  std::uniform_int_distribution<int64_t> offset(-2 * kSecond, 2 * kSecond);
  std::uniform_int_distribution<int64_t> drift_ppb(-90'000, 90'000);
  std::vector<TrueClock> clocks = {{}};  // the first keeps true time
  while (clocks.size() < count) clocks.push_back({offset(random), drift_ppb(random)});
  return clocks;
}

// 2 to 6 clocks along a random tree with a few more pairs, from one message a direction on.
ClockGroup RandomGroup(uint64_t seed) {
  std::mt19937_64 random(seed);
  const size_t count = 2 + random() % 5;
  ClockGroup group(RandomClocks(count, random));
  const auto talk = [&](size_t a, size_t b) {
    group.Stream(a, b, 1 + static_cast<int>(random() % 40), 1000 + static_cast<int64_t>(random() % 500'000), random);
    group.Stream(b, a, 1 + static_cast<int>(random() % 40), 1000 + static_cast<int64_t>(random() % 500'000), random);
  };
  for (size_t b = 1; b < count; ++b) talk(random() % b, b);
  for (size_t i = random() % 4; i > 0; --i) {
    const size_t a = random() % count;
    const size_t b = random() % count;
    if (a != b) talk(a, b);
  }
  return group;
}

int64_t WidthAt(const ClockEstimate& clock, LocalTime t) {
  return clock.bounds.Upper(t)->ns - clock.bounds.Lower(t)->ns;
}

void ExpectTruthWithin(const ClockGroup& group, const GroupEstimate& estimate) {
  for (const ClockMessage& m : group.messages()) {
    for (const auto& [clock, t] : {std::pair(m.from, m.send_ns), std::pair(m.to, m.receive_ns)}) {
      const ClockEstimate& e = estimate.clocks[clock];
      const Line to_true = group.Truth(clock).Inverted();
      ASSERT_LE(e.bounds.Lower({t})->ns, to_true.Floor(t));
      ASSERT_GE(e.bounds.Upper({t})->ns, to_true.Ceil(t));
    }
  }
}

TEST(EstimateJoint, RandomLinearClocksStayWithinBoundsTighterThanTheTrees) {
  for (uint64_t seed = 1; seed <= 250; ++seed) {
    SCOPED_TRACE(seed);
    const ClockGroup group = RandomGroup(seed);
    const std::vector<PairInput> pairs = group.Pairs();
    const JointEstimate joint = EstimateJoint(group.inputs(), pairs, {.reference = ClockId(0)});
    const GroupEstimate tree = EstimateTree(group.inputs(), pairs, {.reference = ClockId(0)});
    ASSERT_EQ(joint.components.size(), 1u);
    ASSERT_EQ(joint.components[0].state, JointFinding::State::kJoint);
    EXPECT_EQ(joint.components[0].violated, 0u);
    EXPECT_EQ(group.Inversions(joint.group), 0u);
    ExpectTruthWithin(group, joint.group);
    for (size_t i = 1; i < group.size(); ++i) {
      const ClockEstimate& clock = joint.group.clocks[i];
      ASSERT_EQ(clock.quality, Quality::kAccurate);
      for (const LocalTime t : {group.inputs()[i].first, group.inputs()[i].last}) {
        EXPECT_LE(WidthAt(clock, t), WidthAt(tree.clocks[i], t));
      }
      EXPECT_LE(clock.bound->worst_ns, tree.clocks[i].bound->worst_ns);
    }
  }
}

}  // namespace
}  // namespace syncline
