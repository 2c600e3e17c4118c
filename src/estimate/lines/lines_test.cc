// The methods that choose one line: widest, bisector, fallback, least delay.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/times.h"
#include "estimate/hulls/corridor.h"
#include "estimate/lines/hull_lines.h"

namespace syncline {
namespace {

Hulls HullsOf(const std::vector<Point>& upper, const std::vector<Point>& lower) {
  PairPoints points;
  for (const Point p : upper) points.AddAToB(p.x, p.y);
  for (const Point p : lower) points.AddBToA(p.y, p.x);
  return ShiftedHulls(points, {});
}

std::vector<Point> RandomPoints(std::mt19937_64& random, int count, int64_t side) {
  std::vector<Point> points(count);
  for (Point& p : points) {
    p.x = static_cast<int64_t>(random() % (1000 * kMs));
    p.y = p.x + side * (kMs / 10 + static_cast<int64_t>(random() % kMs));
  }
  return points;
}

// All slopes at which the gap or a sum of delays can have a corner, and the ends of the range.
std::vector<Slope> CornerSlopes(const std::vector<Point>& points, SlopeRange range) {
  std::vector<Slope> slopes = {range.min, range.max};
  for (const Point p : points) {
    for (const Point q : points) {
      if (p.x == q.x) continue;
      const Slope s = SlopeOf(p, q);
      if (s > range.min && s < range.max) slopes.push_back(s);
    }
  }
  return slopes;
}

TEST(WidestLine, LiesInTheMiddleOfTheWidestGap) {
  // The gap is 30 at slope 1 for all x and smaller at any other slope.
  const Hulls hulls = HullsOf({{0, 20}, {100, 120}}, {{0, -10}, {100, 90}});
  const Corridor corridor = FindCorridor(hulls, PriorRange(std::nullopt));
  const Line line = WidestLine(hulls, corridor.slopes);
  EXPECT_EQ(line.slope, (Slope{1, 1}));
  EXPECT_EQ(line.Nearest(50), 50 + (20 - 10) / 2);
}

TEST(WidestLine, HasTheWidestGapOfAllSlopes) {
  int determined = 0;
  for (uint32_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto upper = RandomPoints(random, 2 + seed % 9, 1);
    const auto lower = RandomPoints(random, 2 + seed % 7, -1);
    const Hulls hulls = HullsOf(upper, lower);
    const Corridor corridor = FindCorridor(hulls, PriorRange(1e5));
    ASSERT_EQ(corridor.state, Corridor::State::kOpen);
    const Line line = WidestLine(hulls, corridor.slopes);
    EXPECT_TRUE(IsAdmissible({upper, lower}, line));
    std::vector<Point> all = upper;
    all.insert(all.end(), lower.begin(), lower.end());
    int64_t widest = 0;
    for (const Slope s : CornerSlopes(all, corridor.slopes)) {
      widest = std::max(widest, GapAt(hulls, s));
    }
    EXPECT_GE(GapAt(hulls, line.slope), widest / 2);
    if (widest > GapAt(hulls, corridor.slopes.min) && widest > GapAt(hulls, corridor.slopes.max)) {
      EXPECT_EQ(GapAt(hulls, line.slope), widest);
      ++determined;
    }
  }
  EXPECT_GT(determined, 50);
}

TEST(WidestLine, OfOneExchangeHasTheMiddleOfThePriorsSlopes) {
  const Hulls hulls = HullsOf({{0, 100}}, {{10, -80}});
  const SlopeRange prior = PriorRange(200);
  const Line line = WidestLine(hulls, FindCorridor(hulls, prior).slopes);
  EXPECT_EQ(line.slope, Middle(prior.min, prior.max));
  EXPECT_EQ(line.Nearest(0), (100 + (-80 - 10)) / 2);
}

TEST(WidestLine, IsExactWhereOnlyOneLineFits) {
  const Hulls touching = HullsOf({{0, 0}, {3'000'000'000, 3'000'100'000}}, {{30'000, 30'001}});
  const Corridor corridor = FindCorridor(touching, PriorRange(200));
  ASSERT_EQ(corridor.state, Corridor::State::kOpen);
  EXPECT_EQ(corridor.slopes.min, corridor.slopes.max);
  const Line line = WidestLine(touching, corridor.slopes);
  EXPECT_TRUE(IsAdmissible(touching, line));
  EXPECT_EQ(line.slope, (Slope{30'001, 30'000}));
}

TEST(BisectorLine, HalvesTheAngleAndPassesThroughTheIntersection) {
  const Hulls hulls =
      HullsOf({{0, 10 * kMs}, {100 * kMs, 110 * kMs}}, {{0, -10 * kMs}, {100 * kMs, 90 * kMs}});
  const Corridor corridor = FindCorridor(hulls, PriorRange(std::nullopt));
  ASSERT_EQ(corridor.slopes.min, (Slope{80, 100}));
  ASSERT_EQ(corridor.slopes.max, (Slope{120, 100}));
  const Line line = BisectorLine(hulls, corridor.slopes);
  const double product = 0.8 * 1.2;
  const double beta = (product - 1 + std::sqrt(1 + product * product + 0.64 + 1.44)) / (0.8 + 1.2);
  EXPECT_NEAR(line.slope.ToDouble(), beta, 1e-14);
  EXPECT_NEAR(static_cast<double>(line.Nearest(50 * kMs)), 50.0 * kMs, 1);
}

TEST(BisectorLine, PassesThroughAnIntersectionOffCentre) {
  // Cross tangents (0, 10)–(300, 250), slope 0.8, and (0, −10)–(100, 110), slope 1.2, meet at x
  // = 50.
  const Hulls hulls =
      HullsOf({{0, 10 * kMs}, {100 * kMs, 110 * kMs}}, {{0, -10 * kMs}, {300 * kMs, 250 * kMs}});
  const Corridor corridor = FindCorridor(hulls, PriorRange(std::nullopt));
  ASSERT_EQ(corridor.slopes.min, (Slope{240, 300}));
  const Line line = BisectorLine(hulls, corridor.slopes);
  EXPECT_NEAR(static_cast<double>(line.Nearest(50 * kMs)), 50.0 * kMs, 1);
}

TEST(BisectorLine, IsAdmissible) {
  for (uint32_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto upper = RandomPoints(random, 1 + seed % 9, 1);
    const auto lower = RandomPoints(random, 1 + seed % 7, -1);
    const Hulls hulls = HullsOf(upper, lower);
    const Corridor corridor = FindCorridor(hulls, PriorRange(seed % 2 == 0 ? 200 : 1e5));
    if (corridor.state != Corridor::State::kOpen) continue;
    EXPECT_TRUE(IsAdmissible({upper, lower}, BisectorLine(hulls, corridor.slopes)));
  }
}

// The lower point stands 1 above the edge of the upper hull.
const std::vector<Point> kUpperEdge = {{0, 0}, {20, 10}};
const std::vector<Point> kAboveEdge = {{8, 5}};

TEST(FallbackLine, ViolatesLeastAmongLinesThroughOnePointOfEachHull) {
  // Through (0, 0) and (8, 5): (20, 10) lies 20·5/8 − 10 = 5/2 below.
  // Through (8, 5) and (20, 10): (0, 0) lies 5 − 8·5/12 = 5/3 below.
  const Hulls hulls = HullsOf(kUpperEdge, kAboveEdge);
  const Line line = FallbackLine(hulls, PriorRange(std::nullopt));
  EXPECT_EQ(line.slope, (Slope{5, 12}));
  EXPECT_EQ(line.Nearest(8), 5);
  EXPECT_EQ(ViolationsOf(hulls, line).count, 1u);
  EXPECT_DOUBLE_EQ(ViolationsOf(hulls, line).worst_ns, 5 - 8 * 5.0 / 12);
}

TEST(FallbackLine, KeepsToThePrior) {
  const SlopeRange prior = PriorRange(200);
  const Hulls hulls = HullsOf(kUpperEdge, kAboveEdge);
  const Line line = FallbackLine(hulls, prior);
  EXPECT_EQ(line.slope, prior.min);
  EXPECT_EQ(ViolationsOf(hulls, line).count, 1u);
}

TEST(FallbackLine, StaysFastAndSoundForLargeHulls) {
  std::vector<Point> upper, lower;
  for (int64_t i = -1000; i <= 1000; ++i) {
    upper.push_back({i * kMs, i * kMs + i * i - 1'000'000});
    lower.push_back({i * kMs, i * kMs - i * i + 1'000'000});
  }
  const Hulls hulls = HullsOf(upper, lower);
  ASSERT_EQ(hulls.upper.size(), 2001u);
  const Violations violations = ViolationsOf(hulls, FallbackLine(hulls, PriorRange(200)));
  // The lens between the hulls is 2·10^6 wide in its middle; y = x leaves it whole on wrong sides.
  EXPECT_GT(violations.count, 0u);
  EXPECT_LE(violations.worst_ns, 2e6);
}

TEST(LeastDelayLine, HasTheLeastSummedDelayOfAllAdmissibleLines) {
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const int64_t side = seed % 2 == 0 ? 1 : -1;
    const auto messages = RandomPoints(random, 1 + seed % 12, side);
    PairPoints points;
    for (const Point p : messages) {
      side > 0 ? points.AddAToB(p.x, p.y) : points.AddBToA(p.y, p.x);
    }
    const int64_t centroid = side > 0 ? points.CentroidAToB() : points.CentroidBToA();
    const SlopeRange prior = PriorRange(seed % 3 == 0 ? 200 : 1e4);
    const Hulls hulls = ShiftedHulls(points, {});
    const Line line = LeastDelayLine(hulls, centroid, prior);
    EXPECT_TRUE(IsAdmissible(hulls, line));
    EXPECT_TRUE(line.slope >= prior.min && line.slope <= prior.max);
    const auto sum_of_delays = [&](const Line& candidate) {
      double sum = 0;
      for (const Point p : messages) sum += static_cast<double>(side) * candidate.Residual(p);
      return sum;
    };
    for (const Slope s : CornerSlopes(messages, prior)) {
      const Line other =
          PlaceLine(hulls, s, {centroid, side > 0 ? int64_t{1} << 60 : -(int64_t{1} << 60)});
      ASSERT_TRUE(IsAdmissible(hulls, other));
      // The centroid is rounded by less than 1 ns.
      EXPECT_LE(sum_of_delays(line), sum_of_delays(other) + 1.0);
    }
  }
}

TEST(LeastDelayLine, OfOneMessageRunsAtNominalRate) {
  const Line line = LeastDelayLine(HullsOf({{5, 105}}, {}), 5, PriorRange(200));
  EXPECT_EQ(line.slope, (Slope{1, 1}));
  EXPECT_EQ(line.Nearest(5), 105);
}

}  // namespace
}  // namespace syncline
