#include "estimate/joint/joint_bounds.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/random_cases.h"
#include "estimate/joint/joint_test_util.h"

namespace syncline {
namespace {

// A component whose guesses are wrong by up to a millisecond.
JointProblem ProblemOf(const ClockGroup& group, const std::vector<PairInput>& pairs,
                       double drift_limit_ppm = 200) {
  JointProblem problem;
  for (size_t i = 0; i < group.size(); ++i) {
    const ClockInput& input = group.inputs()[i];
    problem.clocks.push_back(i);
    problem.parents.push_back(0);
    const Line to_true = group.Truth(i).Inverted();
    const auto wrong_ns = static_cast<int64_t>(i % 3) * 500'000 - 500'000;
    const auto anchor = [&](LocalTime t, int64_t error_ns) {
      return Point{t.ticks, to_true.Nearest(t.ticks) + (i == 0 ? 0 : error_ns)};
    };
    problem.anchors.push_back({anchor(input.first, wrong_ns), anchor(input.last, -wrong_ns)});
  }
  for (const PairInput& pair : pairs) {
    problem.pairs.push_back({pair.a.index(), pair.b.index(), &pair.estimate});
  }
  problem.prior = PriorRange(drift_limit_ppm);
  return problem;
}

// A ring with chords of clocks; every pair has its own least delays.
ClockGroup RandomRing(size_t count, uint64_t seed, int64_t start = 0) {
  std::mt19937_64 random(seed);
  std::vector<TrueClock> clocks = {{}};
  while (clocks.size() < count) {
    clocks.push_back({static_cast<int64_t>(random() % (2 * kSecond)) - kSecond,
                      static_cast<int64_t>(random() % 100'000) - 50'000});
  }
  ClockGroup group(clocks, start);
  for (size_t i = 0; i < count; ++i) {
    for (const size_t step : {1, 2}) {
      const size_t to = (i + step) % count;
      if (to == i) continue;
      group.Stream(i, to, 5 + static_cast<int>(random() % 60),
                   static_cast<int64_t>(random() % 200'000), random);
      group.Stream(to, i, 5 + static_cast<int>(random() % 60),
                   static_cast<int64_t>(random() % 200'000), random);
    }
  }
  return group;
}

// Such a ring's problem, whose tree is the ring without its last link.
struct RingProblem {
  RingProblem(size_t count, uint64_t seed)
      : group(RandomRing(count, seed)), pairs(group.Pairs()), problem(ProblemOf(group, pairs)) {
    for (size_t i = 1; i < count; ++i) problem.parents[i] = i - 1;
  }

  ClockGroup group;
  std::vector<PairInput> pairs;
  JointProblem problem;
};

// The extreme of a clock's global time less x, to a nanosecond: by the solver alone, over all rows
// at once.
double NaiveExtreme(const JointProblem& problem, size_t clock, int64_t x, double sign) {
  LinearProgramme programme;
  for (size_t i = 0; i < problem.clocks.size(); ++i) {
    const LinearProgramme::Limits limits =
        i == 0 ? LinearProgramme::Limits{0, 0} : LinearProgramme::Limits{};
    programme.AddColumn(limits, 0);
    programme.AddColumn(limits, 0);
  }
  for (const auto& rows : {MessageRows(problem, Readings::kAsLateAsPossible), RateRows(problem)}) {
    for (const JointRow& row : rows) {
      programme.AddRow(row.Entries(), {-static_cast<double>(row.constant_ns) / 1000, kUnlimited});
    }
  }
  const auto [w0, w1] = problem.anchors[clock].WeightsAt(x);
  programme.columns[StartOf(clock)].objective = -sign * static_cast<double>(w0);
  programme.columns[EndOf(clock)].objective = -sign * static_cast<double>(w1);
  LinearSolver solver(programme);
  EXPECT_TRUE(solver.Solve(LinearSolver::Method::kDual));
  // The guess itself is off x by whole nanoseconds and a fraction.
  const Line guess = problem.anchors[clock].ToLine();
  return -sign * solver.objective() * 1000 + static_cast<double>(guess.Nearest(x) - x);
}

TEST(FindJointBounds, TwoClocksHaveTheBoundsOfTheirPair) {
  // The example of docs/methods/pairs.md, in units of 10 ms: tangents of slopes 0.7 and 1.3.
  constexpr int64_t kUnit = 10'000'000;
  PairPoints points;
  points.AddAToB(0, 20 * kUnit);
  points.AddAToB(100 * kUnit, 120 * kUnit);
  points.AddBToA(-10 * kUnit, 0);
  points.AddBToA(90 * kUnit, 100 * kUnit);
  const PairEstimate estimate = EstimatePair(points, {.max_drift_ppm = std::nullopt});
  JointProblem problem;
  problem.clocks = {0, 1};  // the root is b
  problem.parents = {0, 0};
  problem.anchors = {{{0, 0}, {100 * kUnit, 100 * kUnit}}, {{0, 0}, {100 * kUnit, 100 * kUnit}}};
  problem.pairs = {{1, 0, &estimate}};
  problem.prior = PriorRange(std::nullopt);
  const auto bounds = FindJointBounds(problem, JointPaths(problem), {.values = 5});
  EXPECT_FALSE(bounds[0].has_value());
  ASSERT_TRUE(bounds[1].has_value());
  const auto near = [](int64_t value, int64_t wanted) { return std::abs(value - wanted) <= 2; };
  EXPECT_PRED2(near, bounds[1]->upper->Ceil(50 * kUnit), 70 * kUnit);
  EXPECT_PRED2(near, bounds[1]->lower->Floor(50 * kUnit), 40 * kUnit);
  EXPECT_PRED2(near, bounds[1]->upper->Ceil(-100 * kUnit), (20 - 70) * kUnit);
  EXPECT_PRED2(near, bounds[1]->upper->Ceil(200 * kUnit), (120 + 130) * kUnit);
  EXPECT_PRED2(near, bounds[1]->lower->Floor(-100 * kUnit), (-10 - 130) * kUnit);
  EXPECT_PRED2(near, bounds[1]->lower->Floor(200 * kUnit), (90 + 70) * kUnit);
}

TEST(FindJointBounds, ATriangleNarrowsWhatNoTreeDoes) {
  // Equal rates. Messages of a → b and b → c take 10 µs, back 20 µs; a → c 15 µs, back 100 µs. So
  // c is at most 15 ahead of a's messages and at most 20 + 20 behind.
  ClockGroup group(std::vector<TrueClock>(3));
  for (const int64_t at : {10 * kSecond, 50 * kSecond}) {
    for (const size_t a : {0, 1}) {
      group.Send(a, a + 1, at, 10'000);
      group.Send(a + 1, a, at, 20'000);
    }
    group.Send(0, 2, at, 15'000);
    group.Send(2, 0, at, 100'000);
  }
  const std::vector<PairInput> pairs = group.Pairs({.max_drift_ppm = 0});
  const JointProblem problem = ProblemOf(group, pairs, 0);
  const auto bounds = FindJointBounds(problem, JointPaths(problem), {.values = 2});
  for (const int64_t x : {10 * kSecond, 30 * kSecond, 50 * kSecond}) {
    EXPECT_NEAR(static_cast<double>(bounds[2]->lower->Floor(x) - x), -15'000, 2);
    EXPECT_NEAR(static_cast<double>(bounds[2]->upper->Ceil(x) - x), 20'000 + 20'000, 2);
  }
}

TEST(FindJointBounds, AreNeitherBelowNorFarAboveALinearProgrammeOverAllRows) {
  for (uint64_t seed = 1; seed <= RandomCases(10); ++seed) {
    SCOPED_TRACE(seed);
    const ClockGroup group = RandomRing(3 + seed % 4, seed);
    const std::vector<PairInput> pairs = group.Pairs();
    const JointProblem problem = ProblemOf(group, pairs);
    const auto bounds = FindJointBounds(problem, JointPaths(problem), {.values = 9});
    for (size_t i = 1; i < group.size(); ++i) {
      ASSERT_TRUE(bounds[i].has_value());
      const Anchors& anchors = problem.anchors[i];
      const int64_t length = anchors.last.x - anchors.first.x;
      for (int64_t k = -5; k <= 15; ++k) {
        const int64_t x = anchors.first.x + length / 10 * k;
        const double upper = static_cast<double>(bounds[i]->upper->Ceil(x) - x);
        const double lower = static_cast<double>(bounds[i]->lower->Floor(x) - x);
        const double greatest = NaiveExtreme(problem, i, x, 1);
        const double least = NaiveExtreme(problem, i, x, -1);
        EXPECT_GE(upper, greatest - 1);
        EXPECT_LE(lower, least + 1);
        // At the ends exact but for rounding outward; chords between nine values are close.
        const double allowed = k == 0 || k == 10 ? 3 : 10 + 0.02 * (greatest - least);
        EXPECT_LE(upper, greatest + allowed);
        EXPECT_GE(lower, least - allowed);
      }
    }
  }
}

TEST(FindJointBounds, ALargeProblemIsBoundedByTheClocksAround) {
  const RingProblem ring(40, 3);
  const JointProblem& problem = ring.problem;
  const JointPaths paths(problem);
  const auto bounds = FindJointBounds(problem, paths, {.values = 3});
  for (const size_t i : {size_t{1}, size_t{20}, size_t{39}}) {
    ASSERT_TRUE(bounds[i].has_value());
    const int64_t x = problem.anchors[i].first.x;
    const Line truth = ring.group.Truth(i).Inverted();
    EXPECT_GE(bounds[i]->upper->Ceil(x), truth.Ceil(x));
    EXPECT_LE(bounds[i]->lower->Floor(x), truth.Floor(x));
    EXPECT_LE(bounds[i]->upper->Ceil(x), *paths.Upper(i, x));
    EXPECT_GE(bounds[i]->lower->Floor(x), *paths.Lower(i, x));
    EXPECT_GE(static_cast<double>(bounds[i]->upper->Ceil(x) - x),
              NaiveExtreme(problem, i, x, 1) - 1);
  }
}

// At the points asked for, the bound is what the programmes say, whatever lies between others.
TEST(FindJointBounds, PointsAskedForAreExact) {
  const ClockGroup group = RandomRing(6, 5);
  const std::vector<PairInput> pairs = group.Pairs();
  const JointProblem problem = ProblemOf(group, pairs);
  constexpr size_t kPoints = 11;
  const auto bounds =
      FindJointBounds(problem, JointPaths(problem), {.values = 2, .points = kPoints});
  for (size_t i = 1; i < group.size(); ++i) {
    ASSERT_TRUE(bounds[i].has_value());
    const auto [first, last] = problem.anchors[i];
    for (size_t k = 0; k < kPoints; ++k) {
      const int64_t x = first.x + (last.x - first.x) / 10 * static_cast<int64_t>(k) +
                        (last.x - first.x) % 10 * static_cast<int64_t>(k) / 10;
      const double greatest = NaiveExtreme(problem, i, x, 1);
      const double least = NaiveExtreme(problem, i, x, -1);
      EXPECT_NEAR(static_cast<double>(bounds[i]->upper->Ceil(x) - x), greatest, 5);
      EXPECT_NEAR(static_cast<double>(bounds[i]->lower->Floor(x) - x), least, 5);
    }
  }
}

TEST(FindJointBounds, ClocksFarFromTheRootHaveTheBoundsOfTheirPaths) {
  const RingProblem ring(60, 4);
  const JointProblem& problem = ring.problem;
  const JointPaths paths(problem);
  const BoundDensity density{.values = 5};
  const auto near = FindJointBounds(problem, paths, density);
  EXPECT_TRUE(near[30].has_value());
  EXPECT_FALSE(near[59].has_value());
  for (const size_t i : {size_t{30}, size_t{59}}) {
    const auto bounds = PathBounds(problem, paths, i, density);
    ASSERT_TRUE(bounds.has_value());
    EXPECT_EQ(bounds->upper->vertices().size(), density.values);
    const Anchors& anchors = problem.anchors[i];
    EXPECT_EQ(bounds->upper->Ceil(anchors.first.x), *paths.Upper(i, anchors.first.x));
    EXPECT_EQ(bounds->lower->Floor(anchors.last.x), *paths.Lower(i, anchors.last.x));
    const int64_t length = anchors.last.x - anchors.first.x;
    for (int64_t k = -5; k <= 15; ++k) {
      const int64_t x = anchors.first.x + length / 10 * k;
      const Line truth = ring.group.Truth(i).Inverted();
      EXPECT_GE(bounds->upper->Ceil(x), truth.Ceil(x));
      EXPECT_LE(bounds->lower->Floor(x), truth.Floor(x));
    }
  }
}

TEST(NearbyClocks, TakeTheWayToTheRootAndThenTheNearest) {
  const ClockGroup group = RandomRing(40, 3);
  const std::vector<PairInput> pairs = group.Pairs();
  JointProblem problem = ProblemOf(group, pairs);
  problem.parents[7] = 30;  // a detour
  const JointPaths paths(problem);
  const JointProblem part = NearbyClocks(problem, paths).ProblemOf(7, 12);
  ASSERT_EQ(part.clocks.size(), 12u);
  EXPECT_EQ(part.clocks[0], 0u);
  EXPECT_EQ(part.clocks[1], 7u);
  const auto has = [&](size_t clock) {
    return std::find(part.clocks.begin(), part.clocks.end(), clock) != part.clocks.end();
  };
  EXPECT_TRUE(has(30));
  for (const size_t clock : paths.ClocksOn(7)) EXPECT_TRUE(has(clock));
  for (const JointPair& pair : part.pairs) {
    const size_t apart = part.clocks[pair.b] - part.clocks[pair.a];
    EXPECT_TRUE(apart <= 2 || apart >= 38) << apart;  // places were translated
  }
}

TEST(JointPaths, BoundEachSideAlongItsOwnMessages) {
  ClockGroup group(std::vector<TrueClock>(3));
  // a → b → c → a: c is above a by way of b's sends only.
  group.Send(0, 1, 10 * kSecond, 1'000);
  group.Send(1, 2, 20 * kSecond, 2'000);
  group.Send(2, 0, 30 * kSecond, 4'000);
  const std::vector<PairInput> pairs = group.Pairs({.max_drift_ppm = 0});
  const JointProblem problem = ProblemOf(group, pairs, 0);
  const JointPaths paths(problem);
  EXPECT_TRUE(paths.HasBoth(1) && paths.HasBoth(2));
  EXPECT_EQ(paths.Upper(2, 5), 5 + 4'000);
  EXPECT_EQ(paths.Lower(2, 5), 5 - 1'000 - 2'000);
  EXPECT_EQ(paths.Upper(1, 5), 5 + 2'000 + 4'000);
  EXPECT_EQ(paths.Lower(1, 5), 5 - 1'000);
}

}  // namespace
}  // namespace syncline
