// Messages whose ends are further apart than the filter waits: which are given up, what is
// remembered of them, and that none is left inverted unnoticed.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "logical/logical_filter.h"
#include "logical/logical_test_util.h"
#include "logical/message_flow.h"

namespace syncline {
namespace {

LogicalOptions WithinFiveHundred() {
  LogicalOptions options;
  options.clock = LogicalClockKind::kSimple;
  options.amortization = AmortizationKind::kNone;
  options.max_horizon_ns = 500;
  return options;
}

// Process 1 receives at 0 what process 0 sends at `sent`, and goes on at 10; process 0 has events
// each 100 until then.
TestTrace ReceiveBeforeItsSend(int64_t sent) {
  TestTrace trace(2);
  trace.Receive(1, 0, 0, 1);
  trace.Internal(1, 10);
  for (int64_t t = 0; t < sent; t += 100) trace.Internal(0, t);
  trace.Send(0, sent, 1, 1);
  return trace;
}

TEST(GivingUp, UnmatchedSendsDoNotPileUp) {
  RememberingSink sink;
  const DelayModel delays;
  LogicalOptions options;
  options.max_horizon_ns = 1'000'000;
  options.amortizer = {1, 4, 100};
  LogicalFilter filter(options, delays, sink);
  const ProcessId a = filter.AddProcess(ClockId{0});
  const ProcessId b = filter.AddProcess(ClockId{1});
  size_t most = 0;
  for (int64_t i = 0; i < 20'000; ++i) {
    LogicalEvent send;
    send.time = GlobalTime{i * 1000};
    send.process = a;
    send.peer = b;
    send.kind = LogicalEvent::Kind::kSend;
    send.message = static_cast<uint64_t>(i);
    LogicalEvent other = send;
    other.process = b;
    other.kind = LogicalEvent::Kind::kInternal;
    filter.Push(send);
    filter.Push(other);
    most = std::max(most, static_cast<size_t>(2 * (i + 1)) - sink.events.size());
  }
  filter.Finish();
  EXPECT_EQ(sink.events.size(), 40'000u);
  EXPECT_EQ(filter.report().unmatched_sends, 20'000u);
  EXPECT_EQ(filter.report().broken, 0u);
  // What is out waits for no receive: jumps would be spread over four tenths of a microsecond.
  EXPECT_LE(most, 64u);
}

TEST(GivingUp, ReceiveGivesUpWhenItsPartnerHasGoneOn) {
  TestTrace trace = ReceiveBeforeItsSend(1000);
  trace.Internal(0, 1100);
  const FilterRun run = RunFilter(trace, WithinFiveHundred(), DelayModel());
  EXPECT_EQ(run.after[0], 0);
  EXPECT_EQ(run.report.messages, 1u);
  EXPECT_EQ(run.report.unmatched_receives + run.report.unmatched_sends, 0u);
  EXPECT_EQ(run.report.late_partners, 1u);
  EXPECT_EQ(run.report.broken, 1u);
}

// And no other receive comes.
TEST(GivingUp, ASendThatComesLongAfterItsReceiveIsItsMessage) {
  for (const AmortizationKind amortization :
       {AmortizationKind::kNone, AmortizationKind::kBackward}) {
    TestTrace trace = ReceiveBeforeItsSend(10'000);
    trace.Internal(1, 10'100);
    LogicalOptions options = WithinFiveHundred();
    options.amortization = amortization;
    const FilterRun run = RunFilter(trace, options, DelayModel());
    EXPECT_EQ(run.report.messages, 1u);
    EXPECT_EQ(run.report.unmatched_receives + run.report.unmatched_sends, 0u);
    EXPECT_EQ(run.report.late_partners, 1u);
    EXPECT_EQ(run.report.broken, 1u);
  }
}

// A broadcast is one message for each receive that had gone on without it.
TEST(GivingUp, ABroadcastThatComesAfterItsReceivesIsTheirMessage) {
  TestTrace trace(3);
  trace.Receive(1, 0, 0, 1);
  trace.Internal(1, 10);
  trace.Receive(2, 2000, 0, 1);
  for (int64_t i = 0; i < 10; ++i) trace.Internal(0, i * 100);
  trace.Broadcast(0, 1000, 1);
  const FilterRun run = RunFilter(trace, WithinFiveHundred(), DelayModel());
  EXPECT_EQ(run.report.messages, 2u);
  EXPECT_EQ(run.report.unmatched_receives, 0u);
  EXPECT_EQ(run.report.late_partners, 1u);
  EXPECT_EQ(run.report.broken, 1u);
}

// However long after: nothing that is left inverted goes unnoticed.
TEST(GivingUp, NoticesASendThatComesLongAfterItsReceiveWasGivenUp) {
  TestTrace trace = ReceiveBeforeItsSend(10'000);
  trace.Receive(1, 10'100, 0, 1);  // that of another message of this name
  const FilterRun run = RunFilter(trace, WithinFiveHundred(), DelayModel());
  EXPECT_EQ(run.report.unmatched_receives, 1u);
  EXPECT_EQ(run.report.late_partners, 1u);
  EXPECT_EQ(run.report.broken, 1u);
  EXPECT_EQ(run.report.messages, 1u);
}

TEST(GivingUp, SaysThatItRemembersNoMoreReceives) {
  constexpr uint64_t kMore = 10;
  TestTrace trace(2);
  for (uint64_t m = 0; m < MessageFlow::kMostGivenUp + kMore; ++m) {
    trace.Receive(1, static_cast<int64_t>(m) * 1000, 0, m);
    trace.Internal(0, static_cast<int64_t>(m) * 1000 + 900);
  }
  trace.Send(0, 1'000'000'000, 1, 1'000'000'000);
  const FilterRun run = RunFilter(trace, WithinFiveHundred(), DelayModel());
  EXPECT_EQ(run.report.forgotten_receives, kMore);
  Diagnostics found;
  CountFindings(run.report, found);
  EXPECT_TRUE(found.HasAtLeast(Severity::kWarning));
}

TEST(GivingUp, LateReceiveStillComesAfterItsSend) {
  TestTrace trace(2);
  trace.Send(0, 1000, 1, 1);
  trace.Internal(1, 0);
  trace.Internal(1, 1400);
  trace.Internal(1, 1700);
  trace.Receive(1, 900, 0, 1);  // the clock ran back
  const FilterRun run = RunFilter(trace, WithinFiveHundred(), DelayModel());
  EXPECT_EQ(run.report.given_up, 1u);
  EXPECT_EQ(run.report.late_partners, 1u);
  EXPECT_EQ(run.report.broken, 0u);
  EXPECT_EQ(run.after.back(), 1700);
}

// The send goes first, as its time is earlier.
TEST(GivingUp, AReceiveThatWasJustGivenUpStillFindsItsSend) {
  TestTrace trace(2);
  trace.Internal(0, 5000);
  trace.Send(0, 1000, 1, 1);  // the clock ran back: becomes 5000
  for (int64_t i = 0; i < 40; ++i) trace.Internal(1, i * 100);
  trace.Receive(1, 1100, 0, 1);
  trace.Internal(0, 100'000);
  const FilterRun run = RunFilter(trace, WithinFiveHundred(), DelayModel({10, 0}));
  EXPECT_EQ(run.report.messages, 1u);
  EXPECT_EQ(run.report.unmatched_sends + run.report.unmatched_receives, 0u);
  EXPECT_EQ(run.report.broken, 0u);
}

}  // namespace
}  // namespace syncline
