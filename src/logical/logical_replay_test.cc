#include "logical/logical_replay.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "syncline/time.h"

#include "logical/logical_test_util.h"
#include "logical/replay_test_util.h"
#include "logical/testing/logical_oracle.h"
#include "logical/testing/random_trace.h"

namespace syncline {
namespace {

using ::testing::ElementsAre;
using Kind = LogicalEvent::Kind;

// Small numbers, so that amortization intervals hold some events of random traces.
LogicalOptions ReplayOptions(uint32_t seed) {
  LogicalOptions options;
  options.max_horizon_ns = -1;
  options.clock = seed % 7 == 0 ? LogicalClockKind::kSimple : LogicalClockKind::kControlled;
  options.controller = seed % 5 == 0 ? ControllerKind::kOriginal : ControllerKind::kRevised;
  options.min_event_gap_ns = seed % 3;
  options.amortizer = {1, seed % 2 == 0 ? 4 : 1, seed % 4 == 0 ? 2 : 40};
  options.original.q_init_ns = options.original.q_min_ns = 20;
  options.revised.gamma_max = 0.99;
  options.revised.gamma_floor = seed % 4 == 1 ? 0.9 : 0;
  return options;
}

// --- one worked example of each rule -------------------------------------------------------------

TEST(LogicalReplay, BackwardAmortizationSpreadsTheJump) {
  TestTrace trace(2);
  trace.Internal(1, 0);
  trace.Internal(1, 500);
  trace.Send(0, 1100, 1, 7);
  trace.Receive(1, 1000, 0, 7);
  LogicalOptions options;
  options.max_horizon_ns = -1;
  options.amortizer = {1, 5, 100};  // W = 100 · 5
  const ReplayRun run = RunReplay(trace, options, DelayModel({10, 0}));
  EXPECT_FALSE(run.was_streamed);
  // J = 1110 − 1000 raises W to 550: the event at 500 lies 50 after its beginning.
  EXPECT_THAT(run.after, ElementsAre(0, 500 + 50 * 110 / 550, 1100, 1110));
  EXPECT_DOUBLE_EQ(run.report.largest_slope, 110.0 / 550);
  EXPECT_EQ(run.report.largest_slope_tag, 3u);
  ASSERT_EQ(run.messages.size(), 1u);
  EXPECT_EQ(run.messages[0].receive_before.ns, 1000);
  EXPECT_EQ(run.messages[0].receive_after.ns, 1110);
  EXPECT_EQ(run.messages[0].minimum_delay.ns, 10);
}

TEST(LogicalReplay, EveryLeaveOfABarrierFollowsTheLatestEnter) {
  TestTrace trace(2);
  trace.groups = {{ProcessId{0}, ProcessId{1}}};
  constexpr auto kFlow = CollectiveFlow::kAllToAll;
  trace.Collective(0, 100, Kind::kEnterCollective, kFlow, 0, 1);
  trace.Collective(0, 150, Kind::kLeaveCollective, kFlow, 0, 1);
  trace.Collective(1, 400, Kind::kEnterCollective, kFlow, 0, 1);
  trace.Collective(1, 410, Kind::kLeaveCollective, kFlow, 0, 1);
  LogicalOptions options;
  options.max_horizon_ns = -1;
  options.amortization = AmortizationKind::kNone;
  const ReplayRun run = RunReplay(trace, options, DelayModel({10, 0}));
  EXPECT_FALSE(run.was_streamed);
  EXPECT_THAT(run.after, ElementsAre(100, 400 + 10, 400, 410));
  EXPECT_EQ(run.report.collective_leaves, 2u);
  EXPECT_EQ(run.messages.size(), 2u);
}

TEST(LogicalReplay, NothingComesOutOfNothing) {
  for (const size_t processes : {0, 1, 3}) {
    const ReplayRun run = RunReplay(TestTrace(processes), {}, DelayModel());
    EXPECT_TRUE(run.after.empty());
  }
}

// --- against the filter and the oracle -----------------------------------------------------------

using MessageKey = std::tuple<RetimedMessage::Kind, uint64_t, uint64_t, int64_t, int64_t, int64_t,
                              int64_t, int64_t>;
std::vector<MessageKey> Sorted(const std::vector<RetimedMessage>& messages) {
  std::vector<MessageKey> keys;
  keys.reserve(messages.size());
  for (const RetimedMessage& m : messages) {
    keys.emplace_back(m.kind, m.send_tag, m.receive_tag, m.send_before.ns, m.send_after.ns,
                      m.receive_before.ns, m.receive_after.ns, m.minimum_delay.ns);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

// Returns whether the replay needed the order of evaluation.
bool ExpectLikeFilter(const TestTrace& trace, const LogicalOptions& options,
                      const DelayModel& delays) {
  const FilterRun expected = RunFilter(trace, options, delays);
  const ReplayRun run = RunReplay(trace, options, delays);
  EXPECT_EQ(run.after, expected.after);
  ExpectSame(run.report, expected.report);
  EXPECT_EQ(Sorted(run.messages), Sorted(expected.sink.messages));
  return run.needed_order;
}

struct ReplayCase {
  std::string name;
  RandomTraceOptions trace;
};

std::vector<ReplayCase> Cases() {
  return {{"plain", {}},
          {"many", {12, 400, 20, 500, 0, false, false}},
          {"two", {2, 200, 10, 200, 0, false, false}},
          {"equal times", {5, 300, 1, 4, 0, false, false}},
          {"far apart", {6, 300, 20, 20'000, 0, false, false}},
          {"lost", {5, 300, 20, 300, 8, false, false}},
          {"collectives", {6, 300, 20, 300, 0, true, false}},
          {"collectives far apart", {20, 900, 20, 5000, 0, true, false}},
          {"broadcasts", {6, 300, 20, 300, 0, false, true}},
          {"all", {5, 300, 20, 300, 5, true, true}}};
}

TEST(LogicalReplay, GivesWhatTheFilterGives) {
  for (const ReplayCase& c : Cases()) {
    for (uint32_t seed = 1; seed <= 40; ++seed) {
      SCOPED_TRACE(c.name + ", seed " + std::to_string(seed));
      const TestTrace trace = WithoutLoneEnds(MakeRandomTrace(c.trace, seed));
      LogicalOptions options = ReplayOptions(seed);
      const DelayModel delays({static_cast<int64_t>(seed % 4) * 5, 0});
      ExpectLikeFilter(trace, options, delays);
      if (HasFailure()) return;
      options.amortization = AmortizationKind::kNone;
      ExpectLikeFilter(trace, options, delays);
      if (HasFailure()) return;
    }
  }
}

TEST(LogicalReplay, MatchesTheOracleEventByEvent) {
  for (const ReplayCase& c : Cases()) {
    if (c.trace.has_broadcasts || c.trace.processes > 12) continue;
    for (uint32_t seed = 101; seed <= 104; ++seed) {
      SCOPED_TRACE(c.name + ", seed " + std::to_string(seed));
      RandomTraceOptions size = c.trace;
      size.steps = std::min<size_t>(size.steps, 200);
      const TestTrace trace = WithoutLoneEnds(MakeRandomTrace(size, seed));
      LogicalOptions options = ReplayOptions(seed);
      options.clock = LogicalClockKind::kControlled;
      options.amortizer = {1, 4, 40};  // the oracle knows nothing of idle times
      const DelayModel delays({static_cast<int64_t>(seed % 4) * 5, 0});
      const ReplayRun run = RunReplay(trace, options, delays);
      EXPECT_FALSE(run.was_streamed);
      EXPECT_EQ(run.after, oracle::Oracle(trace, options, delays).Run().amortized);
    }
  }
}

TEST(LogicalReplay, TimesAtTheEndsOfInt64AreThoseOfTheFilter) {
  for (const int64_t base : {INT64_MIN, INT64_MAX - 5000, int64_t{-2500}}) {
    for (uint32_t seed = 1; seed <= 12; ++seed) {
      SCOPED_TRACE(std::to_string(base) + ", seed " + std::to_string(seed));
      TestTrace trace = WithoutLoneEnds(MakeRandomTrace({4, 150, 20, 300, 3, true, false}, seed));
      for (auto& events : trace.processes) {
        for (LogicalEvent& e : events) {
          const int64_t t = SaturatedSum(base, e.time.ns);
          e.time.ns = (e.tag + seed) % 17 == 0 ? SaturatedDifference(0, t) : t;
        }
      }
      for (const int64_t delay : {int64_t{5}, int64_t{1} << 62}) {
        ExpectLikeFilter(trace, ReplayOptions(seed), DelayModel({delay, 0}));
        if (HasFailure()) return;
      }
    }
  }
}

TEST(LogicalReplay, MinimumDelaysDependOnDirectionAndSize) {
  for (uint32_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    TestTrace trace = MakeRandomTrace({5, 300, 20, 300, 0, true, false}, seed);
    for (auto& events : trace.processes) {
      for (LogicalEvent& e : events) e.bytes = e.tag * 7 % 1000;
    }
    DelayModel delays({5, 10});
    delays.Set(ClockId{0}, ClockId{1}, {10, 500});
    delays.Set(ClockId{2}, ClockId{1}, {0, 90});
    ExpectLikeFilter(trace, ReplayOptions(seed), delays);
    if (HasFailure()) return;
  }
}

TEST(LogicalReplay, NeedsTheOrderWhereAllProcessesAreAheadAtOnce) {
  LogicalOptions options;
  options.max_horizon_ns = -1;
  options.revised.gamma_floor = 0;
  TestTrace trace(2);
  trace.Send(1, 100, 0, 1);
  trace.Receive(0, 50, 1, 1);  // at 101, and 51 ahead
  trace.Internal(0, 60);
  trace.Internal(1, 200);
  trace.Internal(1, 300);
  EXPECT_FALSE(RunReplay(trace, options, DelayModel({1, 0})).needed_order);
  ExpectLikeFilter(trace, options, DelayModel({1, 0}));
  trace.Send(0, 280, 1, 2);     // at 331
  trace.Receive(1, 310, 0, 2);  // at 332, and 22 ahead
  trace.Internal(0, 400);
  const ReplayRun run = RunReplay(trace, options, DelayModel({1, 0}));
  EXPECT_TRUE(run.needed_order);
  EXPECT_GT(run.report.gamma.events[1], 0u);  // B
  ExpectLikeFilter(trace, options, DelayModel({1, 0}));
}

// A process that is put ahead by one whose simple clock is, and one that is not.
TEST(LogicalReplay, NeedsTheOrderWhereNobodyIsKnownToHaveBeenThatFarAhead) {
  LogicalOptions options;
  options.max_horizon_ns = -1;
  options.revised.gamma_max = 0.5;
  options.revised.gamma_floor = 0;
  TestTrace trace(4);
  trace.Internal(3, 0);  // never ahead
  trace.Send(0, 1000, 1, 1);
  trace.Receive(1, 0, 0, 1);     // at 1001: its simple clock is 1001 ahead
  trace.Send(1, 1500, 2, 2);     // at 1751, the simple clock at 1500
  trace.Receive(2, 1400, 1, 2);  // at 1752, 352 ahead; 1 knows of 1001
  trace.Internal(2, 1410);
  EXPECT_FALSE(RunReplay(trace, options, DelayModel({1, 0})).needed_order);
  ExpectLikeFilter(trace, options, DelayModel({1, 0}));
  // Later nothing is left of it.
  trace.Send(1, 5000, 2, 3);
  trace.Receive(2, 4990, 1, 3);
  trace.Internal(2, 4991);
  trace.Internal(2, 4992);
  EXPECT_TRUE(RunReplay(trace, options, DelayModel({1, 0})).needed_order);
  ExpectLikeFilter(trace, options, DelayModel({1, 0}));
}

// Programs whose processes are far apart, in step, or behind one that is ahead; coarse and fine
// clocks; all options of the controller.
struct SteadyCase {
  TestTrace trace;
  LogicalOptions options;
  int64_t delay = 0;
};

SteadyCase MakeSteadyCase(uint32_t seed) {
  std::mt19937 random(seed * 7919 + 1);
  const auto one_of = [&](const auto& list) { return list[random() % std::size(list)]; };
  RandomTraceOptions shape;
  shape.clock_error_ns = one_of(std::vector<int64_t>{0, 5, 20, 100, 300, 2000, 20'000});
  shape.processes = 2 + random() % 8;
  shape.steps = 30 + random() % 400;
  shape.pace_ns = 1 + random() % 40;
  shape.has_collectives = random() % 3 == 0;
  SteadyCase c{WithoutLoneEnds(MakeRandomTrace(shape, seed)), {}, 0};
  const auto scale = one_of(std::vector<int64_t>{1, 1, 10, 1000, 100'000});
  const int64_t epoch = random() % 3 == 0 ? 1'790'000'000'000'000'000 : 0;
  const bool one_leads = random() % 4 == 0;
  for (std::vector<LogicalEvent>& events : c.trace.processes) {
    const bool leads = one_leads && &events == &c.trace.processes[0];
    for (LogicalEvent& e : events) {
      const int64_t fine = scale > 1 ? static_cast<int64_t>(random() % 3) : 0;
      e.time.ns = epoch + e.time.ns * scale + (leads ? 300 * scale : 0) + fine;
    }
  }
  c.options.max_horizon_ns = -1;
  c.options.revised.gamma_max =
      one_of(std::vector<double>{1 - 2e-5, 1 - 2e-5, 0.999, 0.99, 0.9, 0.5});
  c.options.revised.gamma_floor = random() % 2 == 0 ? 0 : 0.98;
  c.options.revised.q_low = one_of(std::vector<double>{1.2, 1.2, 1.0, 0.8, 1.5});
  c.options.min_event_gap_ns = random() % 3;
  c.options.amortizer = {1, 4, 40};
  c.delay = static_cast<int64_t>(random() % 4) * 5 * scale;
  return c;
}

TEST(LogicalReplay, DoesWithoutOrderOnlyWhereNothingLowersTheRate) {
  uint32_t in_order = 0;
  uint32_t in_any_order = 0;
  for (uint32_t seed = 1; seed <= 800; ++seed) {
    SCOPED_TRACE(seed);
    const SteadyCase c = MakeSteadyCase(seed);
    (ExpectLikeFilter(c.trace, c.options, DelayModel({c.delay, 0})) ? in_order : in_any_order) += 1;
    if (HasFailure()) return;
  }
  std::printf("%u in order, %u in any order\n", in_order, in_any_order);
  EXPECT_GT(in_order, 80u);
  EXPECT_GT(in_any_order, 80u);
}

// What is left of MAX is rounded up. A lead that only equals it raises nothing: who lets MAX fall
// from there anew sees it fall later than it does, by a nanosecond.
TEST(LogicalReplay, TellsALeadThatEqualsWhatIsLeftOfMaxFromOneThatRaisesIt) {
  for (const uint32_t seed : {19760u, 41854u, 43166u, 55154u}) {
    SCOPED_TRACE(seed);
    const SteadyCase c = MakeSteadyCase(seed);
    EXPECT_TRUE(ExpectLikeFilter(c.trace, c.options, DelayModel({c.delay, 0})));
  }
}

// --- the two ways --------------------------------------------------------------------------------

TEST(LogicalReplay, CompleteCollectivesNeedNoFilter) {
  for (uint32_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const TestTrace trace = MakeRandomTrace({6, 300, 20, 300, 0, true, false}, seed);
    EXPECT_FALSE(RunReplay(trace, ReplayOptions(seed), DelayModel({5, 0})).was_streamed);
  }
}

TEST(LogicalReplay, WhatIsRareGoesThroughTheFilter) {
  TestTrace broadcast(3);
  broadcast.Broadcast(0, 100, 9);
  broadcast.Receive(1, 40, 0, 9);
  broadcast.Receive(2, 60, 0, 9);
  TestTrace incomplete(2);
  incomplete.groups = {{ProcessId{0}, ProcessId{1}}};
  incomplete.Collective(0, 100, Kind::kEnterCollective, CollectiveFlow::kAllToAll, 0, 1);
  incomplete.Collective(0, 150, Kind::kLeaveCollective, CollectiveFlow::kAllToAll, 0, 1);
  incomplete.Internal(1, 120);
  for (const TestTrace& trace : {broadcast, incomplete}) {
    EXPECT_TRUE(RunReplay(trace, ReplayOptions(1), DelayModel({5, 0})).was_streamed);
    ExpectLikeFilter(trace, ReplayOptions(1), DelayModel({5, 0}));
  }
  TestTrace plain(1);
  plain.Internal(0, 1);
  LogicalOptions with_horizon = ReplayOptions(1);
  with_horizon.max_horizon_ns = 100;
  EXPECT_TRUE(RunReplay(plain, with_horizon, DelayModel()).was_streamed);
}

TEST(LogicalReplay, MemberWithoutDataInACircleIsExcused) {
  TestTrace trace(2);
  trace.groups = {{ProcessId{0}, ProcessId{1}}};
  constexpr auto kFlow = CollectiveFlow::kAllToAll;
  trace.Receive(0, 50, 1, 3);
  trace.Collective(0, 90, Kind::kEnterCollective, kFlow, 0, 1).takes_part = false;
  trace.Collective(0, 100, Kind::kLeaveCollective, kFlow, 0, 1);
  trace.Collective(1, 10, Kind::kEnterCollective, kFlow, 0, 1);
  trace.Collective(1, 20, Kind::kLeaveCollective, kFlow, 0, 1);
  trace.Send(1, 60, 0, 3);
  EXPECT_TRUE(RunReplay(trace, ReplayOptions(1), DelayModel()).was_streamed);
  ExpectLikeFilter(trace, ReplayOptions(1), DelayModel());
}

TEST(LogicalReplay, MessagesThatLinkNothingAreCounted) {
  ReplayTrace trace;
  trace.processes = {{ClockId{0}, {10, 20, 30}, {}, {}}, {ClockId{1}, {5, 6}, {}, {}}};
  const ProcessId a{0};
  const ProcessId b{1};
  trace.messages = {{a, b, 0, 0},              // the only one that holds
                    {a, a, 1, 2},              // to itself
                    {a, b, 1, 0},              // its receive has a send already
                    {b, a, 0, 1},              // a receive cannot be a send
                    {a, b, 3, 1},              // there is no such send,
                    {a, b, 1, 2},              // no such receive,
                    {ProcessId{2}, b, 0, 1}};  // no such process
  RememberedMessages sink;
  LogicalOptions options;
  options.max_horizon_ns = -1;
  options.amortization = AmortizationKind::kNone;
  const DelayModel delays({7, 0});
  LogicalReplay replay(options, delays, sink);
  replay.Run(trace);
  EXPECT_THAT(trace.processes[1].after, ElementsAre(10 + 7, 18 - 1));
  EXPECT_EQ(sink.messages.size(), 1u);
  EXPECT_EQ(replay.report().to_itself, 2u);
  EXPECT_EQ(replay.report().ambiguous, 5u);
}

}  // namespace
}  // namespace syncline
