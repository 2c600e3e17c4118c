#include "estimate/hulls/bound_curve.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace syncline {
namespace {

// Slope ½ up to (0, 0), 1/1 to (10, 10), 2 after.
BoundCurve Convex() { return {{1, 2}, {{0, 0}, {10, 10}}, {2, 1}}; }

TEST(BoundCurve, FollowsRaysAndEdges) {
  EXPECT_EQ(Convex().Floor(-4), -4 / 2);
  EXPECT_EQ(Convex().Floor(0), 0);
  EXPECT_EQ(Convex().Floor(7), 7);
  EXPECT_EQ(Convex().Floor(10), 10);
  EXPECT_EQ(Convex().Floor(13), 10 + 3 * 2);
}

TEST(BoundCurve, RoundsToTheSideAskedFor) {
  EXPECT_EQ(Convex().Floor(-3), -2);  // −1.5
  EXPECT_EQ(Convex().Ceil(-3), -1);
}

TEST(BoundCurve, SaturatesFarAway) {
  EXPECT_EQ(Convex().Ceil(INT64_MAX), INT64_MAX);
  EXPECT_EQ(Convex().Floor(INT64_MIN), INT64_MIN / 2);
}

TEST(BoundCurve, InvertedUndoesIt) {
  const BoundCurve inverse = Convex().Inverted();
  for (int64_t x = -20; x <= 20; ++x) {
    SCOPED_TRACE(x);
    EXPECT_LE(inverse.Floor(Convex().Floor(x)), x);
    EXPECT_GE(inverse.Ceil(Convex().Ceil(x)), x);
    if (x % 2 == 0) {
      EXPECT_EQ(inverse.Floor(Convex().Floor(x)), x);
    }
  }
}

TEST(BoundCurve, PreimageIsTheInverseRoundedDown) {
  for (int64_t y = -20; y <= 40; ++y) {
    EXPECT_EQ(Convex().Preimage(y), Convex().Inverted().Floor(y)) << y;
  }
}

TEST(Bounds, InvertedSwapsItsSides) {
  Bounds bounds;
  bounds.upper = Convex();
  const Bounds inverse = bounds.Inverted();
  EXPECT_FALSE(inverse.upper.has_value());
  ASSERT_TRUE(inverse.lower.has_value());
  EXPECT_EQ(inverse.lower->Floor(16), 13);
}

}  // namespace
}  // namespace syncline
