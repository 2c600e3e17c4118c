#include "logical/replay_cycles.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logical/replay_stream.h"
#include "logical/replay_test_util.h"
#include "logical/testing/random_trace.h"

namespace syncline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = LogicalEvent::Kind;
constexpr auto kBarrier = CollectiveFlow::kAllToAll;

LogicalOptions CycleOptions() {
  LogicalOptions options;
  options.max_horizon_ns = -1;
  options.clock = LogicalClockKind::kSimple;
  options.amortization = AmortizationKind::kNone;
  return options;
}

struct CycleRun {
  ReplayTrace trace;
  RememberedMessages sink;
  ReplayCycles cycles;
  LogicalReport report;
  bool was_streamed = false;
};
CycleRun Replay(const TestTrace& trace, const LogicalOptions& options = CycleOptions()) {
  CycleRun run;
  run.trace = MakeReplayTrace(trace);
  const DelayModel delays({5, 0});
  LogicalReplay clock(options, delays, run.sink);
  clock.Run(run.trace);
  run.cycles = clock.cycles();
  run.report = clock.report();
  run.was_streamed = clock.was_streamed();
  return run;
}

// Process 0 receives, 40 ns early, what process 1 sends after it has received from process 0.
TestTrace TwoProcesses() {
  TestTrace trace(3);
  trace.Internal(2, 0);
  trace.Receive(0, 10, 1, 1);
  trace.Send(0, 20, 1, 2);
  trace.Receive(1, 22, 0, 2);
  trace.Send(1, 50, 0, 1);
  return trace;
}

TEST(ReplayCycles, TheMostInvertedMessageIsSetAside) {
  const CycleRun run = Replay(TwoProcesses());
  EXPECT_FALSE(run.was_streamed);
  ASSERT_EQ(run.cycles.messages.size(), 1U);
  const ReplayTrace::Message& message = run.trace.messages[run.cycles.messages[0]];
  EXPECT_EQ(message.sender, ProcessId{1});
  // Its receive is internal: only the other message moves anything, and counts.
  EXPECT_THAT(run.trace.processes[0].after, ElementsAre(10, 20));
  EXPECT_THAT(run.trace.processes[1].after, ElementsAre(20 + 5, 50));
  EXPECT_EQ(run.report.messages, 1U);
  ASSERT_EQ(run.sink.messages.size(), 1U);
  EXPECT_EQ(run.sink.messages[0].sender, ProcessId{0});
}

TEST(ReplayCycles, OptionsOfStreamsDoNotMatter) {
  LogicalOptions options = CycleOptions();
  options.max_horizon_ns = 1'000'000'000;
  const CycleRun run = Replay(TwoProcesses(), options);
  EXPECT_TRUE(run.was_streamed);
  EXPECT_EQ(run.cycles.messages.size(), 1U);
  EXPECT_THAT(run.trace.processes[1].after, ElementsAre(20 + 5, 50));
}

TEST(ReplayCycles, CircleOfThreeProcessesLosesOneMessage) {
  TestTrace trace(3);
  trace.Receive(0, 100, 2, 1);
  trace.Send(0, 110, 1, 1);
  trace.Receive(1, 112, 0, 1);
  trace.Send(1, 120, 2, 1);
  trace.Receive(2, 122, 1, 1);
  trace.Send(2, 130, 0, 1);
  const CycleRun run = Replay(trace);
  ASSERT_EQ(run.cycles.messages.size(), 1U);
  EXPECT_EQ(run.trace.messages[run.cycles.messages[0]].sender, ProcessId{2});
}

TEST(ReplayCycles, BroadcastKeepsItsOtherReceives) {
  TestTrace trace(3);
  trace.Receive(0, 10, 1, 9);
  trace.Send(0, 20, 1, 2);
  trace.Receive(1, 30, 0, 2);
  trace.Broadcast(1, 40, 9);
  trace.Receive(2, 20, 1, 9);
  const CycleRun run = Replay(trace);
  EXPECT_TRUE(run.was_streamed);
  ASSERT_EQ(run.cycles.messages.size(), 1U);
  EXPECT_EQ(run.trace.messages[run.cycles.messages[0]].receiver, ProcessId{0});
  EXPECT_THAT(run.trace.processes[0].after, ElementsAre(10, 20));
  EXPECT_THAT(run.trace.processes[2].after, ElementsAre(40 + 5));
}

// Process 1 enters after it has received what process 0 sends after the end.
TEST(ReplayCycles, LeaveOfACollectiveThatClosesACycleWaitsForNobody) {
  TestTrace trace(2);
  trace.groups = {{ProcessId{0}, ProcessId{1}}};
  trace.Collective(0, 10, Kind::kEnterCollective, kBarrier, 0, 1);
  trace.Collective(0, 20, Kind::kLeaveCollective, kBarrier, 0, 1);
  trace.Send(0, 30, 1, 1);
  trace.Receive(1, 40, 0, 1);
  trace.Collective(1, 50, Kind::kEnterCollective, kBarrier, 0, 1);
  trace.Collective(1, 55, Kind::kLeaveCollective, kBarrier, 0, 1);
  const CycleRun run = Replay(trace);
  EXPECT_FALSE(run.was_streamed);
  EXPECT_THAT(run.cycles.messages, IsEmpty());
  ASSERT_EQ(run.cycles.waits.size(), 1U);
  const ReplayTrace::Part& leave = run.trace.parts[run.cycles.waits[0].leave];
  const ReplayTrace::Part& enter = run.trace.parts[run.cycles.waits[0].enter];
  EXPECT_EQ(leave.process, ProcessId{0});
  EXPECT_EQ(leave.event, 1U);
  EXPECT_EQ(enter.process, ProcessId{1});
  EXPECT_THAT(run.trace.processes[0].after, ElementsAre(10, 20, 30));
  EXPECT_THAT(run.trace.processes[1].after, ElementsAre(40, 50, 55));
}

TEST(ReplayCycles, OfAMessageAndACollectiveTheMoreInvertedGoes) {
  TestTrace trace(2);
  trace.groups = {{ProcessId{0}, ProcessId{1}}};
  trace.Collective(0, 10, Kind::kEnterCollective, kBarrier, 0, 1);
  trace.Collective(0, 60, Kind::kLeaveCollective, kBarrier, 0, 1);
  trace.Send(0, 90, 1, 1);
  trace.Receive(1, 40, 0, 1);
  trace.Collective(1, 50, Kind::kEnterCollective, kBarrier, 0, 1);
  trace.Collective(1, 55, Kind::kLeaveCollective, kBarrier, 0, 1);
  const CycleRun run = Replay(trace);
  EXPECT_EQ(run.cycles.messages.size(), 1U);
  EXPECT_THAT(run.cycles.waits, IsEmpty());
}

// A message from what comes after a leave to what comes before the enter that it waits for.
TEST(ReplayCycles, EveryFlowIsKnown) {
  struct Case {
    CollectiveFlow flow;
    uint32_t leaves, enters;  // ranks: who waits for whom
    bool waits;
  };
  using Flow = CollectiveFlow;
  for (const Case& c : {Case{Flow::kAllToAll, 1, 2, true}, Case{Flow::kNone, 1, 2, false},
                        Case{Flow::kOneToAll, 1, 0, true}, Case{Flow::kOneToAll, 1, 2, false},
                        Case{Flow::kOneToAll, 0, 1, false}, Case{Flow::kAllToOne, 0, 2, true},
                        Case{Flow::kAllToOne, 1, 0, false}, Case{Flow::kPrefix, 2, 1, true},
                        Case{Flow::kPrefix, 1, 2, false}, Case{Flow::kExclusivePrefix, 1, 0, true},
                        Case{Flow::kFork, 2, 0, true}, Case{Flow::kJoin, 0, 2, true}}) {
    SCOPED_TRACE(std::to_string(static_cast<int>(c.flow)) + ", rank " + std::to_string(c.leaves) +
                 " for " + std::to_string(c.enters));
    TestTrace trace(3);
    trace.groups = {{ProcessId{0}, ProcessId{1}, ProcessId{2}}};
    for (uint32_t rank = 0; rank < 3; ++rank) {
      if (rank == c.enters) trace.Receive(rank, 5, c.leaves, 1);
      if (c.flow != Flow::kFork || rank == 0) {
        trace.Collective(rank, 10, Kind::kEnterCollective, c.flow, 0, 1).is_root = rank == 0;
      }
      if (c.flow != Flow::kJoin || rank == 0) {
        trace.Collective(rank, 8, Kind::kLeaveCollective, c.flow, 0, 1).is_root = rank == 0;
      }
      if (rank == c.leaves) trace.Send(rank, 6, c.enters, 1);
    }
    const CycleRun run = Replay(trace);
    EXPECT_THAT(run.cycles.messages, IsEmpty());
    ASSERT_EQ(run.cycles.waits.size(), c.waits ? 1U : 0U);
    if (!c.waits) continue;
    EXPECT_EQ(run.trace.parts[run.cycles.waits[0].leave].process, ProcessId{c.leaves});
  }
}

// Messages exchange their receives: whatever that gives, times come out, and where there was an
// order nothing is set aside.
TEST(ReplayCycles, WrongMatchesNeverStopTheClock) {
  size_t cycles = 0;
  size_t without = 0;
  for (uint32_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    const bool has_broadcasts = seed % 4 == 3;
    const TestTrace program = WithoutLoneEnds(MakeRandomTrace(
        {2 + seed % 5, 120, 20, 300, seed % 3 == 0 ? 5 : 0, seed % 2 == 0, has_broadcasts}, seed));
    ReplayTrace trace = MakeReplayTrace(program);
    std::mt19937 random(seed);
    const size_t messages = trace.messages.size();
    for (size_t wrong = seed % 5; wrong > 0 && messages > 1; --wrong) {
      auto& a = trace.messages[random() % messages];
      auto& b = trace.messages[random() % messages];
      if (a.sender == b.receiver || b.sender == a.receiver) continue;
      std::swap(a.receiver, b.receiver);
      std::swap(a.receive, b.receive);
    }
    ReplayTrace exchanged = trace;
    RememberedMessages sink;
    const DelayModel delays({5, 0});
    LogicalReplay clock(CycleOptions(), delays, sink);
    clock.Run(trace);
    cycles += clock.cycles().empty() ? 0 : 1;
    without += clock.cycles().empty() ? 1 : 0;
    if (seed % 5 == 0) {
      EXPECT_TRUE(clock.cycles().empty());
    }
    for (const RetimedMessage& m : sink.messages) {
      EXPECT_GE((m.receive_after - m.send_after).ns, 5);
    }
    // A stream is not stopped either.
    RememberedMessages streamed;
    const LogicalReport report =
        ReplayAsStream(exchanged, ReplayLinks(exchanged), CycleOptions(), delays, streamed);
    EXPECT_EQ(report.cycles.first.has_value(), !clock.cycles().empty());
    EXPECT_EQ(report.broken, 0U);
    const auto unmet = std::ranges::count_if(streamed.messages, [](const RetimedMessage& m) {
      return (m.receive_after - m.send_after).ns < 5;
    });
    EXPECT_LE(static_cast<uint64_t>(unmet), report.cycles.messages);
    // Another run finds nothing more.
    ReplayLinks links(trace);
    for (const uint32_t message : clock.cycles().messages) links.Unlink(message);
    EXPECT_TRUE(FindCycles(trace, links).empty());
  }
  EXPECT_GT(cycles, 100U);
  EXPECT_GT(without, 80U);
}

}  // namespace
}  // namespace syncline
