#include "estimate/joint/analytic_centre.h"

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "estimate/joint/joint_test_util.h"

namespace syncline {
namespace {

// Clocks of equal rates; clock b may be from `low` to `high` microseconds later than clock a.
class Offsets {
 public:
  explicit Offsets(size_t clocks) {
    for (size_t i = 0; i < clocks; ++i) {
      problem_.clocks.push_back(i);
      problem_.parents.push_back(0);
      problem_.anchors.push_back({{0, 0}, {kSecond, kSecond}});
    }
    problem_.prior = PriorRange(0);
    estimates_.reserve(clocks * clocks);
  }
  // o_b − o_a ≥ low by messages a → b that take −low, ≤ high by messages b → a that take high.
  void Relate(size_t a, size_t b, int64_t low_us, int64_t high_us) {
    PairPoints points;
    points.AddAToB(kSecond / 2, kSecond / 2 - 1000 * low_us);
    points.AddBToA(kSecond / 2, kSecond / 2 + 1000 * high_us);
    estimates_.push_back(EstimatePair(points, {.max_drift_ppm = 0}));
    problem_.pairs.push_back({a, b, &estimates_.back()});
  }
  // The centre from a start at these offsets.
  std::vector<double> Centre(const std::vector<double>& start_us, double margin_ns = 0) const {
    std::vector<double> unknowns;
    for (const double o : start_us) unknowns.insert(unknowns.end(), {o, o});
    const std::vector<JointRow> rows = MessageRows(problem_, Readings::kAsTheyStand);
    const std::vector<double> margins(rows.size(), margin_ns);
    unknowns = AtAnalyticCentre(problem_, FindRoles(problem_), rows, margins, std::move(unknowns));
    std::vector<double> offsets;
    for (size_t i = 0; i < start_us.size(); ++i) {
      EXPECT_EQ(unknowns[StartOf(i)], unknowns[EndOf(i)]);
      offsets.push_back(unknowns[StartOf(i)]);
    }
    return offsets;
  }

 private:
  JointProblem problem_;
  std::vector<PairEstimate> estimates_;
};

TEST(AnalyticCentre, TwoClocksMeetInTheMiddle) {
  Offsets offsets(2);
  offsets.Relate(0, 1, -30, 90);
  EXPECT_NEAR(offsets.Centre({0, -29.9})[1], (-30 + 90) / 2.0, 1e-6);
  EXPECT_NEAR(offsets.Centre({0, 88.9}, 1000)[1], (-30 + 90) / 2.0, 1e-6);
}

TEST(AnalyticCentre, EqualPairsShareWhatTheyDisagreeAbout) {
  // The middles are 60, 0 and 0, all ± 100: around the circle 60 too much, 20 for each.
  Offsets offsets(3);
  offsets.Relate(0, 1, 60 - 100, 60 + 100);
  offsets.Relate(1, 2, -100, 100);
  offsets.Relate(0, 2, -100, 100);
  for (const std::vector<double>& start : {std::vector<double>{0, 60, 60}, {0, -30, 50}}) {
    const std::vector<double> centre = offsets.Centre(start);
    EXPECT_NEAR(centre[1], 60 - 20, 1e-6);
    EXPECT_NEAR(centre[2], 20, 1e-6);
  }
}

TEST(AnalyticCentre, AWidePairGivesWayToNarrowOnes) {
  Offsets offsets(3);
  offsets.Relate(0, 1, -1, 1);
  offsets.Relate(1, 2, -1, 1);
  offsets.Relate(0, 2, 50 - 1000, 50 + 1000);
  const std::vector<double> centre = offsets.Centre({0, 0.5, 0.2});
  EXPECT_NEAR(centre[2], 0, 0.01);
}

TEST(AnalyticCentre, OfPairsAboutAsWideTheWiderOneGivesWayLittleMore) {
  // Around the circle 6 too much: as 1 : 1 : √√2, not as 1 : 1 : 2.
  Offsets offsets(3);
  offsets.Relate(0, 1, -100, 100);
  offsets.Relate(1, 2, -100, 100);
  offsets.Relate(0, 2, 6 - 141, 6 + 141);
  const std::vector<double> centre = offsets.Centre({0, 3, 6});
  EXPECT_NEAR(centre[1], 1.88, 0.02);
  EXPECT_NEAR(centre[2], 3.76, 0.02);
}

TEST(AnalyticCentre, StaysWhereThereIsNoSlack) {
  Offsets offsets(2);
  offsets.Relate(0, 1, 7, 7);
  EXPECT_EQ(offsets.Centre({0, 7}), (std::vector<double>{0, 7}));
}

TEST(MovesToCentre, LeavesTheFirstClock) {
  const std::vector<double> moves = MovesToCentre(2, {{0, 1, 10, 30}});
  EXPECT_EQ(moves[0], 0);
  EXPECT_NEAR(moves[1], 10, 1e-6);  // 20 on both sides
}

TEST(MovesToCentre, OfWaysInACircleSharesTheirSlack) {
  const double none = std::numeric_limits<double>::infinity();
  const std::vector<double> moves =
      MovesToCentre(3, {{0, 1, 10, none}, {1, 2, 20, none}, {0, 2, none, 60}});
  EXPECT_NEAR(moves[1], 20, 1e-6);  // 30 on each of the three
  EXPECT_NEAR(moves[2], 30, 1e-6);
}

TEST(MovesToCentre, EndsWhereAStepAddsLittle) {
  const std::vector<PairSlack> pairs = {{0, 1, 1, 1000}};
  const double middle = MovesToCentre(2, pairs)[1];
  EXPECT_NEAR(middle, 499.5, 1e-6);
  EXPECT_NEAR(MovesToCentre(2, pairs, 1e-3)[1], middle, 50);
  EXPECT_LT(MovesToCentre(2, pairs, 100)[1], middle / 2);
}

}  // namespace
}  // namespace syncline
