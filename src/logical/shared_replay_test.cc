// Shares of random traces, replayed by threads, against the replay of the whole.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logical/logical_replay.h"
#include "logical/logical_test_util.h"
#include "logical/replay_test_util.h"
#include "logical/testing/random_trace.h"
#include "logical/testing/thread_team.h"

namespace syncline {
namespace {

using ::testing::ElementsAre;
using Kind = LogicalEvent::Kind;

ReplayTrace ShareOf(const ReplayTrace& whole, const std::vector<uint32_t>& shares, uint32_t own) {
  ReplayTrace share;
  share.groups = whole.groups;
  for (size_t p = 0; p < shares.size(); ++p) {
    share.processes.emplace_back().clock = whole.processes[p].clock;
    if (shares[p] == own) share.processes.back() = whole.processes[p];
  }
  const auto is_own = [&](ProcessId process) { return shares[process.index()] == own; };
  std::copy_if(whole.messages.begin(), whole.messages.end(), std::back_inserter(share.messages),
               [&](const auto& m) { return is_own(m.sender) || is_own(m.receiver); });
  std::copy_if(whole.parts.begin(), whole.parts.end(), std::back_inserter(share.parts),
               [&](const auto& part) { return is_own(part.process); });
  return share;
}

struct SharedRun {
  bool is_done = true;
  std::vector<std::vector<int64_t>> after;  // by process
  std::vector<RetimedMessage> leaves;
  LogicalReport report;
};

SharedRun RunShares(const ReplayTrace& whole, const std::vector<uint32_t>& shares, size_t count,
                    const LogicalOptions& options, const DelayModel& delays, uint32_t seed = 1) {
  std::vector<ReplayTrace> traces;
  std::vector<RememberedMessages> sinks(count);
  std::vector<Parcel> reports(count);
  std::vector<char> is_done(count);
  for (uint32_t own = 0; own < count; ++own) traces.push_back(ShareOf(whole, shares, own));
  RunTeam(count, seed, [&](ReplayTeam& team) {
    const size_t own = team.own();
    LogicalReplay replay(options, delays, sinks[own]);
    is_done[own] = replay.RunShare(traces[own], shares, team) ? 1 : 0;
    replay.report().Put(reports[own]);
  });
  SharedRun all;
  all.report.start_difference_ns = options.amortizer.start_difference_ns;
  all.after.resize(shares.size());
  for (size_t p = 0; p < shares.size(); ++p) all.after[p] = traces[shares[p]].processes[p].after;
  for (size_t own = 0; own < count; ++own) {
    EXPECT_EQ(is_done[own], is_done[0]);
    all.is_done = is_done[own] != 0;
    ParcelReader report(reports[own].bytes());
    all.report.Adopt(report);
    all.leaves.insert(all.leaves.end(), sinks[own].messages.begin(), sinks[own].messages.end());
  }
  return all;
}

std::vector<std::string> Leaves(const std::vector<RetimedMessage>& messages) {
  std::vector<std::string> texts;
  for (const RetimedMessage& m : messages) {
    if (m.kind != RetimedMessage::Kind::kCollective) continue;
    std::string text;
    for (const int64_t number :
         {int64_t{m.sender.value}, int64_t{m.receiver.value}, m.send_before.ns, m.send_after.ns,
          m.receive_before.ns, m.receive_after.ns, m.minimum_delay.ns}) {
      text += std::to_string(number) + ' ';
    }
    texts.push_back(text);
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

// Returns whether the shares did it.
bool ExpectLikeTheWhole(const ReplayTrace& trace, const std::vector<uint32_t>& shares, size_t count,
                        const LogicalOptions& options, const DelayModel& delays, uint32_t seed) {
  const SharedRun run = RunShares(trace, shares, count, options, delays, seed);
  ReplayTrace whole = trace;
  RememberedMessages messages;
  LogicalReplay replay(options, delays, messages);
  replay.Run(whole);
  // What needs the whole is left to it, and nothing else is.
  EXPECT_EQ(run.is_done,
            !replay.was_streamed() && !replay.needed_order() && replay.cycles().empty());
  if (!run.is_done) return false;
  for (size_t p = 0; p < shares.size(); ++p) EXPECT_EQ(run.after[p], whole.processes[p].after) << p;
  const LogicalReport& expected = replay.report();
  ExpectSame(run.report, expected);
  if (expected.exceeded && run.report.exceeded) {
    EXPECT_EQ(run.report.exceeded->process, expected.exceeded->process);
  }
  EXPECT_EQ(run.report.to_itself, expected.to_itself);
  EXPECT_EQ(run.report.peak_buffered, expected.peak_buffered);
  EXPECT_EQ(Leaves(run.leaves), Leaves(messages.messages));
  return true;
}

// Two messages to one process take each other's receive, which may make a cycle.
void MatchWrongly(ReplayTrace& trace, std::mt19937& random) {
  if (trace.messages.empty()) return;
  ReplayTrace::Message& one = trace.messages[random() % trace.messages.size()];
  ReplayTrace::Message& other = trace.messages[random() % trace.messages.size()];
  if (one.receiver == other.receiver) std::swap(one.receive, other.receive);
}

// The jump to 1110 is spread backwards up to the send at 500, which must not be later than its
// receive in the other share, 520 − 10.
TEST(SharedReplay, ReceivesLimitSendsOfOtherShares) {
  TestTrace trace(2);
  trace.Internal(1, -600);  // out of reach
  trace.Send(1, 500, 0, 3);
  trace.Receive(0, 520, 1, 3);
  trace.Send(0, 1100, 1, 7);
  trace.Receive(1, 1000, 0, 7);
  LogicalOptions options;
  options.max_horizon_ns = -1;
  options.amortizer = {1, 5, 200};  // W = 1000
  const SharedRun run = RunShares(MakeReplayTrace(trace), {0, 1}, 2, options, DelayModel({10, 0}));
  ASSERT_TRUE(run.is_done);
  EXPECT_THAT(run.after[0], ElementsAre(520, 1100));
  EXPECT_THAT(run.after[1], ElementsAre(-600, 510, 1110));
  EXPECT_EQ(run.report.messages, 2u);
}

TEST(SharedReplay, BarriersCrossShares) {
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
  const SharedRun run = RunShares(MakeReplayTrace(trace), {0, 1}, 2, options, DelayModel({10, 0}));
  ASSERT_TRUE(run.is_done);
  EXPECT_THAT(run.after[0], ElementsAre(100, 400 + 10));
  EXPECT_THAT(run.after[1], ElementsAre(400, 410));
  EXPECT_EQ(run.report.collective_leaves, 2u);
  EXPECT_EQ(run.leaves.size(), 2u);
}

// The jump of the first process to 1010 is spread backwards, up to its enter at 500. That must not
// be later than the root's leave, 520 − 10, of which this share may hear before the enter of the
// third.
TEST(SharedReplay, LeavesMayArriveBeforeTheEntersTheyWaitedFor) {
  TestTrace trace(3);
  trace.groups = {{ProcessId{1}, ProcessId{0}, ProcessId{2}}};
  trace.Collective(0, 500, Kind::kEnterCollective, CollectiveFlow::kJoin, 0, 1);
  trace.Receive(0, 900, 2, 7);
  trace.Collective(1, 100, Kind::kEnterCollective, CollectiveFlow::kJoin, 0, 1);
  trace.Collective(1, 520, Kind::kLeaveCollective, CollectiveFlow::kJoin, 0, 1);
  trace.Collective(2, 50, Kind::kEnterCollective, CollectiveFlow::kJoin, 0, 1);
  trace.Send(2, 1000, 0, 7);
  LogicalOptions options;
  options.max_horizon_ns = -1;
  options.amortizer = {1, 5, 200};
  for (uint32_t seed = 1; seed <= 100; ++seed) {
    const SharedRun run =
        RunShares(MakeReplayTrace(trace), {0, 1, 2}, 3, options, DelayModel({10, 0}), seed);
    ASSERT_TRUE(run.is_done);
    EXPECT_THAT(run.after[0], ElementsAre(510, 1010)) << seed;
  }
}

TEST(SharedReplay, GivesWhatTheWholeGives) {
  uint32_t shared = 0;
  constexpr uint32_t kSeeds = 150;
  for (uint32_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    RandomTraceOptions shape;
    shape.processes = 2 + random() % 10;
    shape.steps = 20 + random() % 200;
    shape.pace_ns = 1 + random() % 30;
    shape.clock_error_ns = std::vector<int64_t>{0, 5, 40, 300}[random() % 4];
    shape.has_collectives = random() % 2 == 0;
    shape.has_broadcasts = random() % 20 == 0;
    const TestTrace trace = WithoutLoneEnds(MakeRandomTrace(shape, seed));
    LogicalOptions options;
    options.max_horizon_ns = -1;
    options.clock = random() % 3 == 0 ? LogicalClockKind::kSimple : LogicalClockKind::kControlled;
    options.controller = random() % 2 == 0 ? ControllerKind::kOriginal : ControllerKind::kRevised;
    options.original.q_init_ns = options.original.q_min_ns = 20;
    options.min_event_gap_ns = static_cast<int64_t>(random() % 3);
    options.amortizer = {1, random() % 2 == 0 ? 4 : 1, random() % 2 == 0 ? 2 : 40};
    if (random() % 4 == 0) options.amortization = AmortizationKind::kNone;
    DelayModel delays({static_cast<int64_t>(random() % 4) * 5, 0});
    delays.Set(ClockId{0}, ClockId{1}, {7, 0});
    const size_t count = 1 + random() % 5;
    std::vector<uint32_t> shares(shape.processes);
    for (uint32_t& share : shares) share = static_cast<uint32_t>(random() % count);
    ReplayTrace whole = MakeReplayTrace(trace);
    if (random() % 5 == 0) MatchWrongly(whole, random);
    shared += ExpectLikeTheWhole(whole, shares, count, options, delays, seed) ? 1 : 0;
    if (HasFailure()) return;
  }
  std::printf("%u of %u traces in shares\n", shared, kSeeds);
  EXPECT_GT(shared, kSeeds / 3);
}

}  // namespace
}  // namespace syncline
