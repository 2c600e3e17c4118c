#include "estimate/drift_bounded/taut_string.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace syncline::drift_bounded {
namespace {

using Path = std::vector<Point>;

Path PathThrough(const std::vector<Gate>& gates) {
  TautString string;
  for (const Gate& gate : gates) string.Add(gate);
  return string.Finish();
}

TEST(TautString, OfOneGateIsItsMiddle) {
  EXPECT_EQ(PathThrough(std::vector<Gate>{{5, 10, 20}}), (Path{{5, 15}}));
}

TEST(TautString, OfTwoGatesJoinsTheirMiddles) {
  EXPECT_EQ(PathThrough(std::vector<Gate>{{0, 0, 10}, {5, 20, 40}}), (Path{{0, 5}, {5, 30}}));
}

TEST(TautString, IsStraightWhereOneLineFits) {
  EXPECT_EQ(PathThrough(std::vector<Gate>{{0, 0, 10}, {5, 3, 9}, {7, 5, 60}, {10, 5, 15}}),
            (Path{{0, 5}, {10, 10}}));
  // It touches ends of gates without bending.
  EXPECT_EQ(PathThrough(std::vector<Gate>{{0, 0, 0}, {5, 5, 9}, {7, 0, 7}, {10, 10, 10}}),
            (Path{{0, 0}, {10, 10}}));
}

TEST(TautString, BendsAboutAnObstacle) {
  // From 0 to 0 over a wall that is 10 high.
  EXPECT_EQ(PathThrough(std::vector<Gate>{{0, 0, 0}, {4, 10, 30}, {10, 0, 0}}),
            (Path{{0, 0}, {4, 10}, {10, 0}}));
  EXPECT_EQ(PathThrough(std::vector<Gate>{{0, 0, 0}, {4, -30, -10}, {10, 0, 0}}),
            (Path{{0, 0}, {4, -10}, {10, 0}}));
  // Up about one and down about the next.
  EXPECT_EQ(PathThrough(std::vector<Gate>{{0, 0, 0}, {4, 10, 30}, {6, -30, -10}, {10, 0, 0}}),
            (Path{{0, 0}, {4, 10}, {6, -10}, {10, 0}}));
}

TEST(TautString, BendsOnlyAboutTheHighestOfSeveralWalls) {
  EXPECT_EQ(
      PathThrough(std::vector<Gate>{{0, 0, 0}, {2, 1, 99}, {5, 10, 99}, {7, 2, 99}, {10, 0, 0}}),
      (Path{{0, 0}, {5, 10}, {10, 0}}));
  EXPECT_EQ(
      PathThrough(std::vector<Gate>{{0, 0, 0}, {2, 8, 99}, {5, 10, 99}, {8, 8, 99}, {10, 0, 0}}),
      (Path{{0, 0}, {2, 8}, {5, 10}, {8, 8}, {10, 0}}));
}

TEST(TautString, PassesClosedGatesInTheirOnlyPoint) {
  EXPECT_EQ(PathThrough(std::vector<Gate>{{0, 3, 3}, {1, 5, 5}, {2, 4, 4}}),
            (Path{{0, 3}, {1, 5}, {2, 4}}));
  EXPECT_EQ(PathThrough(std::vector<Gate>{{0, 3, 3}, {1, 5, 5}, {2, 7, 7}}),
            (Path{{0, 3}, {2, 7}}));
}

TEST(TautString, IsExactFarFromTheOrigin) {
  constexpr int64_t kFar = int64_t{1} << 60;
  EXPECT_EQ(PathThrough(std::vector<Gate>{{-kFar, -kFar, -kFar}, {0, 1, kFar}, {kFar, kFar, kFar}}),
            (Path{{-kFar, -kFar}, {0, 1}, {kFar, kFar}}));
  EXPECT_EQ(PathThrough(std::vector<Gate>{{-kFar, -kFar, -kFar}, {0, 0, kFar}, {kFar, kFar, kFar}}),
            (Path{{-kFar, -kFar}, {kFar, kFar}}));
}

std::vector<Gate> RandomGates(std::mt19937_64& random, int64_t most_height) {
  std::vector<Gate> gates;
  int64_t x = static_cast<int64_t>(random() % 100) - 50;
  const size_t count = 2 + random() % 12;
  for (size_t i = 0; i < count; ++i) {
    const auto below = static_cast<uint64_t>(most_height) + 1;
    auto a = static_cast<int64_t>(random() % below), b = static_cast<int64_t>(random() % below);
    if (random() % 4 == 0) b = a;
    if (i == 0 || i + 1 == count) b = a;  // so that the ends are whole numbers
    gates.push_back({x, std::min(a, b), std::max(a, b)});
    x += 1 + static_cast<int64_t>(random() % 5);
  }
  return gates;
}

double LengthOf(const Path& path) {
  double length = 0;
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    length += std::hypot(static_cast<double>(path[i + 1].x - path[i].x),
                         static_cast<double>(path[i + 1].y - path[i].y));
  }
  return length;
}

// The shortest path whose bends are whole numbers in gates: the shortest one bends at ends of
// gates.
double ShortestByDynamicProgramming(const std::vector<Gate>& gates, int64_t most_height) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  std::vector<double> best(static_cast<size_t>(most_height) + 1, kFar);
  best[static_cast<size_t>(gates.front().low)] = 0;
  // Of a path of straight pieces from gate to gate; heights between gates need not be whole, so a
  // piece can pass several gates.
  std::vector<std::vector<double>> by_gate = {best};
  for (size_t i = 1; i < gates.size(); ++i) {
    std::vector<double> here(best.size(), kFar);
    for (int64_t y = gates[i].low; y <= gates[i].high; ++y) {
      for (size_t k = 0; k < i; ++k) {
        for (int64_t from = gates[k].low; from <= gates[k].high; ++from) {
          const Point p{gates[k].x, from}, q{gates[i].x, y};
          bool passes = true;
          for (size_t between = k + 1; between < i && passes; ++between) {
            passes = Turn(p, q, {gates[between].x, gates[between].low}) <= 0 &&
                     Turn(p, q, {gates[between].x, gates[between].high}) >= 0;
          }
          if (!passes) continue;
          here[static_cast<size_t>(y)] =
              std::min(here[static_cast<size_t>(y)],
                       by_gate[k][static_cast<size_t>(from)] + LengthOf({p, q}));
        }
      }
    }
    by_gate.push_back(here);
  }
  return by_gate.back()[static_cast<size_t>(gates.back().low)];
}

TEST(TautString, IsTheShortestPath) {
  constexpr int64_t kMostHeight = 8;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const std::vector<Gate> gates = RandomGates(random, kMostHeight);
    EXPECT_NEAR(LengthOf(PathThrough(gates)), ShortestByDynamicProgramming(gates, kMostHeight),
                1e-9);
  }
}

// Where the heights of a path at gates are pulled to the nearest place on the line between their
// neighbours, again and again, it becomes the taut string.
std::vector<double> Relaxed(const std::vector<Gate>& gates) {
  std::vector<double> y;
  for (const Gate& g : gates) {
    y.push_back((static_cast<double>(g.low) + static_cast<double>(g.high)) / 2);
  }
  for (int sweep = 0; sweep < 3000; ++sweep) {
    for (size_t i = 1; i + 1 < gates.size(); ++i) {
      const double share = static_cast<double>(gates[i].x - gates[i - 1].x) /
                           static_cast<double>(gates[i + 1].x - gates[i - 1].x);
      const double wished = y[i - 1] + share * (y[i + 1] - y[i - 1]);
      y[i] =
          std::clamp(wished, static_cast<double>(gates[i].low), static_cast<double>(gates[i].high));
    }
  }
  return y;
}

TEST(TautString, IsWhatRelaxationEndsIn) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const std::vector<Gate> gates = RandomGates(random, 1'000'000);
    const Path path = PathThrough(gates);
    const std::vector<double> relaxed = Relaxed(gates);
    size_t piece = 0;
    for (size_t i = 0; i < gates.size(); ++i) {
      while (piece + 2 < path.size() && path[piece + 1].x < gates[i].x) ++piece;
      const Line line{path[piece], SlopeOf(path[piece], path[piece + 1])};
      EXPECT_NEAR(line.Residual({gates[i].x, 0}), -relaxed[i], 0.01) << "gate " << i;
    }
  }
}

TEST(TautString, StaysInItsGatesAndBendsAtTheirEnds) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::vector<Gate> gates = RandomGates(random, int64_t{1} << 40);
    const Path path = PathThrough(gates);
    ASSERT_EQ(path.front().x, gates.front().x);
    ASSERT_EQ(path.back().x, gates.back().x);
    size_t piece = 0;
    for (const Gate& gate : gates) {
      while (piece + 2 < path.size() && path[piece + 1].x < gate.x) ++piece;
      const Point p = path[piece], q = path[piece + 1];
      EXPECT_LE(Turn(p, q, {gate.x, gate.low}), 0);
      EXPECT_GE(Turn(p, q, {gate.x, gate.high}), 0);
    }
    for (size_t i = 1; i + 1 < path.size(); ++i) {
      const auto gate =
          std::find_if(gates.begin(), gates.end(), [&](const Gate& g) { return g.x == path[i].x; });
      ASSERT_NE(gate, gates.end());
      EXPECT_TRUE(path[i].y == gate->low || path[i].y == gate->high);
      // It bends away from the end it touches.
      const Int128 turn = Turn(path[i - 1], path[i], path[i + 1]);
      EXPECT_NE(Saturate(turn), 0);
      EXPECT_EQ(turn < 0, gate->low == gate->high ? turn < 0 : path[i].y == gate->low);
    }
  }
}

}  // namespace
}  // namespace syncline::drift_bounded
