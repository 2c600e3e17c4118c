#include "record/mpi/regions_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace syncline::mpi {
namespace {

using testing::HasSubstr;

// Rank 0 computes 30 ms; rank 1 waits 10 of 20 ms, and knows of 30 in a row.
constexpr ProcessTotals kRanks[] = {
    {.computed_ns = 30'000'000, .height_ns = 20'000'000},
    {.computed_ns = 10'000'000, .delayed_ns = 10'000'000, .height_ns = 30'000'000}};

TEST(RegionsReport, GivesTheMeasuresAsJson) {
  const auto json = nlohmann::json::parse(RegionsToJson(kRanks));
  EXPECT_EQ(json["computation"]["weight_ns"], 30'000'000 + 10'000'000);
  EXPECT_EQ(json["computation"]["volume_ns"], 40'000'000 + 10'000'000);
  EXPECT_EQ(json["computation"]["height_ns"], 30'000'000);
  EXPECT_DOUBLE_EQ(json["computation"]["alpha"], (40.0 - 30) / (50 - 30));
  EXPECT_DOUBLE_EQ(json["computation"]["path_share"], 30.0 / 40);
  EXPECT_EQ(json["processes"][1]["name"], "1");
  EXPECT_DOUBLE_EQ(json["processes"][1]["efficiency"], 10.0 / 20);
  EXPECT_DOUBLE_EQ(json["processes"][1]["share"], 10.0 / 40);
}

TEST(RegionsReport, SaysWhatIsUndefined) {
  const ProcessTotals nothing[] = {{}};
  const auto json = nlohmann::json::parse(RegionsToJson(nothing));
  EXPECT_TRUE(json["computation"]["alpha"].is_null());
  EXPECT_TRUE(json["processes"][0]["share"].is_null());
  EXPECT_THAT(RegionsToText(nothing), HasSubstr("alpha n/a"));
}

TEST(RegionsReport, ShowsEveryRank) {
  const std::string text = RegionsToText(kRanks);
  EXPECT_THAT(text, HasSubstr("alpha 0.500  efficiency 0.800  longest path 0.750"));
  EXPECT_THAT(text, HasSubstr("\n1             10.000         10.000        0.500    0.250\n"));
}

}  // namespace
}  // namespace syncline::mpi
