#include "report/filter_summary.h"

#include <string>

#include <gmock/gmock.h>
#include <simdjson.h>

namespace syncline {
namespace {

using testing::HasSubstr;
using testing::Not;

FilterSummary TwoFilteredProcesses() {
  FilterSummary s;
  s.version = "0.1.0";
  s.messages = {.total = 4, .inverted_before = 3};
  s.intervals.unchanged = 90;
  s.intervals.above = {2, 0.003, 0.004};
  s.intervals.max_change = 0.004;
  s.intervals.largest = SummaryIntervals::Largest{"P1", 7, 1000, 1004};
  LogicalProtocol& p = s.logical;
  p.clock = "controlled";
  p.controller = "revised";
  p.processes = {{"P0", 50, 0, 0, 0, 10}, {"P1", 44, 40, 1'000, 2'000'000, std::nullopt}};
  p.directions = {{"P0", "P1", 4, {3, 0, -1'700'000, -5, 0}, {0, 0, 250'000, 260'000, 0}}};
  p.half_round_trips = LogicalProtocol::HalfRoundTrips{1, 620'200, 620'200, 620'200};
  p.advised_min_delay_ns = 496'160;
  p.largest_difference_ns = 1'302'920;
  p.start_difference_ns = 1'000'000;
  p.exceeded_at = LogicalProtocol::Place{"P1", 7};
  p.advised_difference_ns = 1'302'920;
  p.controller_events = {90, 4, 0, 0};
  p.smallest_gamma = 0.5;
  p.jumps = 5;
  p.jumps_amortized = 5;
  p.largest_slope = 0.005;
  p.peak_buffered_events = 20;
  return s;
}

TEST(FilterSummary, TextGivesTheAdviceForTheNextRun) {
  const std::string text =
      FilterSummaryToText(TwoFilteredProcesses(), {.detail = TextDetail::kAll});
  EXPECT_THAT(text, HasSubstr("Of 4 messages, 3 were received before sent; after correction none "
                              "is.\n"));
  EXPECT_THAT(text, HasSubstr("--min-delay 496160"));
  EXPECT_THAT(text, HasSubstr("exceeded first (event 7 of P1)"));
  EXPECT_THAT(text, HasSubstr("--clock-difference 1302920"));
  EXPECT_THAT(text, HasSubstr("by A at 90, by B at 4"));
  EXPECT_THAT(text, HasSubstr("largest 0.400 % (1000 ns became 1004 ns, before event 7 of P1)"));
  EXPECT_THAT(text, Not(HasSubstr("collectives")));
  EXPECT_THAT(text, Not(HasSubstr("Added delay")));
}

TEST(FilterSummary, UsuallyTellsWhatMovedAndWhatToDo) {
  FilterSummary s = TwoFilteredProcesses();
  s.logical.events = 94;
  s.logical.events_moved = 40;
  const std::string text = FilterSummaryToText(s);
  EXPECT_THAT(text, HasSubstr("\n40 of 94 events moved forward, by at most 2.000 ms (P1).\n"));
  EXPECT_THAT(text, HasSubstr("--clock-difference 1302920"));
  for (const char* detail :
       {"Controllers", "were held", "least interval", "too fast", "round trip"}) {
    EXPECT_THAT(text, Not(HasSubstr(detail)));
  }
  s.logical.advised_difference_ns.reset();
  EXPECT_THAT(FilterSummaryToText(s), Not(HasSubstr("Largest clock difference")));
  s.logical.directions[0].before.too_fast = 1;
  EXPECT_THAT(FilterSummaryToText(s), HasSubstr("inverted  too fast"));
}

TEST(FilterSummary, JsonHoldsTheSameValues) {
  simdjson::dom::parser parser;
  const std::string text = FilterSummaryToJson(TwoFilteredProcesses());
  const simdjson::dom::element json = parser.parse(text);
  EXPECT_EQ(int64_t{json.at_pointer("/logical/advice/min_delay_ns")}, 496'160);
  EXPECT_EQ(int64_t{json.at_pointer("/logical/processes/1/largest_advance_ns")}, 2'000'000);
  EXPECT_TRUE(json.at_pointer("/logical/processes/1/least_interval_ns").is_null());
  EXPECT_EQ(int64_t{json.at_pointer("/logical/directions/0/before/smallest_delay_ns")}, -1'700'000);
  EXPECT_EQ(uint64_t{json.at_pointer("/intervals/above")}, 2U);
  EXPECT_EQ(uint64_t{json.at_pointer("/intervals/largest/event")}, 7U);
  EXPECT_EQ(uint64_t{json.at_pointer("/messages/inverted_before")}, 3U);
  EXPECT_EQ(uint64_t{json.at_pointer("/messages/inverted_after")}, 0U);
}

TEST(FilterSummary, ListsTheFirstProcessesOfMany) {
  FilterSummary s = TwoFilteredProcesses();
  s.logical.processes.assign(100, s.logical.processes[0]);
  EXPECT_THAT(FilterSummaryToText(s, {.detail = TextDetail::kAll}),
              HasSubstr("… and 68 more processes"));
}

}  // namespace
}  // namespace syncline
