#include "measure/concurrency/region_series.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

// α = (wt − HT) / (vol − HT) = (weight − 10) / 20.
Region RegionOf(uint32_t process, uint64_t number, int64_t end_ns, int64_t weight_ns) {
  return {.process = ProcessId(process),
          .number = number,
          .end_ns = end_ns,
          .own_computed_ns = 7,
          .own_delayed_ns = 3,
          .values = {.height_ns = 10, .weight_ns = weight_ns, .volume_ns = 30}};
}

TEST(RegionSeries, TellsWaitsAndLeastConcurrencyByTheTimeOfEachProcess) {
  RegionSeries series;
  series.Add(RegionOf(1, 4, 1005, 25), 1000);
  series.Add(RegionOf(0, 2, 5, 15), 0);
  series.Add(RegionOf(0, 3, 8, 30), 0);
  const auto& bins = series.bins();
  ASSERT_EQ(bins.width_ns(), 1);
  ASSERT_EQ(bins.start_ns(), 5);
  const RegionBin& first = bins.bins()[0];
  EXPECT_EQ(first.regions, 2);
  EXPECT_EQ(first.computed_ns, 7 + 7);
  EXPECT_EQ(first.delayed_ns, 3 + 3);
  EXPECT_DOUBLE_EQ(*first.MeanAlpha(), (15.0 / 20 + 5.0 / 20) / 2);
  EXPECT_DOUBLE_EQ(first.least_alpha, 5.0 / 20);
  EXPECT_EQ(first.process, ProcessId(0));
  EXPECT_EQ(first.region, 2);
  EXPECT_FALSE(bins.bins()[1].MeanAlpha());
  EXPECT_DOUBLE_EQ(bins.bins()[3].least_alpha, 1);
}

TEST(RegionSeries, CountsRegionsWithoutAlphaApart) {
  RegionSeries series;
  Region region = RegionOf(0, 0, 5, 10);
  region.values = {};  // 0 / 0
  series.Add(region, 0);
  EXPECT_EQ(series.bins().bins()[0].regions, 1);
  EXPECT_FALSE(series.bins().bins()[0].MeanAlpha());
}

TEST(RegionSeries, TakesTheFirstOfEqualsWhateverTheOrder) {
  for (const bool is_reversed : {false, true}) {
    RegionSeries series;
    series.Add(is_reversed ? RegionOf(1, 0, 5, 15) : RegionOf(0, 9, 5, 15), 0);
    series.Add(is_reversed ? RegionOf(0, 9, 5, 15) : RegionOf(1, 0, 5, 15), 0);
    EXPECT_EQ(series.bins().bins()[0].process, ProcessId(0));
    EXPECT_EQ(series.bins().bins()[0].region, 9);
  }
}

TEST(RegionSeries, PartsAddUpToTheWhole) {
  RegionSeries whole;
  RegionSeries parts[2];
  for (uint32_t i = 0; i < 1000; ++i) {
    // Sums of such α depend on the order, were they rounded.
    const Region region = RegionOf(i % 3, i, int64_t{i} * 7, 11 + i % 19);
    whole.Add(region, 0);
    parts[i % 3 == 1 ? 1 : 0].Add(region, 0);
  }
  Parcel parcel;
  parts[1].Put(parcel);
  ParcelReader reader(parcel.bytes());
  parts[0].Adopt(reader);
  const auto& bins = parts[0].bins();
  ASSERT_EQ(bins.bins().size(), whole.bins().bins().size());
  for (size_t i = 0; i < bins.bins().size(); ++i) {
    EXPECT_EQ(bins.bins()[i].MeanAlpha(), whole.bins().bins()[i].MeanAlpha());
    EXPECT_EQ(bins.bins()[i].region, whole.bins().bins()[i].region);
    EXPECT_EQ(bins.bins()[i].computed_ns, whole.bins().bins()[i].computed_ns);
  }
}

TEST(RegionSeries, IsSafeAtTheEndsOfTime) {
  RegionSeries series;
  Region region = RegionOf(0, 0, INT64_MAX, 15);
  region.own_computed_ns = INT64_MAX;
  series.Add(region, INT64_MIN);
  series.Add(region, INT64_MIN);
  EXPECT_EQ(series.bins().bins()[0].computed_ns, INT64_MAX);
}

}  // namespace
}  // namespace syncline
