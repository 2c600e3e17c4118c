#include "report/concurrency_summary.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace syncline {
namespace {

using testing::HasSubstr;

ConcurrencySummary TwoMeasuredProcesses() {
  ConcurrencySummary s;
  s.processes = {{.name = "a", .has_events = true, .regions = 2},
                 {.name = "silent"},
                 {.name = "b", .has_events = true, .first_ns = 100, .regions = 2}};
  s.processes[0].totals = {.computed_ns = 30, .height_ns = 30, .events = 1, .event_height = 1};
  s.processes[2].totals = {
      .computed_ns = 12, .delayed_ns = 8, .height_ns = 18, .events = 1, .event_height = 2};
  const ProcessTotals active[2] = {s.processes[0].totals, s.processes[2].totals};
  s.measures = MeasureComputation(active);
  s.messages = 1;
  s.cuts = {.count = 3, .sequential = 3, .concurrent = 4, .measure = 0.0};
  const Region delivery{.process = ProcessId(2),
                        .end = RegionEnd::kDelivery,
                        .event = 2,
                        .end_ns = 112,
                        .own_computed_ns = 4,
                        .own_delayed_ns = 8,
                        .sender = ProcessId(0),
                        .values = {4, 8, 10, 14, 22, 2, 2, 3}};
  s.regions = {delivery};
  s.longest_waits = {delivery};
  s.waited_for = {{ProcessId(2), ProcessId(0), 1, 8}};
  return s;
}

TEST(ConcurrencySummary, JsonHasEveryLevel) {
  const auto json = nlohmann::json::parse(ConcurrencySummaryToJson(TwoMeasuredProcesses()));
  EXPECT_DOUBLE_EQ(json["computation"]["alpha"], (42.0 - 30) / (50 - 30));
  EXPECT_EQ(json["computation"]["charron_bost"]["consistent_cuts"], 3);
  ASSERT_EQ(json["processes"].size(), 2);
  EXPECT_EQ(json["processes"][1]["name"], "b");
  EXPECT_DOUBLE_EQ(json["processes"][1]["share"], 12.0 / 42);
  EXPECT_EQ(json["regions"][0]["process"], "b");
  EXPECT_EQ(json["regions"][0]["sender"], "a");
  EXPECT_DOUBLE_EQ(json["regions"][0]["alpha"], (14.0 - 10) / (22 - 10));
  EXPECT_EQ(json["waited_for"][0]["delayed_ns"], 8);
}

TEST(ConcurrencySummary, TextSaysWhereToLook) {
  const std::string text = ConcurrencySummaryToText(TwoMeasuredProcesses());
  EXPECT_THAT(text, HasSubstr("Concurrency α = 0.600"));
  EXPECT_THAT(text, HasSubstr("b for a"));
  EXPECT_THAT(text, HasSubstr("100.0 %"));
  EXPECT_THAT(text, HasSubstr("delivery from a"));
  EXPECT_THAT(text, HasSubstr("12 ns"));  // 112 − 100: after its start
  EXPECT_THAT(text, testing::Not(HasSubstr("silent")));
}

TEST(ConcurrencySummary, TextBeginsWithWhoWaitedForWhom) {
  ConcurrencySummary s = TwoMeasuredProcesses();
  // 8 of 30 + 12 + 8 ns.
  EXPECT_THAT(
      ConcurrencySummaryToText(s),
      testing::StartsWith("16.0 % of the processes' time was spent waiting, b most, for a.\n"));
  s.processes[0].name = "7";
  s.processes[2].label = "rank 2";
  EXPECT_THAT(ConcurrencySummaryToText(s), HasSubstr("rank 2 most, for process 7.\n"));
  s.processes[0].label = "rank 2";
  EXPECT_THAT(ConcurrencySummaryToText(s), HasSubstr("b most, for process 7.\n"));
}

TEST(ConcurrencySummary, TextSaysFirstThatNoWaitingIsRecorded) {
  ConcurrencySummary s;
  s.waits = "recorded";
  EXPECT_THAT(ConcurrencySummaryToText(s),
              testing::StartsWith("The traces record no waiting; --waits receives"));
}

TEST(ConcurrencySummary, UndefinedIsNullAndNotAvailable) {
  const ConcurrencySummary nothing;
  const auto json = nlohmann::json::parse(ConcurrencySummaryToJson(nothing));
  EXPECT_TRUE(json["computation"]["alpha"].is_null());
  EXPECT_TRUE(json["computation"]["charron_bost"]["m"].is_null());
  const std::string text = ConcurrencySummaryToText(nothing);
  EXPECT_THAT(text, HasSubstr("α = n/a"));
  EXPECT_THAT(text, testing::Not(HasSubstr("nan")));
}

TEST(ConcurrencySummary, CsvLineHasAsManyFieldsAsItsHeader) {
  const auto commas = [](const std::string& line) {
    return std::count(line.begin(), line.end(), ',');
  };
  const std::string line = RegionCsvLine({}, "p", "");
  EXPECT_EQ(commas(line), commas(RegionCsvHeader()));
  EXPECT_EQ(line, "p,0,termination,0,0,,0,0,,0,0,0,0,0,,,,,,\n");
  EXPECT_THAT(RegionCsvLine({}, "p,\"1\"", ""), HasSubstr("\"p,\"\"1\"\"\",0,"));
}

}  // namespace
}  // namespace syncline
