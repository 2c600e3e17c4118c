#include "estimate/joint/joint_programme.h"

#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/times.h"
#include "estimate/joint/joint_paths.h"
#include "estimate/joint/joint_test_util.h"

namespace syncline {
namespace {

using ::testing::ElementsAre;

PairEstimate OneMessageEachWay(int64_t origin_a, int64_t origin_b) {
  PairPoints points;
  points.AddAToB(origin_a + 10 * kSecond, origin_b + 10 * kSecond + 700);
  points.AddBToA(origin_b + 20 * kSecond, origin_a + 20 * kSecond + 300);
  return EstimatePair(points, {.reading_b_ns = 8});
}

// Two clocks whose traces last 40 s; the guess says that b gains 1000 ns over its trace.
JointProblem TwoClocks(const PairEstimate& estimate, int64_t origin_a, int64_t origin_b) {
  JointProblem problem;
  problem.clocks = {0, 1};
  problem.parents = {0, 0};
  problem.anchors = {
      {{origin_a, origin_a}, {origin_a + 40 * kSecond, origin_a + 40 * kSecond}},
      {{origin_b, origin_a}, {origin_b + 40 * kSecond, origin_a + 40 * kSecond + 1000}}};
  problem.pairs = {{0, 1, &estimate}};
  problem.prior = PriorRange(200);
  return problem;
}

TEST(JointRows, MessageMustNotArriveBeforeItWasSent) {
  for (const auto& [origin_a, origin_b] :
       {std::pair<int64_t, int64_t>(0, 0), std::pair<int64_t, int64_t>(kEpoch, 12'345)}) {
    const PairEstimate estimate = OneMessageEachWay(origin_a, origin_b);
    const JointProblem problem = TwoClocks(estimate, origin_a, origin_b);
    const std::vector<JointRow> rows = MessageRows(problem, Readings::kAsLateAsPossible);
    ASSERT_EQ(rows.size(), 2u);
    // a → b, received at 10 s + 700 ns of b and up to 8 later, a quarter of its trace.
    EXPECT_NEAR(static_cast<double>(rows[0].constant_ns), 700 + 8 + 1000 / 4.0, 1e-4);
    EXPECT_NEAR(static_cast<double>(rows[0].later_weights[0]), 3 / 4.0, 1e-6);
    EXPECT_NEAR(static_cast<double>(rows[0].later_weights[1]), 1 / 4.0, 1e-6);
    // b → a, sent in the middle of b's trace.
    EXPECT_NEAR(static_cast<double>(rows[1].constant_ns), 300 - 1000 / 2.0, 1e-4);
    EXPECT_EQ(rows[1].earlier, 1u);
    // With b a microsecond later at both anchors: unknowns a0, a1, b0, b1.
    const std::vector<double> unknowns = {0, 0, 1, 1};
    EXPECT_NEAR(static_cast<double>(rows[0].SlackNs(unknowns)), 700 + 8 + 250 + 1000, 1e-4);
    EXPECT_NEAR(static_cast<double>(rows[1].SlackNs(unknowns)), 300 - 500 - 1000, 1e-4);
  }
}

TEST(JointRows, ReadingsAsTheyStandTakeTheReceiversLengthOff) {
  const PairEstimate estimate = OneMessageEachWay(0, 0);
  const JointProblem problem = TwoClocks(estimate, 0, 0);
  const std::vector<JointRow> rows = MessageRows(problem, Readings::kAsTheyStand);
  EXPECT_EQ(rows[0].later_ns, 10 * kSecond + 700);
  EXPECT_EQ(rows[1].later_ns, 20 * kSecond + 300);
}

TEST(JointRows, RatesStayWithinThePrior) {
  const PairEstimate estimate = OneMessageEachWay(0, 0);
  const JointProblem problem = TwoClocks(estimate, 0, 0);
  const std::vector<JointRow> rows = RateRows(problem);
  ASSERT_EQ(rows.size(), 2u);
  // rate(a) ≥ (1 − 200 ppm) · rate(b) over 40 s: 200 ppm are 8 ms, of which b's gain takes 1000 ns.
  EXPECT_NEAR(static_cast<double>(rows[0].constant_ns), 8e6 - 1000 * (1 - 200e-6), 1e-6);
  // rate(b) ≥ (1 − 200 ppm) · rate(a) as well.
  EXPECT_NEAR(static_cast<double>(rows[1].constant_ns), (8e6 + 1000) / (1 - 200e-6), 1e-6);
  // At the limit: b runs slower by 200 ppm, so 8 ms less over its trace.
  const std::vector<double> unknowns = {0, 0, 0, -8'000};
  EXPECT_NEAR(static_cast<double>(rows[1].SlackNs(unknowns)), 1000, 1);
}

TEST(JointPaths, FollowMessagesInTheirDirection) {
  PairPoints there, both;
  there.AddAToB(0, 10);
  both.AddAToB(0, 10);
  both.AddBToA(20, 30);
  const PairEstimate one_way = EstimatePair(there, {});
  const PairEstimate two_way = EstimatePair(both, {});
  JointProblem problem;
  problem.clocks = {0, 1, 2, 3, 4};
  // 0 ⇄ 1 → 2 → 0 is a circle; 3 only receives from 2, 4 only sends to 3.
  problem.pairs = {
      {0, 1, &two_way}, {1, 2, &one_way}, {2, 0, &one_way}, {2, 3, &one_way}, {4, 3, &one_way}};
  const JointPaths paths(problem);
  std::vector<bool> has_lower, has_upper;
  for (const size_t clock : problem.clocks) {
    has_lower.push_back(paths.HasLower(clock));
    has_upper.push_back(paths.HasUpper(clock));
  }
  EXPECT_THAT(has_lower, ElementsAre(true, true, true, true, false));
  EXPECT_THAT(has_upper, ElementsAre(true, true, true, false, false));
}

}  // namespace
}  // namespace syncline
