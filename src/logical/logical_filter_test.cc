#include "logical/logical_filter.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logical/logical_oracle.h"
#include "logical/logical_test_util.h"
#include "logical/random_trace.h"

namespace syncline {
namespace {

using ::testing::ElementsAre;
using Kind = LogicalEvent::Kind;

LogicalOptions Unamortized(LogicalClockKind clock, ControllerKind controller) {
  LogicalOptions options;
  options.clock = clock;
  options.controller = controller;
  options.amortization = AmortizationKind::kNone;
  options.max_horizon_ns = -1;
  return options;
}

// Small numbers, so that amortization intervals hold some events of random traces.
LogicalOptions Amortized(ControllerKind controller) {
  LogicalOptions options = Unamortized(LogicalClockKind::kControlled, controller);
  options.amortization = AmortizationKind::kBackward;
  options.amortizer.error_numerator = 1;
  options.amortizer.error_denominator = 4;
  options.amortizer.start_difference_ns = 40;
  options.original.q_init_ns = options.original.q_min_ns = 20;
  options.revised.gamma_max = 0.99;
  options.revised.gamma_floor = 0;
  return options;
}

// --- one worked example of each rule -------------------------------------------------------------

TEST(LogicalFilter, InvertedMessageIsMovedToSendPlusDelay) {
  TestTrace trace(2);
  trace.Send(0, 100, 1, 7);
  trace.Receive(1, 40, 0, 7);
  const FilterRun run = RunFilter(
      trace, Unamortized(LogicalClockKind::kSimple, ControllerKind::kRevised), DelayModel({5, 0}));
  ASSERT_TRUE(run.result.has_value());
  EXPECT_THAT(run.after, ElementsAre(100, 100 + 5));
  ASSERT_EQ(run.sink.messages.size(), 1u);
  EXPECT_EQ(run.sink.messages[0].receive_before.ns, 40);
  EXPECT_EQ(run.sink.messages[0].receive_after.ns, 105);
  EXPECT_EQ(run.sink.messages[0].minimum_delay.ns, 5);
}

TEST(LogicalFilter, ControlledClockKeepsIntervalsAfterAJump) {
  TestTrace trace(2);
  trace.Send(0, 1000, 1, 7);
  trace.Receive(1, 400, 0, 7);
  trace.Internal(1, 500);
  trace.Internal(1, 1005);
  LogicalOptions options = Unamortized(LogicalClockKind::kControlled, ControllerKind::kRevised);
  options.revised.gamma_max = 0.75;
  options.revised.gamma_floor = 0.5;
  const FilterRun run = RunFilter(trace, options, DelayModel({10, 0}));
  // Only process 1 is ahead, so x = 0; q = 1: A determines γ.
  EXPECT_THAT(run.after, ElementsAre(1000, 1010, 1010 + 75, 1085 + 505 * 3 / 4));
  EXPECT_EQ(run.report.largest_jump_ns, 1010 - 400);
  EXPECT_EQ(run.report.processes[1].last_advance_ns, 1085 + 505 * 3 / 4 - 1005);
}

TEST(LogicalFilter, FractionsOfManyShortStepsAddUp) {
  TestTrace trace(2);
  trace.Send(0, 100'000, 1, 1);
  trace.Receive(1, 0, 0, 1);
  for (int64_t i = 1; i <= 1000; ++i) trace.Internal(1, i);
  LogicalOptions options = Unamortized(LogicalClockKind::kControlled, ControllerKind::kRevised);
  options.revised.gamma_max = options.revised.gamma_floor = 0.75;
  const FilterRun run = RunFilter(trace, options, DelayModel({10, 0}));
  EXPECT_EQ(run.after.back(), 100'010 + 1000 * 3 / 4);
}

TEST(LogicalFilter, BackwardAmortizationSpreadsTheJump) {
  TestTrace trace(2);
  trace.Internal(1, 0);
  trace.Internal(1, 500);
  trace.Send(0, 1100, 1, 7);
  trace.Receive(1, 1000, 0, 7);
  LogicalOptions options = Unamortized(LogicalClockKind::kControlled, ControllerKind::kRevised);
  options.amortization = AmortizationKind::kBackward;
  options.amortizer = {1, 5, 100};  // W = 100 · 5
  const FilterRun run = RunFilter(trace, options, DelayModel({10, 0}));
  // J = 1110 − 1000 raises W to 550: the event at 500 lies 50 after its beginning.
  EXPECT_THAT(run.after, ElementsAre(0, 500 + 50 * 110 / 550, 1100, 1110));
  EXPECT_EQ(run.report.jumps_amortized, 1u);
  EXPECT_DOUBLE_EQ(run.report.largest_slope, 110.0 / 550);
  EXPECT_EQ(run.report.largest_slope_tag, 3u);
  ASSERT_TRUE(run.report.exceeded.has_value());
  EXPECT_EQ(run.report.exceeded->jump_ns, 110);
}

// --- against the oracle --------------------------------------------------------------------------

struct OracleCase {
  const char* name;
  RandomTraceOptions trace;
};

std::vector<OracleCase> OracleCases() {
  std::vector<OracleCase> cases;
  cases.push_back({"plain", {}});
  cases.push_back({"many", {12, 300, 20, 500, 0, false, false}});
  cases.push_back({"two", {2, 120, 10, 200, 0, false, false}});
  cases.push_back({"equal times", {5, 200, 1, 4, 0, false, false}});
  cases.push_back({"lost", {5, 200, 20, 300, 8, false, false}});
  cases.push_back({"collectives", {6, 160, 20, 300, 0, true, false}});
  cases.push_back({"lost, collectives", {4, 200, 20, 300, 5, true, false}});
  return cases;
}

void ExpectLikeOracle(const TestTrace& trace, LogicalOptions options, const DelayModel& delays) {
  options.amortization = AmortizationKind::kBackward;
  const oracle::Clocks expected = oracle::Oracle(trace, options, delays).Run();
  const FilterRun amortized = RunFilter(trace, options, delays);
  options.amortization = AmortizationKind::kNone;
  const FilterRun plain = RunFilter(trace, options, delays);
  ASSERT_TRUE(plain.result.has_value()) << plain.result.error().message;
  ASSERT_TRUE(amortized.result.has_value());
  for (const uint64_t tag : expected.order) {
    ASSERT_EQ(plain.after[tag], expected.controlled[tag]) << "event " << tag;
  }
  EXPECT_EQ(amortized.after, expected.amortized);
}

TEST(LogicalFilter, MatchesTheOracleEventByEvent) {
  for (const OracleCase& c : OracleCases()) {
    for (uint32_t seed = 1; seed <= 12; ++seed) {
      SCOPED_TRACE(std::string(c.name) + ", seed " + std::to_string(seed));
      const TestTrace trace = MakeRandomTrace(c.trace, seed);
      const DelayModel delays({static_cast<int64_t>(seed % 4) * 5, 0});
      LogicalOptions options =
          Amortized(seed % 2 == 0 ? ControllerKind::kRevised : ControllerKind::kOriginal);
      options.min_event_gap_ns = seed % 3;
      if (seed % 5 == 0) options.revised.gamma_floor = 0.9;
      ExpectLikeOracle(trace, options, delays);
      if (HasFatalFailure()) return;
      options.clock = LogicalClockKind::kSimple;
      options.amortization = AmortizationKind::kNone;
      EXPECT_EQ(RunFilter(trace, options, delays).after,
                oracle::Oracle(trace, options, delays).Run().simple);
    }
  }
}

}  // namespace
}  // namespace syncline
