#include "logical/logical_filter.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logical/logical_test_util.h"
#include "logical/testing/logical_oracle.h"
#include "logical/testing/random_trace.h"

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
  cases.push_back({"broadcasts", {6, 200, 20, 300, 0, false, true}});
  cases.push_back({"lost, collectives, broadcasts", {5, 250, 20, 300, 5, true, true}});
  return cases;
}

void ExpectLikeOracle(const TestTrace& trace, LogicalOptions options, const DelayModel& delays) {
  options.amortization = AmortizationKind::kBackward;
  const oracle::Clocks expected = oracle::Oracle(trace, options, delays).Run();
  const FilterRun amortized = RunFilter(trace, options, delays);
  options.amortization = AmortizationKind::kNone;
  const FilterRun plain = RunFilter(trace, options, delays);
  for (const uint64_t tag : expected.order) {
    ASSERT_EQ(plain.after[tag], expected.controlled[tag]) << "event " << tag;
  }
  const bool has_broadcasts =
      std::any_of(trace.processes.begin(), trace.processes.end(), [](const auto& events) {
        return std::any_of(events.begin(), events.end(),
                           [](const LogicalEvent& e) { return e.kind == Kind::kBroadcast; });
      });
  if (has_broadcasts) return;
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

TEST(LogicalFilter, PullAndPushGiveTheSame) {
  for (uint32_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const TestTrace trace = MakeRandomTrace({5, 300, 20, 300, 4, true, true}, seed);
    LogicalOptions options = Amortized(ControllerKind::kRevised);
    options.max_horizon_ns = seed % 2 == 0 ? -1 : 400;
    const FilterRun pulled = RunFilter(trace, options, DelayModel({5, 0}), Feeding::kPull);
    EXPECT_EQ(RunFilter(trace, options, DelayModel({5, 0}), Feeding::kByTime).after, pulled.after);
    EXPECT_EQ(RunFilter(trace, options, DelayModel({5, 0}), Feeding::kByProcess).after,
              pulled.after);
    options.order = OutputOrder::kGlobal;
    const FilterRun global = RunFilter(trace, options, DelayModel({5, 0}));
    EXPECT_EQ(global.after, pulled.after);
    EXPECT_TRUE(std::is_sorted(global.sink.events.begin(), global.sink.events.end(),
                               [](const RetimedEvent& a, const RetimedEvent& b) {
                                 return std::pair(a.after, a.process) <
                                        std::pair(b.after, b.process);
                               }));
  }
}

TEST(LogicalFilter, ReportsWhichControllersActed) {
  const TestTrace trace = MakeRandomTrace({4, 400, 20, 400, 0, false, false}, 3);
  LogicalOptions options = Amortized(ControllerKind::kRevised);
  options.revised.gamma_floor = 0.9;
  const FilterRun run = RunFilter(trace, options, DelayModel({5, 0}));
  const GammaReport& gamma = run.report.gamma;
  uint64_t total = 0;
  for (const uint64_t n : gamma.events) total += n;
  EXPECT_EQ(total, trace.size() - trace.processes.size());  // no γ at first events
  EXPECT_GT(gamma.events[static_cast<size_t>(Regulator::kD)], 0u);
  EXPECT_NEAR(gamma.smallest, 0.9, 1e-12);
}

// --- the edges -----------------------------------------------------------------------------------

TEST(LogicalFilter, NothingComesOutOfNothing) {
  for (const size_t processes : {0, 1, 3}) {
    const FilterRun run = RunFilter(TestTrace(processes), {}, DelayModel());
    EXPECT_TRUE(run.sink.events.empty());
  }
}

TEST(LogicalFilter, ProcessesWithoutEventsDoNotHoldUpControllerB) {
  TestTrace trace(3);  // process 2 has no events
  for (uint64_t i = 0; i < 4; ++i) {
    const auto time = static_cast<int64_t>(1000 * i);
    trace.Send(0, time + 100, 1, i);
    trace.Receive(1, time, 0, i);
    trace.Send(1, time, 0, i);
    trace.Receive(0, time + 100, 1, i);
  }
  LogicalOptions options = Unamortized(LogicalClockKind::kControlled, ControllerKind::kRevised);
  options.revised.gamma_floor = 0;
  const FilterRun run = RunFilter(trace, options, DelayModel({10, 0}));
  EXPECT_GT(run.report.gamma.events[static_cast<size_t>(Regulator::kB)], 0u);
}

// Process 0 receives, 40 ns early, what process 1 sends after it has received from process 0.
TEST(LogicalFilter, OfACycleTheMostInvertedMessageIsSetAside) {
  TestTrace trace(3);
  trace.Internal(2, 0);
  trace.Receive(0, 10, 1, 1);
  trace.Send(0, 20, 1, 2);
  trace.Receive(1, 22, 0, 2);
  trace.Send(1, 50, 0, 1);
  trace.Send(1, 60, 0, 3);
  trace.Receive(0, 70, 1, 3);
  for (const Feeding feeding : {Feeding::kPull, Feeding::kByTime, Feeding::kByProcess}) {
    const FilterRun run =
        RunFilter(trace, Unamortized(LogicalClockKind::kSimple, ControllerKind::kRevised),
                  DelayModel({5, 0}), feeding);
    EXPECT_THAT(run.after, ElementsAre(0, 10, 20, 20 + 5, 50, 60, 70));
    EXPECT_EQ(run.report.cycles.messages, 1U);
    ASSERT_TRUE(run.report.cycles.first);
    EXPECT_EQ(run.report.cycles.first->sender, ProcessId{1});
    EXPECT_EQ(run.report.cycles.first->send_tag, 4U);
    EXPECT_EQ(run.report.cycles.first->receive_tag, 1U);
    EXPECT_EQ(run.report.cycles.first->delay_ns, 10 - 50);
    EXPECT_EQ(run.report.messages, 3U);
    EXPECT_EQ(run.report.late_partners, 0U);
    EXPECT_EQ(run.report.unmatched_sends + run.report.unmatched_receives + run.report.broken, 0U);
  }
}

TEST(LogicalFilter, BroadcastInACycleKeepsItsOtherReceives) {
  TestTrace trace(3);
  trace.Receive(0, 10, 1, 1);
  trace.Send(0, 20, 1, 2);
  trace.Receive(1, 22, 0, 2);
  trace.Broadcast(1, 50, 1);
  trace.Receive(2, 40, 1, 1);
  const FilterRun run = RunFilter(
      trace, Unamortized(LogicalClockKind::kSimple, ControllerKind::kRevised), DelayModel({5, 0}));
  EXPECT_THAT(run.after, ElementsAre(10, 20, 25, 50, 55));
  EXPECT_EQ(run.report.cycles.messages, 1U);
}

TEST(LogicalFilter, CircleWithAMissingSendIsNoCycle) {
  TestTrace trace(2);
  trace.Receive(0, 10, 1, 1);  // its send is not in the trace
  trace.Send(0, 20, 1, 2);
  trace.Receive(1, 10, 0, 2);
  trace.Internal(1, 50);
  const FilterRun run = RunFilter(trace, Unamortized(LogicalClockKind::kSimple, {}), DelayModel());
  EXPECT_THAT(run.after, ElementsAre(10, 20, 21, 50));
  EXPECT_EQ(run.report.unmatched_receives, 1u);
}

TEST(LogicalFilter, MessagesToItselfAndToNobodyImplyNothing) {
  TestTrace trace(1);
  trace.Receive(0, 10, 0, 1);
  trace.Send(0, 20, 0, 1);
  trace.Send(0, 30, 7, 1);
  trace.Receive(0, 40, 7, 1);
  const FilterRun run = RunFilter(trace, {}, DelayModel());
  EXPECT_THAT(run.after, ElementsAre(10, 20, 30, 40));
  EXPECT_EQ(run.report.to_itself, 2u);
  EXPECT_EQ(run.report.unmatched_sends, 1u);
  EXPECT_EQ(run.report.unmatched_receives, 1u);
}

TEST(LogicalFilter, NamesUsedTwiceAtOnceAreCounted) {
  TestTrace trace(2);
  trace.Send(0, 10, 1, 1);
  trace.Send(0, 20, 1, 1);
  trace.Internal(1, 30);
  trace.Receive(1, 5, 0, 1);
  const FilterRun run = RunFilter(trace, Unamortized(LogicalClockKind::kSimple, {}), DelayModel());
  EXPECT_THAT(run.after, ElementsAre(10, 20, 30, 30));
  EXPECT_EQ(run.report.ambiguous, 1u);
}

TEST(LogicalFilter, BroadcastsPrecedeAllTheirReceives) {
  TestTrace trace(3);
  trace.Broadcast(0, 100, 9);
  trace.Receive(1, 40, 0, 9);
  trace.Receive(2, 60, 0, 9);
  const FilterRun run =
      RunFilter(trace, Unamortized(LogicalClockKind::kSimple, {}), DelayModel({5, 0}));
  EXPECT_THAT(run.after, ElementsAre(100, 105, 105));
  ASSERT_EQ(run.sink.messages.size(), 2u);
  EXPECT_EQ(run.sink.messages[0].kind, RetimedMessage::Kind::kBroadcast);
}

TEST(LogicalFilter, MinimumDelaysDependOnDirectionAndSize) {
  TestTrace trace(2);
  trace.Send(0, 100, 1, 1);
  trace.processes[0].back().bytes = 2000;
  trace.Receive(1, 40, 0, 1);
  trace.Send(1, 200, 0, 1);
  trace.Receive(0, 40, 1, 1);
  DelayModel delays({5, 0});
  delays.Set(ClockId{0}, ClockId{1}, {10, 500});
  const FilterRun run = RunFilter(trace, Unamortized(LogicalClockKind::kSimple, {}), delays);
  EXPECT_THAT(run.after, ElementsAre(100, 100 + 10 + 2000 / 2, 1110, 1115));
}

// --- online --------------------------------------------------------------------------------------

struct OnlineFixture : testing::Test {
  RememberingSink sink;
  DelayModel delays{{10, 0}};
  LogicalOptions options;
  OnlineFixture() { options.max_wait_ns = 100; }

  static LogicalEvent Make(int64_t time, ProcessId process, Kind kind, ProcessId peer = {}) {
    LogicalEvent event;
    event.time = GlobalTime{time};
    event.process = process;
    event.kind = kind;
    event.peer = peer;
    event.message = 1;
    return event;
  }
};

TEST_F(OnlineFixture, NothingWaitsLongerThanMaxWait) {
  LogicalFilter filter(options, delays, sink);
  const ProcessId a = filter.AddProcess(ClockId{0});
  const ProcessId b = filter.AddProcess(ClockId{1});
  filter.Tick(1000);
  filter.Push(Make(500, a, Kind::kSend, b));
  filter.Push(Make(600, a, Kind::kReceive, b));
  filter.Tick(1099);
  EXPECT_TRUE(sink.events.empty());
  filter.Tick(1100);
  ASSERT_EQ(sink.events.size(), 2u);
  EXPECT_EQ(sink.events[1].after.ns, 600);
  EXPECT_EQ(filter.report().unmatched_receives, 1u);
  EXPECT_EQ(filter.report().added_delay.largest_ns, 100);
  // Its receive comes late and is put after it; the send that was not waited for is too late.
  filter.Push(Make(100, b, Kind::kReceive, a));
  filter.Push(Make(700, b, Kind::kSend, a));
  filter.Finish();
  EXPECT_EQ(sink.events[2].after.ns, 500 + 10);
  EXPECT_EQ(sink.messages.size(), 2u);
  EXPECT_EQ(filter.report().unmatched_receives, 0u);
  EXPECT_EQ(filter.report().late_partners, 1u);
  EXPECT_EQ(filter.report().broken, 1u);
}

TEST_F(OnlineFixture, GlobalOrderIsNotHeldUpBySilence) {
  options.order = OutputOrder::kGlobal;
  LogicalFilter filter(options, delays, sink);
  const ProcessId a = filter.AddProcess(ClockId{0});
  filter.AddProcess(ClockId{1});
  for (int64_t now = 0; now < 1000; now += 50) {
    filter.Tick(now);
    filter.Push(Make(now, a, Kind::kInternal));
    EXPECT_GE(static_cast<int64_t>(sink.events.size()), now / 50 - 3);
  }
}

}  // namespace
}  // namespace syncline
