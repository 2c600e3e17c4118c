#include "read/otf2/clock_offsets.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

using Record = Otf2ClockOffsets::Record;

Otf2ClockOffsets Offsets(std::vector<Record> records) {
  auto offsets = Otf2ClockOffsets::FromRecords(std::move(records));
  EXPECT_TRUE(offsets) << offsets.error().ToString();
  return offsets ? *offsets : Otf2ClockOffsets{};
}

TEST(Otf2ClockOffsets, NoneAndASingleRecordCorrectNothing) {
  for (const auto& records : {std::vector<Record>{}, std::vector<Record>{{5, 100}}}) {
    const Otf2ClockOffsets offsets = Offsets(records);
    EXPECT_FALSE(offsets.corrects());
    EXPECT_EQ(offsets.Corrected(1000), LocalTime{1000});
    EXPECT_FALSE(offsets.ToCorrection(Clock{}));
  }
}

TEST(Otf2ClockOffsets, OffsetsAreLinearBetweenRecordsAndGoOnBeyondThem) {
  // Slopes (30 − 10) / 100 and (0 − 30) / 100.
  const Otf2ClockOffsets offsets = Offsets({{100, 10}, {200, 30}, {300, 0}});
  const struct {
    uint64_t recorded;
    int64_t corrected;
  } cases[] = {
      {0, 0 + 10 - 20},     {50, 50 + 10 - 10},  {100, 100 + 10},
      {150, 150 + 10 + 10}, {200, 200 + 30},     {250, 250 + 30 - 15},
      {300, 300 + 0},       {400, 400 + 0 - 30}, {153, 153 + 10 + 11},  // 0.2 · 53 = 10.6
  };
  for (const auto& c : cases)
    EXPECT_EQ(offsets.Corrected(c.recorded), LocalTime{c.corrected}) << c.recorded;
}

TEST(Otf2ClockOffsets, TheCorrectionAgreesWithCorrectedTimesToATick) {
  const Otf2ClockOffsets offsets =
      Offsets({{1'000, -500}, {30'000'000'000, 3'100'147}, {50'000'000'000, 4'000'000}});
  const auto correction = offsets.ToCorrection(Clock{});
  ASSERT_TRUE(correction);
  for (uint64_t t = 0; t < 60'000'000'000; t += 1'234'567'891) {
    const int64_t exact = (*correction)(LocalTime{static_cast<int64_t>(t)}).ns;
    EXPECT_NEAR(static_cast<double>(exact - offsets.Corrected(t).ticks), 0, 1) << t;
  }
}

TEST(Otf2ClockOffsets, TimesThatDoNotIncreaseAreAnError) {
  EXPECT_FALSE(Otf2ClockOffsets::FromRecords({{5, 0}, {5, 1}}));
  EXPECT_FALSE(Otf2ClockOffsets::FromRecords({{5, 0}, {4, 1}}));
}

TEST(Otf2ClockOffsets, RecordsThatTurnTimeBackGiveNoCorrection) {
  const Otf2ClockOffsets offsets = Offsets({{0, 100}, {10, 0}});  // slope −10
  EXPECT_EQ(offsets.Corrected(5), LocalTime{5 + 100 - 50});
  EXPECT_FALSE(offsets.ToCorrection(Clock{}));
}

TEST(Otf2ClockOffsets, ExtremesSaturate) {
  const Otf2ClockOffsets offsets = Offsets({{0, INT64_MIN}, {1, INT64_MAX}});
  EXPECT_EQ(offsets.Corrected(UINT64_MAX), LocalTime{INT64_MAX});
  EXPECT_EQ(Otf2ClockOffsets{}.Corrected(UINT64_MAX), LocalTime{INT64_MAX});
  EXPECT_EQ(Offsets({{10, INT64_MIN}, {20, INT64_MIN}}).Corrected(15), LocalTime{15 + INT64_MIN});
}

}  // namespace
}  // namespace syncline
