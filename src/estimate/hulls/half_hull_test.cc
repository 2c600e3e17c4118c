#include "estimate/hulls/half_hull.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <span>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<Point> HullInBatches(HalfHull::Side side, std::span<const Point> points, size_t size) {
  HalfHull hull(side);
  for (size_t i = 0; i < points.size(); i += size) {
    hull.Add(points.subspan(i, std::min(size, points.size() - i)));
  }
  return hull.Points();
}

std::vector<Point> HullOf(HalfHull::Side side, const std::vector<Point>& points) {
  return HullInBatches(side, points, 200);
}

// By definition: a point is a vertex of the lower half hull when no chord between points left and
// right of it (or a point straight below) passes through it or below it.
std::vector<Point> NaiveLowerHull(std::vector<Point> points) {
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  const auto is_vertex = [&](Point p) {
    for (const Point a : points) {
      if (a.x == p.x && a.y < p.y) return false;
      for (const Point b : points) {
        if (a.x < p.x && p.x < b.x && Turn(a, b, p) >= 0) return false;
      }
    }
    return true;
  };
  std::vector<Point> hull;
  std::copy_if(points.begin(), points.end(), std::back_inserter(hull), is_vertex);
  return hull;
}

std::vector<Point> Mirrored(std::vector<Point> points) {
  for (Point& p : points) p.y = -p.y;
  return points;
}

TEST(HalfHull, OfNothingIsEmpty) { EXPECT_THAT(HullOf(HalfHull::Side::kLower, {}), IsEmpty()); }

TEST(HalfHull, KeepsTheLowestOrHighestOfPointsAboveEachOther) {
  const std::vector<Point> column = {{5, 3}, {5, 1}, {5, 2}, {5, 1}};
  EXPECT_THAT(HullOf(HalfHull::Side::kLower, column), ElementsAre(Point{5, 1}));
  EXPECT_THAT(HullOf(HalfHull::Side::kUpper, column), ElementsAre(Point{5, 3}));
}

TEST(HalfHull, LeavesOutPointsOnAnEdge) {
  const std::vector<Point> line = {{0, 0}, {1, 1}, {2, 2}, {3, 3}};
  EXPECT_THAT(HullOf(HalfHull::Side::kLower, line), ElementsAre(Point{0, 0}, Point{3, 3}));
  EXPECT_THAT(HullOf(HalfHull::Side::kUpper, line), ElementsAre(Point{0, 0}, Point{3, 3}));
}

TEST(HalfHull, IsExactAtTheEndsOfTheAllowedRange) {
  constexpr int64_t kEnd = (int64_t{1} << 61) - 1;
  const Point left{-kEnd, -kEnd};
  const Point right{kEnd, kEnd};
  EXPECT_THAT(HullOf(HalfHull::Side::kLower, {left, {0, 1}, right}), ElementsAre(left, right));
  EXPECT_THAT(HullOf(HalfHull::Side::kLower, {left, {0, -1}, right}),
              ElementsAre(left, Point{0, -1}, right));
  EXPECT_THAT(HullOf(HalfHull::Side::kLower, {right, {0, -1}, left}),
              ElementsAre(left, Point{0, -1}, right));
}

TEST(HalfHull, MatchesItsDefinitionInAnyOrder) {
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const int range = seed % 3 == 0 ? 6 : 1000;  // small ranges: ties, duplicates, collinear points
    std::uniform_int_distribution<int> coordinate(-range, range);
    std::vector<Point> points(1 + seed % 37);
    for (Point& p : points) p = {coordinate(random), coordinate(random)};
    if (seed % 4 == 0) std::sort(points.begin(), points.end());
    if (seed % 4 == 1) std::sort(points.rbegin(), points.rend());
    EXPECT_EQ(HullOf(HalfHull::Side::kLower, points), NaiveLowerHull(points));
    EXPECT_EQ(HullOf(HalfHull::Side::kUpper, points), Mirrored(NaiveLowerHull(Mirrored(points))));
  }
}

TEST(HalfHull, MatchesItsDefinitionAcrossBatches) {
  for (uint32_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const int range = seed % 3 == 0 ? 40 : 100'000;
    std::uniform_int_distribution<int> coordinate(-range, range);
    std::vector<Point> points(700 + seed);
    for (Point& p : points) {
      p.x = coordinate(random);
      p.y = p.x + coordinate(random) * (seed % 2);  // half of the time all on one line
    }
    if (seed % 4 == 0) std::sort(points.begin(), points.end());
    if (seed % 4 == 1) std::sort(points.rbegin(), points.rend());
    const std::vector<Point> naive = NaiveLowerHull(points);
    for (const size_t batch : {1u, 33u, 256u, 1000u}) {
      EXPECT_EQ(HullInBatches(HalfHull::Side::kLower, points, batch), naive) << batch;
    }
  }
}

// Edges are found by an index of equal stretches; here nearly all of them lie in one.
TEST(HalfHull, MatchesItsDefinitionWhereEdgesCrowd) {
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::uniform_int_distribution<int64_t> coordinate(-300, 300);
    const int64_t far = int64_t{1} << (12 + 8 * seed);
    std::vector<Point> points = {{-300, far}, {far, far}};
    for (int i = 0; i < 400; ++i) {
      const int64_t x = coordinate(random);
      points.push_back({x, x * x + (i % 4 == 0 ? 0 : std::abs(coordinate(random)))});
    }
    if (seed % 2 == 0) std::shuffle(points.begin(), points.end(), random);
    EXPECT_EQ(HullOf(HalfHull::Side::kLower, points), NaiveLowerHull(points));
  }
}

TEST(HalfHull, KeepsEveryPointOfAConvexCurve) {
  for (const int64_t turn_at : {int64_t{-5000}, int64_t{0}, int64_t{5000}}) {
    std::vector<Point> curve;  // falls and rises around lines of slope 1, or only one of them
    for (int64_t x = -4000; x <= 4000; ++x) curve.push_back({x, x + (x - turn_at) * (x - turn_at)});
    const std::vector<Point> in_order = curve;
    EXPECT_EQ(HullOf(HalfHull::Side::kLower, curve), in_order);
    std::reverse(curve.begin(), curve.end());
    EXPECT_EQ(HullOf(HalfHull::Side::kLower, curve), in_order);
    std::shuffle(curve.begin(), curve.end(), std::mt19937(3));
    EXPECT_EQ(HullOf(HalfHull::Side::kLower, curve), in_order);
    EXPECT_THAT(HullOf(HalfHull::Side::kUpper, curve),
                ElementsAre(in_order.front(), in_order.back()));
  }
}

TEST(HalfHull, OrderDoesNotMatterAcrossManyChunks) {
  std::mt19937_64 random(7);
  std::vector<Point> points;
  for (int64_t i = 0; i < 20'000; ++i) {
    const int64_t x = i * 1000;
    const auto delay = static_cast<int64_t>(random() % 1'000'000);
    points.push_back({x, x + x / 20'000 * (x / 100'000) + delay});  // bent: many vertices
  }
  const std::vector<Point> in_order = HullOf(HalfHull::Side::kLower, points);
  EXPECT_GT(in_order.size(), 10u);
  std::vector<Point> nearly_sorted = points;
  for (size_t i = 0; i + 8 < points.size(); i += 8) {
    std::shuffle(nearly_sorted.begin() + static_cast<ptrdiff_t>(i),
                 nearly_sorted.begin() + static_cast<ptrdiff_t>(i) + 8, random);
  }
  EXPECT_EQ(HullOf(HalfHull::Side::kLower, nearly_sorted), in_order);
  std::vector<Point> shuffled = points;
  std::shuffle(shuffled.begin(), shuffled.end(), random);
  EXPECT_EQ(HullOf(HalfHull::Side::kLower, shuffled), in_order);
  std::reverse(points.begin(), points.end());
  EXPECT_EQ(HullOf(HalfHull::Side::kLower, points), in_order);
}

TEST(HalfHull, HoldsFewPointsHoweverManyAreAdded) {
  for (const bool is_shuffled : {false, true}) {
    std::mt19937_64 random(11);
    HalfHull hull(HalfHull::Side::kLower);
    for (int64_t i = 0; i < 300'000; i += 100) {
      std::vector<Point> batch;
      for (int64_t j = i; j < i + 100; ++j) {
        const int64_t x = is_shuffled ? static_cast<int64_t>(random() % 300'000'000) : j * 1000;
        batch.push_back({x, x + static_cast<int64_t>(random() % 1'000'000)});
      }
      hull.Add(batch);
    }
    EXPECT_LE(hull.peak_points(), 2000u);
  }
}

}  // namespace
}  // namespace syncline
