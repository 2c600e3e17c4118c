#include "estimate/joint/joint_limits.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "estimate/joint/joint_test_util.h"

namespace syncline {
namespace {

// Clock b is set to the time of a. In the middle of the second that both last, a message a → b
// takes 10 µs and one b → a takes 20 µs: b may be set from 10 µs behind to 20 µs ahead.
class WithinLimitsTest : public testing::Test {
 protected:
  WithinLimitsTest() {
    points_.AddAToB(kSecond / 2, kSecond / 2 + 10'000);
    points_.AddBToA(kSecond / 2, kSecond / 2 + 20'000);
  }

  // By how much b's time at both ends of its trace has moved.
  std::vector<int64_t> MovesOfB(double max_drift_ppm, const std::vector<TimeLimit>& limits) const {
    const PairEstimate estimate = EstimatePair(points_, {.max_drift_ppm = max_drift_ppm});
    JointProblem problem;
    problem.clocks = {0, 1};
    problem.parents = {0, 0};
    problem.anchors = {{{0, 0}, {kSecond, kSecond}}, {{0, 0}, {kSecond, kSecond}}};
    problem.readings_ns = {0, 0};
    problem.pairs = {{0, 1, &estimate}};
    problem.prior = PriorRange(max_drift_ppm);
    const std::vector<Anchors> lines = WithinLimits(problem, limits);
    EXPECT_EQ(lines[0].first.y, 0);
    EXPECT_EQ(lines[0].last.y, kSecond);
    return {lines[1].first.y, lines[1].last.y - kSecond};
  }

 private:
  PairPoints points_;
};

using Moves = std::vector<int64_t>;

TEST_F(WithinLimitsTest, LeavesLinesWhereTheyAreWithin) {
  EXPECT_EQ(MovesOfB(200, {{1, 0, -5'000, 0}, {1, kSecond, kSecond, kSecond + 5'000}}),
            Moves({0, 0}));
  EXPECT_EQ(MovesOfB(200, {}), Moves({0, 0}));
}

TEST_F(WithinLimitsTest, MovesAWholeLineAsFarAsNeeded) {
  EXPECT_EQ(MovesOfB(200, {{1, kSecond, kSecond - 9'000, kSecond - 4'000}}),
            Moves({-4'000, -4'000}));
  EXPECT_EQ(MovesOfB(200, {{1, 0, 7'000, 9'000}}), Moves({7'000, 7'000}));
}

TEST_F(WithinLimitsTest, TurnsALineWhereBothEndsCannotMoveTogether) {
  const std::vector<TimeLimit> limits = {{1, 0, 7'000, 9'000},
                                         {1, kSecond, kSecond - 1'000, kSecond + 1'000}};
  // The first end 7 µs at least, the last 1 µs at most: a turn of (7 − 1) / 2 µs.
  EXPECT_EQ(MovesOfB(200, limits), Moves({7'000, 1'000}));
  // Rates are equal: one of the limits cannot be kept.
  const Moves equal_rates = MovesOfB(0, limits);
  EXPECT_EQ(equal_rates[0], equal_rates[1]);
}

TEST_F(WithinLimitsTest, KeepsToMessagesRatherThanLimits) {
  // 1 ns less than 10 µs.
  EXPECT_EQ(MovesOfB(0, {{1, 0, -30'000, -15'000}}), Moves({-9'999, -9'999}));
}

}  // namespace
}  // namespace syncline
