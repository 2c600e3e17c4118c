#include "estimate/hulls/pair_points.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PairPoints, PutsTimeAtAOnTheAbscissaForBothDirections) {
  PairPoints points;
  points.AddAToB(10, 1015);
  points.AddBToA(1020, 30);
  EXPECT_THAT(points.HullAToB(), ElementsAre(Point{10, 1015}));
  EXPECT_THAT(points.HullBToA(), ElementsAre(Point{30, 1020}));
  EXPECT_EQ(points.messages_ab(), 1u);
  EXPECT_EQ(points.messages_ba(), 1u);
}

TEST(PairPoints, CentroidIsTheMeanTimeAtA) {
  constexpr int64_t kEpoch = 1'795'263'390'669'396'121;
  PairPoints points;
  points.AddAToB(kEpoch, 0);
  points.AddAToB(kEpoch + 10, 0);
  points.AddAToB(kEpoch + 26, 0);
  points.AddBToA(0, kEpoch - 5);
  points.AddBToA(0, kEpoch - 6);
  EXPECT_EQ(points.CentroidAToB(), kEpoch + (0 + 10 + 26) / 3);
  EXPECT_EQ(points.CentroidBToA(), kEpoch - 6);  // −5.5 rounded down
}

TEST(PairPoints, CountsEveryMessageWhetherItsBatchIsFullOrNot) {
  std::mt19937_64 random(9);
  PairPoints points;
  std::vector<Point> upper;
  int64_t sum = 0;
  for (int64_t n = 1; n <= 700; ++n) {
    upper.push_back({n * 100, n * 100 + static_cast<int64_t>(random() % 1000)});
    points.AddAToB(upper.back().x, upper.back().y);
    points.AddAToB(INT64_MIN, 0);  // out of range, between the others
    sum += n * 100;
    if (n % 50 != 6) continue;
    SCOPED_TRACE(n);
    HalfHull hull(HalfHull::Side::kLower);
    hull.Add(upper);
    EXPECT_EQ(points.HullAToB(), hull.Points());
    EXPECT_EQ(points.messages_ab(), static_cast<uint64_t>(n));
    EXPECT_EQ(points.out_of_range(), static_cast<uint64_t>(n));
    EXPECT_EQ(points.CentroidAToB(), sum / n);
    EXPECT_TRUE(std::ranges::equal(points.SampleAToB().points(), upper));
    EXPECT_EQ(points.messages_ba(), 0u);
    EXPECT_THAT(points.HullBToA(), IsEmpty());
  }
}

TEST(PairPoints, GoesOnInAnotherProcessAsInThisOne) {
  std::mt19937_64 random(4);
  PairPoints here, moved;
  for (int64_t n = 1; n <= 6000; ++n) {
    const int64_t sent = n * 100, received = sent + static_cast<int64_t>(random() % 1000);
    const bool is_back = random() % 3 == 0;
    for (PairPoints* points : {&here, &moved}) {
      is_back ? points->AddBToA(sent, received) : points->AddAToB(sent, received);
      if (n % 1000 == 0) points->AddAToB(INT64_MIN, 0);
    }
    if (random() % 500 != 0) continue;
    Parcel parcel;
    moved.Put(parcel);
    ParcelReader reader(parcel.bytes());
    moved = PairPoints::Take(reader);
    EXPECT_TRUE(reader.is_at_end());
  }
  EXPECT_EQ(moved.HullAToB(), here.HullAToB());
  EXPECT_EQ(moved.HullBToA(), here.HullBToA());
  EXPECT_EQ(moved.messages_ab(), here.messages_ab());
  EXPECT_EQ(moved.messages_ba(), here.messages_ba());
  EXPECT_EQ(moved.out_of_range(), here.out_of_range());
  EXPECT_EQ(moved.CentroidAToB(), here.CentroidAToB());
  EXPECT_EQ(moved.CentroidBToA(), here.CentroidBToA());
  EXPECT_TRUE(std::ranges::equal(moved.SampleAToB().points(), here.SampleAToB().points()));
  EXPECT_TRUE(std::ranges::equal(moved.SampleBToA().points(), here.SampleBToA().points()));
}

TEST(PairPoints, CountsMessagesTooFarAwayInsteadOfUsingThem) {
  PairPoints points;
  points.AddAToB(0, 0);
  points.AddAToB((int64_t{1} << 61) - 1, 0);
  points.AddAToB(int64_t{1} << 61, 0);
  points.AddBToA(-(int64_t{1} << 61), 5);
  points.AddBToA(5, INT64_MIN);
  EXPECT_EQ(points.messages_ab(), 2u);
  EXPECT_EQ(points.messages_ba(), 0u);
  EXPECT_EQ(points.out_of_range(), 3u);
}

TEST(PairPoints, SaturatedTimesDoNotBecomeTheOrigin) {
  PairPoints points;
  points.AddAToB(INT64_MIN, 0);
  points.AddAToB(0, INT64_MAX);
  EXPECT_THAT(points.HullAToB(), IsEmpty());
  points.AddAToB(1'795'263'390'669'396'121, 1'795'263'390'669'396'122);
  EXPECT_EQ(points.messages_ab(), 1u);
  EXPECT_EQ(points.out_of_range(), 2u);
}

TEST(PairPoints, WorksNearTheEndsOfTime) {
  constexpr int64_t kLate = INT64_MAX - (int64_t{1} << 52);
  PairPoints points;
  points.AddAToB(kLate, -kLate);
  points.AddAToB(kLate - 1000, -kLate + 1000);
  points.AddAToB(kLate + 1000, -kLate - 1000);
  EXPECT_EQ(points.messages_ab(), 3u);
  EXPECT_EQ(points.CentroidAToB(), kLate);
}

}  // namespace
}  // namespace syncline
