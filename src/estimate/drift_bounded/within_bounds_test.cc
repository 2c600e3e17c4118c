#include "estimate/drift_bounded/within_bounds.h"

#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "estimate/drift_bounded/tube.h"

namespace syncline::drift_bounded {
namespace {

// L and U at readings 0, 1000 and 2000, of rates within 10 %, as the tube rounds them outward.
TimeBounds BoundsAtNodes(std::vector<int64_t> earliest, std::vector<int64_t> latest) {
  TrackTube track = TrackTubeWith({0, 1000, 2000}, std::move(earliest), std::move(latest),
                                  RateLimits::Within(100'000));
  return {Clock{.name = "c"}, std::make_shared<const Tube>(0, 0, 0, std::vector{std::move(track)})};
}
Correction StringThrough(std::vector<Correction::Knot> knots) {
  return Correction::FromKnots(std::move(knots)).value();
}
const ReadingSpan kTracedSpan{{-500}, {2500}};

TEST(WithinBounds, WhatLiesWithinStaysAsItIs) {
  const Correction line = StringThrough({{{0}, {50}}, {{1'000'000}, {1'000'050}}});
  EXPECT_EQ(WithinBounds(line, BoundsAtNodes({0, 1000, 2000}, {100, 1100, 2100}), kTracedSpan),
            line);
}

TEST(WithinBounds, AStraightLineBendsWhereItLeft) {
  // At reading 1000 the true time is 1150 at least, less 1 for rounding; a nanosecond inside.
  const TimeBounds bounds = BoundsAtNodes({60, 1150, 2060}, {160, 1180, 2160});
  const Correction line = StringThrough({{{0}, {100}}, {{2000}, {2100}}});
  const Correction within = WithinBounds(line, bounds, kTracedSpan);
  EXPECT_EQ(within({1000}).ns, 1150 - 1 + 1);
  for (const int64_t t : {0, 2000}) EXPECT_EQ(within({t}), line({t}));
  for (int64_t t = kTracedSpan.first.ticks; t <= kTracedSpan.last.ticks; ++t) {
    EXPECT_LE(*bounds.Lower({t}), within({t})) << t;
    EXPECT_GE(*bounds.Upper({t}), within({t})) << t;
  }
}

TEST(WithinBounds, BeyondTheNodesRatesKeepToTheLimits) {
  // It goes 20 % slower than the reference: beyond 2000 it would leave L.
  const TimeBounds bounds = BoundsAtNodes({0, 1000, 2000}, {400, 1400, 2400});
  const Correction line = StringThrough({{{0}, {390}}, {{2000}, {390 + 2000 * 8 / 10}}});
  const Correction within = WithinBounds(line, bounds, kTracedSpan);
  for (int64_t t = kTracedSpan.first.ticks; t <= kTracedSpan.last.ticks; ++t) {
    EXPECT_LE(*bounds.Lower({t}), within({t})) << t;
    EXPECT_GE(*bounds.Upper({t}), within({t})) << t;
  }
}

TEST(WithinBounds, BeyondWhereItLeftItGoesOnAsBefore) {
  // Below L at reading 0 alone.
  const TimeBounds bounds = BoundsAtNodes({100, 1050, 2040}, {200, 1200, 2200});
  const Correction line = StringThrough({{{-500}, {-430}}, {{0}, {70}}});
  const Correction within = WithinBounds(line, bounds, kTracedSpan);
  EXPECT_EQ(within({0}).ns, 100 - 1 + 1);
  for (const int64_t t : {1000, 1500, 2000, 2500}) EXPECT_EQ(within({t}), line({t})) << t;
}

TEST(WithinBounds, OneSideIsEnough) {
  const TimeBounds bounds =
      BoundsAtNodes({0, 1000, 2000}, {-Paths::kNone, -Paths::kNone, -Paths::kNone});
  const Correction line = StringThrough({{{0}, {-100}}, {{2000}, {1900}}});
  const Correction within = WithinBounds(line, bounds, kTracedSpan);
  for (const int64_t t : {0, 1000, 2000}) EXPECT_EQ(within({t}).ns, t - 1 + 1);
}

}  // namespace
}  // namespace syncline::drift_bounded
