#include "estimate/point.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr int64_t kHuge = (int64_t{1} << 62) - 1;

TEST(Turn, IsExactWhereOneUnitDecidesBetweenHugeProducts) {
  const Point o{-kHuge / 2, -kHuge / 2};
  const Point p{0, 0};
  const Point q{kHuge / 2, kHuge / 2};
  EXPECT_EQ(Turn(o, p, q), 0);
  EXPECT_GT(Turn(o, p, {q.x, q.y + 1}), 0);
  EXPECT_LT(Turn(o, p, {q.x, q.y - 1}), 0);
}

TEST(Slope, ComparesExactly) {
  EXPECT_LT((Slope{kHuge - 1, kHuge}), (Slope{1, 1}));
  EXPECT_LT((Slope{kHuge - 2, kHuge - 1}), (Slope{kHuge - 1, kHuge}));
  EXPECT_EQ((Slope{2, 4}), (Slope{1, 2}));
}

TEST(Slope, DriftKeepsAllDigitsOfASmallDifference) {
  const Slope s{1'000'000'000'000'000'001, 1'000'000'000'000'000'000};
  EXPECT_NEAR(static_cast<double>(s.Drift() * 1e18L), 1.0, 1e-15);
}

TEST(Slope, MiddleStaysBetweenItsEnds) {
  const Slope low{999'800, 1'000'000};
  const Slope high{1'000'200, 1'000'000};
  EXPECT_EQ(Middle(low, high), (Slope{1, 1}));
  EXPECT_EQ(Middle(high, high), high);
  const Slope slow{1, int64_t{1} << 20};
  const Slope fast{int64_t{1} << 20, 1};
  EXPECT_GE(Middle(slow, fast), slow);
  EXPECT_LE(Middle(slow, fast), fast);
}

TEST(Line, RoundsDownUpAndToNearest) {
  const Line line{{10, 100}, {1, 3}};  // y = 100 + (x − 10) / 3
  EXPECT_EQ(line.Floor(11), 100);
  EXPECT_EQ(line.Ceil(11), 101);
  EXPECT_EQ(line.Nearest(11), 100);
  EXPECT_EQ(line.Nearest(12), 101);
  EXPECT_EQ(line.Floor(9), 99);
  EXPECT_EQ(line.Ceil(9), 100);
  EXPECT_EQ(line.Floor(13), 101);
  EXPECT_EQ(line.Ceil(13), 101);
}

// Near slopes are computed with 64 bits, others with 128: both against products of 128.
TEST(Line, IsExactForNearAndFarSlopes) {
  const uint64_t seed = 41;
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20'000; ++i) {
    const auto any = [&](int bits) { return static_cast<int64_t>(random()) >> (64 - bits); };
    const int64_t den = std::abs(any(2 + static_cast<int>(random() % 60))) | 1;
    const int64_t num = std::max<int64_t>(1, i % 2 == 0 ? den + any(12) : any(50));
    const Line line{{any(60), any(60)}, {num, den}};
    // Every fourth x makes halves likely.
    const int64_t x = i % 4 == 0 ? line.at.x + any(4) : any(60);
    const Int128 rise = (static_cast<Int128>(x) - line.at.x) * num;
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", line " << i);
    EXPECT_EQ(line.Floor(x), Saturate(line.at.y + FloorDiv(rise, den)));
    EXPECT_EQ(line.Ceil(x), Saturate(line.at.y + CeilDiv(rise, den)));
    EXPECT_EQ(line.Nearest(x), Saturate(line.at.y + MulDivRound(static_cast<Int128>(x) - line.at.x,
                                                                num, static_cast<UInt128>(den))));
  }
}

TEST(Line, RoundsHalvesAwayFromItsPoint) {
  const Line line{{10, 100}, {3, 2}};  // y = 100 + (x − 10) · 3/2
  EXPECT_EQ(line.Nearest(11), 102);    // 101.5
  EXPECT_EQ(line.Nearest(9), 98);      // 98.5
}

TEST(Line, SaturatesInsteadOfOverflowing) {
  const Line line{{0, 0}, {int64_t{1} << 20, 1}};
  EXPECT_EQ(line.Ceil(INT64_MAX), INT64_MAX);
  EXPECT_EQ(line.Floor(INT64_MIN), INT64_MIN);
  EXPECT_EQ(line.Nearest(INT64_MIN), INT64_MIN);
}

TEST(Line, SideIsExactAndResidualKeepsSmallDistancesAtHugeTimes) {
  const int64_t now = 1'795'263'390'669'396'121;
  const Line line{{now, now + 1'700'000'000}, {1'000'035, 1'000'000}};
  const Point on{now + 1'000'000, now + 1'700'000'000 + 1'000'035};
  EXPECT_EQ(line.Side(on), 0);
  EXPECT_EQ(line.Side({on.x, on.y + 1}), 1);
  EXPECT_EQ(line.Side({on.x, on.y - 1}), -1);
  EXPECT_DOUBLE_EQ(line.Residual({on.x, on.y + 1}), 1.0);
}

TEST(Line, InvertedTurnsYIntoX) {
  const Line line{{10, 100}, {3, 2}};
  EXPECT_EQ(line.Nearest(30), 100 + 20 * 3 / 2);
  EXPECT_EQ(line.Inverted().Nearest(130), 30);
}

}  // namespace
}  // namespace syncline
