#include "live/exchange/distortion.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(Distortion, AddsOffsetAndDriftFromItsOrigin) {
  const Distortion d = {.offset_ns = -500, .drift_ppb = 35'000, .origin_ns = 1'000'000'000'000};
  EXPECT_EQ(d.Shown(1'000'000'000'000), 1'000'000'000'000 - 500);
  // 35 ppm of 2 s are 70 µs.
  EXPECT_EQ(d.Shown(1'002'000'000'000), 1'002'000'000'000 - 500 + 70'000);
  EXPECT_EQ(d.Shown(998'000'000'000), 998'000'000'000 - 500 - 70'000);
}

TEST(Distortion, RoundsDownAndSaturates) {
  const Distortion d = {.drift_ppb = 1};
  EXPECT_EQ(d.Shown(999'999'999), 999'999'999);
  EXPECT_EQ(d.Shown(1'000'000'000), 1'000'000'001);
  EXPECT_EQ(d.Shown(-1), -1 - 1);
  EXPECT_EQ(Distortion{.offset_ns = INT64_MAX}.Shown(INT64_MAX), INT64_MAX);
  EXPECT_EQ((Distortion{.offset_ns = -1, .drift_ppb = 100'000'000}.Shown(INT64_MIN)), INT64_MIN);
}

TEST(ParseDistortion, TakesPartsInAnyOrder) {
  const auto d = ParseDistortion("drift=35ppm,offset=-1.7s", 42);
  ASSERT_TRUE(d.has_value());
  EXPECT_EQ(d->offset_ns, -1'700'000'000);
  EXPECT_EQ(d->drift_ppb, 35'000);
  EXPECT_EQ(d->origin_ns, 42);
  EXPECT_EQ(ParseDistortion("offset=3us,origin=-5", 42)->offset_ns, 3'000);
  EXPECT_EQ(ParseDistortion("offset=3us,origin=-5", 42)->origin_ns, -5);
  EXPECT_EQ(ParseDistortion("drift=-12.5ppb", 42)->drift_ppb, -13);
}

TEST(ParseDistortion, RefusesWhatMakesNoSense) {
  for (const char* text : {"", ",", "offset", "offset=", "offset=s", "offset=nans", "offset=infs",
                           "offset=1e19ns", "drift=1s", "drift=200000ppm", "offset=1s,offset=2s",
                           "offset=1s,", "rate=1ppm", "origin=", "offset=1s drift=1ppm"}) {
    const auto d = ParseDistortion(text, 0);
    ASSERT_FALSE(d.has_value()) << text;
    EXPECT_EQ(d.error().code, ErrorCode::kUsage);
  }
}

}  // namespace
}  // namespace syncline
