// Sweeps over simulated groups with known truth: what the methods promise holds in every run.
#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/random_cases.h"
#include "estimate/groups/tree_error.h"
#include "estimate/joint/joint.h"
#include "estimate/joint/sweep_test_util.h"

namespace syncline {
namespace {

using Weights = TreeOptions::Weights;
constexpr JointOptions kFromFirst{.reference = ClockId(0)};

// Every topology with symmetric and asymmetric delays: few clocks mostly, 8 in every fourth run.
SweepSetup SetupOf(uint64_t seed) {
  return {.seed = seed,
          .clocks = seed % 4 == 0 ? 8 : 2 + seed % 3,
          .topology = static_cast<Topology>(seed / 4 % 4),
          .delays = static_cast<SweepSetup::Delays>(seed / 16 % 2)};
}

GroupEstimate TreeOf(const SimulatedGroup& group, std::span<const PairInput> pairs, Weights by) {
  return EstimateTree(group.inputs(), pairs, {.reference = ClockId(0), .weights = by});
}

TEST(JointSweep, LinearClocksStayWithinBounds) {
  for (uint64_t seed = 1; seed <= RandomCases(200); ++seed) {
    SCOPED_TRACE(seed);
    const SimulatedGroup group(SetupOf(seed));
    const std::vector<PairInput> pairs = group.Pairs();
    const JointEstimate joint = EstimateJoint(group.inputs(), pairs, kFromFirst);
    ASSERT_EQ(joint.components[0].state, JointFinding::State::kJoint);
    EXPECT_EQ(group.Outside(joint.group), 0U);
    EXPECT_EQ(group.Inversions(joint.group), 0U);
    for (const Weights by : {Weights::kError, Weights::kHops}) {
      const GroupEstimate tree = TreeOf(group, pairs, by);
      EXPECT_EQ(group.Outside(tree), 0U);
      for (size_t i = 1; i < tree.clocks.size(); ++i) {
        ASSERT_EQ(joint.group.clocks[i].quality, Quality::kAccurate);
      }
    }
  }
}

// Coarse ticks and few messages leave little to round to.
TEST(JointSweep, FewMessagesOfCoarseTicksAreNotInverted) {
  struct Case {
    uint64_t seed;
    int messages;
    int64_t ticks_per_second;
  };
  for (const auto& [seed, messages, ticks] :
       {Case{233, 3, 3'276'800}, Case{1494, 3, 3'276'800}, Case{428, 4, 32'768}}) {
    SCOPED_TRACE(seed);
    SweepSetup setup = SetupOf(seed);
    setup.messages = messages;
    setup.ticks_per_second = ticks;
    const SimulatedGroup group(setup);
    EXPECT_EQ(group.Inversions(EstimateJoint(group.inputs(), group.Pairs(), kFromFirst).group), 0U);
  }
}

// The knots of their corrections lie outside the trace.
TEST(JointSweep, ClocksOfTracesShorterThanASecondStayWithinBounds) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    SweepSetup setup = SetupOf(seed);
    setup.length_s = 1;
    const SimulatedGroup group(setup);
    const JointEstimate joint = EstimateJoint(group.inputs(), group.Pairs(), kFromFirst);
    EXPECT_EQ(group.Outside(joint.group), 0U);
  }
}

TEST(JointSweep, ManyLinearClocksStayWithinBounds) {
  for (const auto& [clocks, topology] :
       {std::pair(RandomCases(64), Topology::kRing), std::pair(RandomCases(64), Topology::kSparse),
        std::pair(RandomCases(256), Topology::kStar)}) {
    SweepSetup setup = SetupOf(1);
    setup.clocks = clocks;
    setup.topology = topology;
    setup.messages = 10;
    const SimulatedGroup group(setup);
    const JointEstimate joint = EstimateJoint(group.inputs(), group.Pairs(), kFromFirst);
    ASSERT_EQ(joint.components[0].state, JointFinding::State::kJoint);
    EXPECT_EQ(group.Outside(joint.group), 0U);
    EXPECT_EQ(group.Inversions(joint.group), 0U);
  }
}

TEST(JointSweep, ClocksThatAreNotLinearGetNoBounds) {
  // More than messages leave open, which is two least delays of at most 200 µs and what jitter
  // adds.
  constexpr double kVisibleNs = 600'000;
  for (const Course course : {Course::kWandering, Course::kSlewing}) {
    for (uint64_t seed = 1; seed <= 16; ++seed) {
      SCOPED_TRACE(seed);
      SweepSetup setup = SetupOf(seed);
      setup.course = course;
      setup.detour_ns = kVisibleNs;
      setup.messages = 200;
      const SimulatedGroup group(setup);
      const JointEstimate joint = EstimateJoint(group.inputs(), group.Pairs(), kFromFirst);
      EXPECT_EQ(group.Outside(joint.group), 0U);
      for (size_t i = 1; i < setup.clocks; ++i) {
        EXPECT_NE(joint.group.clocks[i].quality, Quality::kAccurate);
      }
    }
  }
}

TEST(JointSweep, WhereNoLinesFitNothingIsClaimed) {
  // Of these detours some pairs show nothing: a tree over them claims bounds that miss the truth.
  size_t without_lines = 0, missed_by_trees = 0;
  for (const Course course : {Course::kWandering, Course::kSlewing}) {
    for (const double detour_ns : {100e3, 200e3, 300e3}) {
      for (uint64_t seed = 1; seed <= 16; ++seed) {
        SCOPED_TRACE(seed);
        SweepSetup setup = SetupOf(seed);
        setup.course = course;
        setup.detour_ns = detour_ns;
        setup.messages = 200;
        const SimulatedGroup group(setup);
        const JointEstimate joint = EstimateJoint(group.inputs(), group.Pairs(), kFromFirst);
        if (joint.components[0].state == JointFinding::State::kJoint) continue;
        ++without_lines;
        missed_by_trees += group.Outside(TreeOf(group, group.Pairs(), Weights::kError));
        for (size_t i = 1; i < setup.clocks; ++i) {
          EXPECT_FALSE(joint.group.clocks[i].bound.has_value());
        }
        EXPECT_EQ(group.Outside(joint.group), 0U);
      }
    }
  }
  EXPECT_GE(without_lines, 10U);
  EXPECT_GT(missed_by_trees, 0U);
}

TEST(JointSweep, ClocksThatWanderByLessThanAnyDelayStayWithinBounds) {
  for (const Course course : {Course::kWandering, Course::kSlewing}) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE(seed);
      SweepSetup setup = SetupOf(seed);
      setup.course = course;
      setup.detour_ns = 1'000;
      const SimulatedGroup group(setup);
      const JointEstimate joint = EstimateJoint(group.inputs(), group.Pairs(), kFromFirst);
      EXPECT_EQ(group.Outside(joint.group), 0U);
    }
  }
}

// What a group estimate says at the ends and in the middle of every trace, relative to the start.
std::vector<int64_t> Figures(const SimulatedGroup& group, const GroupEstimate& estimate) {
  std::vector<int64_t> figures;
  for (size_t i = 0; i < estimate.clocks.size(); ++i) {
    const ClockEstimate& clock = estimate.clocks[i];
    const LocalTime first = group.inputs()[i].first;
    const LocalTime last = group.inputs()[i].last;
    const LocalTime middle{first.ticks + (last.ticks - first.ticks) / 2};
    for (const LocalTime t : {first, middle, last}) {
      figures.push_back(clock.correction(t).ns - group.StartNs());
      figures.push_back(clock.bounds.Upper(t)->ns - group.StartNs());
      figures.push_back(clock.bounds.Lower(t)->ns - group.StartNs());
    }
  }
  return figures;
}

TEST(JointSweep, EpochSizeTimesOfAnyTickGiveTheFiguresOfSmallOnesToTheNanosecond) {
  for (const int64_t ticks_per_second :
       {int64_t{1'000}, int64_t{32'768}, int64_t{1'000'000}, int64_t{24'000'000},
        int64_t{1'000'000'000}, int64_t{3'000'000'000}}) {
    SCOPED_TRACE(ticks_per_second);
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(seed);
      SweepSetup setup = SetupOf(seed);
      setup.length_s = 6 * 3600;
      setup.ticks_per_second = ticks_per_second;
      const SimulatedGroup small(setup);
      setup.start_s = 1'800'000'000;
      const SimulatedGroup epoch(setup);
      for (const Weights by : {Weights::kError, Weights::kHops}) {
        EXPECT_EQ(Figures(small, TreeOf(small, small.Pairs(), by)),
                  Figures(epoch, TreeOf(epoch, epoch.Pairs(), by)));
      }
      const JointEstimate joint = EstimateJoint(small.inputs(), small.Pairs(), kFromFirst);
      const JointEstimate of_epoch = EstimateJoint(epoch.inputs(), epoch.Pairs(), kFromFirst);
      EXPECT_EQ(joint.components[0].state, JointFinding::State::kJoint);
      EXPECT_EQ(Figures(small, joint.group), Figures(epoch, of_epoch.group));
      EXPECT_EQ(small.Outside(joint.group), 0U);
    }
  }
}

}  // namespace
}  // namespace syncline
