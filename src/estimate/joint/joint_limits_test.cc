#include "estimate/joint/joint_limits.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "estimate/joint/joint_test_util.h"

namespace syncline {
namespace {

// Clock b is set to the time of a. In the middle of the second that both last, a message a → b
// takes 10 µs and one b → a takes 20 µs: b may be set from 10 µs behind to 20 µs ahead.
class WithinDistanceTest : public testing::Test {
 protected:
  WithinDistanceTest() {
    points_.AddAToB(kSecond / 2, kSecond / 2 + 10'000);
    points_.AddBToA(kSecond / 2, kSecond / 2 + 20'000);
  }

  // By how much b's time at both ends of its trace has moved.
  std::vector<int64_t> MovesOfB(double max_drift_ppm, const std::vector<BoundedTime>& times,
                                int64_t distance_ns) const {
    PairEstimate estimate = EstimatePair(points_, {.max_drift_ppm = max_drift_ppm});
    estimate.drift_error = drift_error_;
    JointProblem problem;
    problem.clocks = {0, 1};
    problem.parents = {0, 0};
    problem.anchors = {{{0, 0}, {kSecond, kSecond}}, {{0, 0}, {kSecond, kSecond}}};
    problem.readings_ns = {0, 0};
    problem.pairs = {{0, 1, &estimate}};
    problem.prior = PriorRange(max_drift_ppm);
    const std::vector<Anchors> lines = WithinDistance(problem, times, distance_ns);
    EXPECT_EQ(lines[0].first.y, 0);
    EXPECT_EQ(lines[0].last.y, kSecond);
    return {lines[1].first.y, lines[1].last.y - kSecond};
  }

  double drift_error_ = 1e-12;

 private:
  PairPoints points_;
};

using Moves = std::vector<int64_t>;

TEST_F(WithinDistanceTest, LeavesLinesWhereTheyAreWithin) {
  const std::vector<BoundedTime> times = {{1, 0, -5'000, 15'000},
                                          {1, kSecond, kSecond - 15'000, kSecond + 5'000}};
  EXPECT_EQ(MovesOfB(200, times, 15'000), Moves({0, 0}));
  EXPECT_EQ(MovesOfB(200, {}, 0), Moves({0, 0}));
}

TEST_F(WithinDistanceTest, MovesAWholeLineAsFarAsNeeded) {
  // At most 10 µs after the one, at least 10 µs before the other.
  EXPECT_EQ(MovesOfB(200, {{1, kSecond, kSecond - 14'000, kSecond}}, 10'000),
            Moves({-4'000, -4'000}));
  EXPECT_EQ(MovesOfB(200, {{1, 0, 0, 17'000}}, 10'000), Moves({7'000, 7'000}));
}

TEST_F(WithinDistanceTest, MovesOneEndAloneAsFarAsTheRateHardlyChanges) {
  // 8 ppm are two standard deviations; half of one moves an end of a second by 2 µs.
  drift_error_ = 8e-6;
  EXPECT_EQ(MovesOfB(200, {{1, 0, 0, 17'000}}, 10'000), Moves({7'000, 7'000 - 2'000}));
}

TEST_F(WithinDistanceTest, TurnsALineWhereBothEndsCannotMoveTogether) {
  const std::vector<BoundedTime> times = {{1, 0, 0, 17'000},
                                          {1, kSecond, kSecond - 9'000, kSecond + 9'000}};
  // The first end 7 µs at least, the last 1 µs at most: a turn of (7 − 1) / 2 µs.
  EXPECT_EQ(MovesOfB(200, times, 10'000), Moves({7'000, 1'000}));
}

TEST_F(WithinDistanceTest, KeepsTheLeastDistanceWhereTheGivenOneIsTooSmall) {
  const std::vector<BoundedTime> times = {{1, 0, 0, 17'000},
                                          {1, kSecond, kSecond - 9'000, kSecond + 9'000}};
  // Rates are equal. With both ends 4 µs later, one is 17 − 4 µs before its upper bound and the
  // other 4 + 9 µs after its lower one.
  EXPECT_EQ(MovesOfB(0, times, 10'000), Moves({4'000, 4'000}));
  EXPECT_EQ(MovesOfB(0, times, 0), Moves({4'000, 4'000}));
}

TEST_F(WithinDistanceTest, KeepsToMessagesRatherThanTheDistance) {
  // 3 ns less than 10 µs.
  EXPECT_EQ(MovesOfB(0, {{1, 0, -40'000, -10'000}}, 15'000), Moves({-9'997, -9'997}));
}

}  // namespace
}  // namespace syncline
