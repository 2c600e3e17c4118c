#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/times.h"
#include "estimate/hulls/pair_points.h"
#include "estimate/lines/fast_slope.h"

namespace syncline {
namespace {

constexpr long double kLongPpm = 1e-6L;

// FastMessages every 10 ms from a clock to one that runs 12 ppm slow, exponential delays of 120 µs.
std::vector<Point> FastMessages(size_t count, DelaySide side, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> delay(1.0 / 120'000);
  std::vector<Point> points;
  for (size_t i = 0; i < count; ++i) {
    const int64_t t = static_cast<int64_t>(i) * 10'000'000;
    const auto d = static_cast<int64_t>(delay(random)) + 400'000;
    points.push_back(
        {kEpoch + t, kEpoch + t - t / 1'000'000 * 12 + (side == DelaySide::kAbove ? d : -d)});
  }
  return points;
}

TEST(TrimmedDrift, FindsTheSlopeOfTheFastestMessagesOnEitherSide) {
  for (const DelaySide side : {DelaySide::kAbove, DelaySide::kBelow}) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE(seed);
      const auto found = FindTrimmedDrift(FastMessages(600, side, seed), side);
      ASSERT_TRUE(found.has_value());
      // 150 messages whose delays spread by about 10 µs, over 6 s: 10 µs · √(12/150) / 6 s = 0.5
      // ppm, and a little more because the line chooses its messages.
      EXPECT_NEAR(static_cast<double>(found->drift / kLongPpm), -12, 3);
    }
  }
}

TEST(TrimmedDrift, IgnoresSlowMessagesHoweverMany) {
  std::vector<Point> points;
  for (int64_t i = 0; i < 400; ++i) {
    // Every second message takes longer and longer: alone they would tell 1000 ppm.
    points.push_back({i * 1'000'000, i * 1'000'000 + (i % 2 == 0 ? 50 : 50'000 + i * 1000)});
  }
  const auto found = FindTrimmedDrift(points, DelaySide::kAbove);
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(static_cast<double>(found->drift / kLongPpm), 0, 1e-3);
}

TEST(TrimmedDrift, DoesNotDependOnTheOrderOfMessages) {
  std::vector<Point> points = FastMessages(500, DelaySide::kAbove, 7);
  const auto sorted = FindTrimmedDrift(points, DelaySide::kAbove);
  std::rotate(points.begin() + 1, points.begin() + 250, points.end());
  const auto rotated = FindTrimmedDrift(points, DelaySide::kAbove);
  ASSERT_TRUE(sorted && rotated);
  EXPECT_NEAR(static_cast<double>((sorted->drift - rotated->drift) / kLongPpm), 0, 1e-6);
}

TEST(TrimmedDrift, CountsEachDirectionByWhatItKnows) {
  // Above: slope 1, 400 messages over 400 ms; below: 10 messages that tell 100 ppm.
  std::vector<Point> above;
  std::vector<Point> below;
  for (int64_t i = 0; i < 400; ++i) above.push_back({i * 1'000'000, i * 1'000'000 + 50});
  for (int64_t i = 0; i < 10; ++i) below.push_back({i * 1'000'000, i * 1'000'100 - 50});
  const auto both = FindTrimmedDrift(above, below);
  ASSERT_TRUE(both.has_value());
  EXPECT_NEAR(static_cast<double>(both->drift / kLongPpm), 0, 1);
  const auto alone = FindTrimmedDrift({}, below);
  ASSERT_TRUE(alone.has_value());
  EXPECT_NEAR(static_cast<double>(alone->drift / kLongPpm), 100, 1e-6);
}

TEST(TrimmedDrift, NeedsEnoughMessagesAtDifferentInstants) {
  EXPECT_FALSE(FindTrimmedDrift({}, DelaySide::kAbove).has_value());
  EXPECT_FALSE(
      FindTrimmedDrift(FastMessages(kLeastPoints - 1, DelaySide::kAbove, 1), DelaySide::kAbove)
          .has_value());
  const std::vector<Point> same(100, Point{kEpoch, kEpoch + 5});
  EXPECT_FALSE(FindTrimmedDrift(same, DelaySide::kAbove).has_value());
}

PointSample SampleOf(std::span<const Point> points, size_t batch, Point origin = {kEpoch, kEpoch}) {
  PointSample sample;
  for (; points.size() > batch; points = points.subspan(batch)) {
    sample.Add(points.first(batch), origin);
  }
  sample.Add(points, origin);
  return sample;
}

TEST(PointSample, HoldsAllPointsUpToItsCapacity) {
  const auto points = FastMessages(PointSample::kCapacity, DelaySide::kAbove, 3);
  for (const size_t batch : {1u, 7u, 256u, 5000u}) {
    EXPECT_TRUE(std::ranges::equal(SampleOf(points, batch).points(), points)) << batch;
  }
}

TEST(PointSample, IsTheSameInAnyOrderAndSpreadOverAllTimes) {
  std::vector<Point> points = FastMessages(100'000, DelaySide::kAbove, 4);
  const PointSample forward = SampleOf(points, 256);
  std::shuffle(points.begin(), points.end(), std::mt19937_64(5));
  const PointSample shuffled = SampleOf(points, 33);
  std::vector<Point> a(forward.points().begin(), forward.points().end());
  std::vector<Point> b(shuffled.points().begin(), shuffled.points().end());
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  EXPECT_EQ(a, b);
  EXPECT_GE(a.size(), PointSample::kCapacity / 4);
  EXPECT_LE(a.size(), PointSample::kCapacity);
  // About as many in each tenth of the 1000 s.
  for (int64_t tenth = 0; tenth < 10; ++tenth) {
    const auto in_it = std::count_if(
        a.begin(), a.end(), [tenth](Point p) { return (p.x - kEpoch) / 100'000'000'000 == tenth; });
    EXPECT_NEAR(static_cast<double>(in_it), static_cast<double>(a.size()) / 10,
                5 * std::sqrt(static_cast<double>(a.size()) / 10));
  }
}

TEST(PointSample, MovesWithTheClocks) {
  const std::vector<Point> points = FastMessages(10'000, DelaySide::kAbove, 4);
  std::vector<Point> moved = points;
  for (Point& p : moved) p = {p.x - kEpoch, p.y + 86'400'000'000'007};
  const PointSample here = SampleOf(points, 256, points.front());
  const PointSample there = SampleOf(moved, 256, moved.front());
  ASSERT_EQ(here.points().size(), there.points().size());
  for (size_t i = 0; i < here.points().size(); ++i) {
    EXPECT_EQ(here.points()[i].x - there.points()[i].x, kEpoch);
    EXPECT_EQ(there.points()[i].y - here.points()[i].y, 86'400'000'000'007);
  }
}

TEST(PointSample, OfEqualPointsStaysBounded) {
  const std::vector<Point> same(5000, Point{kEpoch, kEpoch});
  EXPECT_LE(SampleOf(same, 256).points().size(), PointSample::kCapacity);
}

}  // namespace
}  // namespace syncline
