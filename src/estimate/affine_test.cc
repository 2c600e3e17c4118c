#include <cstdint>

#include <gtest/gtest.h>

#include "base/testing/times.h"
#include "estimate/point.h"

namespace syncline {
namespace {

constexpr int64_t kYear = 31'557'600'000'000'000;

TEST(Affine, DefaultIsTheIdentity) {
  EXPECT_EQ(Affine()({kEpoch, 0}).Nearest(), kEpoch);
  EXPECT_EQ(Affine()({INT64_MIN, 0}).Nearest(), INT64_MIN);
}

TEST(Affine, AgreesWithTheExactLineOverYears) {
  const Line line{{kEpoch, kEpoch - 5 * kYear}, {1'000'035, 1'000'000}};
  for (int64_t dx = -kYear; dx <= kYear; dx += kYear / 97) {
    EXPECT_EQ(Affine(line)({kEpoch + dx, 0}).Nearest(), line.Nearest(kEpoch + dx)) << dx;
  }
}

TEST(Affine, CompositionDoesNotAddUpRounding) {
  const Line there{{kEpoch, kEpoch / 2}, {1'000'123, 999'979}};
  Affine map;
  for (int i = 0; i < 10; ++i) map = map.Then(Affine(there)).Then(Affine(there.Inverted()));
  for (const int64_t dx : {-kYear, int64_t{-1}, int64_t{0}, int64_t{1}, kYear}) {
    EXPECT_EQ(map({kEpoch + dx, 0}).Nearest(), kEpoch + dx);
  }
}

TEST(Affine, CarriesFractionsOfNanoseconds) {
  const Affine half_up(Line{{0, 100}, {3, 2}});
  EXPECT_EQ(half_up({1, 0}).ns, 101);
  EXPECT_DOUBLE_EQ(static_cast<double>(half_up({1, 0}).fraction), 0.5);
  EXPECT_EQ(half_up({0, 2.0L / 3}).Nearest(), 100 + 1);
}

TEST(Affine, Saturates) {
  const Affine fast(Line{{0, 0}, {int64_t{1} << 20, 1}});
  EXPECT_EQ(fast({INT64_MAX, 0}).Nearest(), INT64_MAX);
  EXPECT_EQ(fast.Then(fast).Then(fast).Then(fast)({INT64_MIN, 0}).Nearest(), INT64_MIN);
}

}  // namespace
}  // namespace syncline
