#include "logical/collectives.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logical/logical_test_util.h"

namespace syncline {
namespace {

using ::testing::ElementsAre;
using Kind = LogicalEvent::Kind;

constexpr int64_t kDelay = 5;

LogicalOptions Simple() {
  LogicalOptions options;
  options.clock = LogicalClockKind::kSimple;
  options.amortization = AmortizationKind::kNone;
  return options;
}

// Three members enter at 100, 300 and 200 and leave 10 later; member 1 is the root.
struct Collective {
  TestTrace trace{3};
  explicit Collective(CollectiveFlow flow) {
    trace.groups = {{ProcessId{0}, ProcessId{1}, ProcessId{2}}};
    constexpr int64_t kEnters[] = {100, 300, 200};
    for (uint32_t p = 0; p < 3; ++p) {
      Add(p, kEnters[p], Kind::kEnterCollective, flow);
      Add(p, kEnters[p] + 10, Kind::kLeaveCollective, flow);
    }
  }
  void Add(uint32_t p, int64_t time, Kind kind, CollectiveFlow flow) {
    trace.Collective(p, time, kind, flow, 0, 1).is_root = p == 1;
  }
  // The times of the three leaves.
  std::vector<int64_t> Leaves() const {
    const FilterRun run = RunFilter(trace, Simple(), DelayModel({kDelay, 0}));
    EXPECT_EQ(run.after[0], 100);
    EXPECT_EQ(run.after[2], 300);
    EXPECT_EQ(run.after[4], 200);
    return {run.after[1], run.after[3], run.after[5]};
  }
};

TEST(Collectives, EachFlowBindsItsLeaves) {
  struct Case {
    CollectiveFlow flow;
    std::vector<int64_t> leaves;
  };
  const int64_t bound = 300 + kDelay;  // by the enter of member 1
  const std::vector<Case> cases = {
      {CollectiveFlow::kNone, {110, 310, 210}},
      {CollectiveFlow::kAllToAll, {bound, 310, bound}},
      {CollectiveFlow::kOneToAll, {bound, 310, bound}},
      {CollectiveFlow::kAllToOne, {110, 310, 210}},
      {CollectiveFlow::kPrefix, {110, 310, bound}},
      {CollectiveFlow::kExclusivePrefix, {110, 310, bound}},
  };
  for (const Case& c : cases) EXPECT_EQ(Collective(c.flow).Leaves(), c.leaves);
}

// Rank 0 forks at 100 and joins at 400; two threads begin at 90 and 120 and end at 410 and 300.
TEST(Collectives, ForksAndJoinsHaveOneEnterOrLeaveOfMostMembers) {
  TestTrace trace(3);
  trace.groups = {{ProcessId{2}, ProcessId{0}, ProcessId{1}}};
  const auto add = [&](uint32_t p, int64_t time, Kind kind, CollectiveFlow flow) {
    trace.Collective(p, time, kind, flow, 0, flow == CollectiveFlow::kFork ? 1 : 2);
  };
  add(2, 100, Kind::kEnterCollective, CollectiveFlow::kFork);
  add(2, 101, Kind::kLeaveCollective, CollectiveFlow::kFork);
  add(0, 90, Kind::kLeaveCollective, CollectiveFlow::kFork);
  add(1, 120, Kind::kLeaveCollective, CollectiveFlow::kFork);
  add(0, 410, Kind::kEnterCollective, CollectiveFlow::kJoin);
  add(1, 300, Kind::kEnterCollective, CollectiveFlow::kJoin);
  add(2, 390, Kind::kEnterCollective, CollectiveFlow::kJoin);
  add(2, 400, Kind::kLeaveCollective, CollectiveFlow::kJoin);
  const FilterRun run = RunFilter(trace, Simple(), DelayModel({kDelay, 0}));
  EXPECT_THAT(run.after, ElementsAre(100, 101, 100 + kDelay, 120, 410, 300, 390, 410 + kDelay));
  EXPECT_EQ(run.report.given_up, 0u);
  EXPECT_EQ(run.report.collective_leaves, 3u);
}

TEST(Collectives, RootWaitsForAllOthers) {
  Collective reduce(CollectiveFlow::kAllToOne);
  reduce.trace.processes[1][0].time.ns = 20;
  reduce.trace.processes[1][1].time.ns = 30;
  const FilterRun run = RunFilter(reduce.trace, Simple(), DelayModel({kDelay, 0}));
  EXPECT_EQ(run.after[3], 200 + kDelay);
}

TEST(Collectives, MembersWithoutDataBindNobody) {
  Collective barrier(CollectiveFlow::kAllToAll);
  for (LogicalEvent& e : barrier.trace.processes[1]) e.takes_part = false;
  // Members 0 and 2 wait for each other alone, member 1 for nobody.
  EXPECT_THAT(barrier.Leaves(), ElementsAre(200 + kDelay, 310, 210));
}

TEST(Collectives, GroupsOfOneAndUnknownGroupsImplyNothing) {
  for (const std::vector<ProcessId>& members :
       {std::vector<ProcessId>{ProcessId{1}}, std::vector<ProcessId>{}}) {
    Collective barrier(CollectiveFlow::kAllToAll);
    barrier.trace.groups = {members};
    EXPECT_THAT(barrier.Leaves(), ElementsAre(110, 310, 210));
  }
  Collective stranger(CollectiveFlow::kAllToAll);
  for (auto& events : stranger.trace.processes) {
    for (LogicalEvent& e : events) e.group = 7;
  }
  EXPECT_THAT(stranger.Leaves(), ElementsAre(110, 310, 210));
}

TEST(Collectives, RanksNeedNotBeProcessNumbers) {
  Collective scan(CollectiveFlow::kPrefix);
  scan.trace.groups = {{ProcessId{2}, ProcessId{0}, ProcessId{1}}};
  EXPECT_THAT(scan.Leaves(), ElementsAre(200 + kDelay, 310, 210));
}

TEST(Collectives, ReportNamesTheLatestEnterOfEachLeave) {
  const FilterRun run =
      RunFilter(Collective(CollectiveFlow::kAllToAll).trace, Simple(), DelayModel({kDelay, 0}));
  ASSERT_EQ(run.sink.messages.size(), 3u);
  EXPECT_EQ(run.report.collective_leaves, 3u);
  const RetimedMessage& first = run.sink.messages[0];  // the leave of member 0
  EXPECT_EQ(first.kind, RetimedMessage::Kind::kCollective);
  EXPECT_EQ(first.sender, ProcessId{1});
  EXPECT_EQ(first.send_tag, 2u);
  EXPECT_EQ(first.receive_before.ns - first.send_before.ns, 110 - 300);
  EXPECT_EQ(first.receive_after.ns - first.send_after.ns, kDelay);
  EXPECT_EQ(run.sink.messages[1].sender, ProcessId{2});  // of the others, for member 1
}

TEST(Collectives, MemberThatNeverComesIsNotWaitedFor) {
  Collective barrier(CollectiveFlow::kAllToAll);
  barrier.trace.processes[1].clear();
  barrier.trace.Internal(1, 50);
  const FilterRun run = RunFilter(barrier.trace, Simple(), DelayModel({kDelay, 0}));
  EXPECT_EQ(run.after[1], 200 + kDelay);
  EXPECT_EQ(run.after[5], 210);
  EXPECT_EQ(run.report.given_up, 1u);
}

// Instances are kept for those that may come after all: what they contradict is counted.
TEST(Collectives, MemberThatComesAfterTheHorizonIsCounted) {
  for (const bool is_before : {false, true}) {
    TestTrace trace(2);
    trace.groups = {{ProcessId{0}, ProcessId{1}}};
    const auto add = [&](uint32_t p, int64_t time, Kind kind, uint64_t instance) {
      trace.Collective(p, time, kind, CollectiveFlow::kAllToAll, 0, instance);
    };
    for (uint64_t i = 0; i < 3; ++i) {
      const int64_t time = 1000 + 10 * static_cast<int64_t>(i);
      add(0, time, Kind::kEnterCollective, i);
      add(0, time + 5, Kind::kLeaveCollective, i);
    }
    trace.Internal(1, 500);
    for (const int64_t time : {40'000, 60'000}) {
      if (!is_before) trace.Internal(1, time);
    }
    for (uint64_t i = 0; i < 3; ++i) {
      const int64_t time = (is_before ? 600 : 80'000) + 10 * static_cast<int64_t>(i);
      add(1, time, Kind::kEnterCollective, i);
      add(1, time + 5, Kind::kLeaveCollective, i);
    }
    LogicalOptions options = Simple();
    options.max_horizon_ns = 10'000;
    const FilterRun run = RunFilter(trace, options, DelayModel({kDelay, 0}));
    EXPECT_EQ(run.report.given_up, is_before ? 0U : 3U);
    EXPECT_EQ(run.report.late_partners, is_before ? 0U : 6U);
    EXPECT_EQ(run.report.broken, is_before ? 0U : 3U);
    EXPECT_EQ(run.after.size(), is_before ? 13U : 15U);
  }
}

// Of three members the last one goes on, but never comes.
struct WithoutThird {
  TestTrace trace{3};
  explicit WithoutThird(const std::vector<uint64_t>& instances) {
    trace.groups = {{ProcessId{0}, ProcessId{1}, ProcessId{2}}};
    int64_t time = 1000;
    for (const uint64_t instance : instances) {
      Add(0, time, Kind::kEnterCollective, instance);
      Add(0, time + 5, Kind::kLeaveCollective, instance);
      Add(1, time + 100, Kind::kEnterCollective, instance);
      Add(1, time + 110, Kind::kLeaveCollective, instance);
      time += 1000;
    }
    for (int64_t later = 0; later < 400'000; later += 4'000) trace.Internal(2, later);
  }
  void Add(uint32_t p, int64_t time, Kind kind, uint64_t instance) {
    trace.Collective(p, time, kind, CollectiveFlow::kAllToAll, 0, instance);
  }
  FilterRun Run() const {
    LogicalOptions options = Simple();
    options.max_horizon_ns = 10'000;
    return RunFilter(trace, options, DelayModel({kDelay, 0}));
  }
};

TEST(Collectives, AnInstanceKeptForAMemberThatNeverComesIsReportedOnce) {
  const FilterRun run = WithoutThird({1, 2}).Run();
  EXPECT_EQ(run.report.given_up, 2U);
  EXPECT_EQ(run.sink.messages.size(), 4U);
  EXPECT_EQ(run.after[1], 1100 + kDelay);
}

TEST(Collectives, AnIdIsUsedAgainThoughAMemberNeverComes) {
  const FilterRun run = WithoutThird({7, 7, 7}).Run();
  EXPECT_EQ(run.report.ambiguous, 0U);
  EXPECT_EQ(run.sink.messages.size(), 6U);
  for (const size_t round : {0, 1, 2}) {
    EXPECT_EQ(run.after[4 * round + 1], 1100 + kDelay + 1000 * static_cast<int64_t>(round));
  }
}

TEST(Collectives, TheLatestAreKeptForMembersThatComeAfterAll) {
  constexpr uint64_t kInstances = 40'000, kKept = (1 << 16) / 2;
  TestTrace trace(2);
  trace.groups = {{ProcessId{0}, ProcessId{1}}};
  const auto add = [&](uint32_t p, int64_t begin) {
    for (uint64_t i = 0; i < kInstances; ++i) {
      const int64_t time = begin + 10 * static_cast<int64_t>(i);
      trace.Collective(p, time, Kind::kEnterCollective, CollectiveFlow::kAllToAll, 0, i);
      trace.Collective(p, time + 5, Kind::kLeaveCollective, CollectiveFlow::kAllToAll, 0, i);
    }
  };
  add(0, 0);
  // Each one is waited for until three more of these.
  for (int64_t i = 0; i < 4 * int64_t{kInstances}; ++i) trace.Internal(1, 5'000 * i);
  add(1, 5'000 * 4 * int64_t{kInstances});
  LogicalOptions options = Simple();
  options.max_horizon_ns = 10'000;
  const FilterRun run = RunFilter(trace, options, DelayModel({kDelay, 0}));
  EXPECT_EQ(run.report.given_up, kInstances + (kInstances - kKept));
  EXPECT_EQ(run.report.broken, kKept);
}

TEST(Collectives, LeaveWithoutEnterAndEventsTwiceAreSurvived) {
  Collective barrier(CollectiveFlow::kAllToAll);
  auto& events = barrier.trace.processes[0];
  events.erase(events.begin());
  barrier.Add(2, 500, Kind::kLeaveCollective, CollectiveFlow::kAllToAll);
  barrier.Add(1, 500, Kind::kEnterCollective, CollectiveFlow::kAllToAll);
  const FilterRun run = RunFilter(barrier.trace, Simple(), DelayModel({kDelay, 0}));
  EXPECT_EQ(run.after[1], 300 + kDelay);
  EXPECT_EQ(run.sink.events.size(), 7u);
}

// A member without data enters only after it has heard of somebody who left.
TEST(Collectives, MemberWithoutDataMayComeLater) {
  TestTrace trace(2);
  trace.groups = {{ProcessId{0}, ProcessId{1}}};
  trace.Collective(0, 10, Kind::kEnterCollective, CollectiveFlow::kAllToAll, 0, 1);
  trace.Collective(0, 20, Kind::kLeaveCollective, CollectiveFlow::kAllToAll, 0, 1);
  trace.Send(0, 30, 1, 1);
  trace.Receive(1, 40, 0, 1);
  trace.Collective(1, 50, Kind::kEnterCollective, CollectiveFlow::kAllToAll, 0, 1).takes_part =
      false;
  trace.Collective(1, 60, Kind::kLeaveCollective, CollectiveFlow::kAllToAll, 0, 1).takes_part =
      false;
  const FilterRun run = RunFilter(trace, Simple(), DelayModel({kDelay, 0}));
  EXPECT_THAT(run.after, ElementsAre(10, 20, 30, 40, 50, 60));
  EXPECT_EQ(run.report.given_up, 0u);
}

TEST(Collectives, LeaveThatClosesACycleWaitsForNobody) {
  TestTrace trace(3);
  trace.groups = {{ProcessId{0}, ProcessId{1}, ProcessId{2}}};
  trace.Collective(0, 10, Kind::kEnterCollective, CollectiveFlow::kAllToAll, 0, 1);
  trace.Collective(0, 20, Kind::kLeaveCollective, CollectiveFlow::kAllToAll, 0, 1);
  trace.Send(0, 30, 1, 1);
  trace.Receive(1, 40, 0, 1);
  trace.Collective(1, 50, Kind::kEnterCollective, CollectiveFlow::kAllToAll, 0, 1);
  trace.Collective(1, 60, Kind::kLeaveCollective, CollectiveFlow::kAllToAll, 0, 1);
  trace.Collective(2, 15, Kind::kEnterCollective, CollectiveFlow::kAllToAll, 0, 1);
  trace.Collective(2, 25, Kind::kLeaveCollective, CollectiveFlow::kAllToAll, 0, 1);
  const FilterRun run = RunFilter(trace, Simple(), DelayModel({kDelay, 0}));
  // The others still wait for all who enter.
  EXPECT_THAT(run.after, ElementsAre(10, 20, 30, 40, 50, 60, 15, 50 + kDelay));
  EXPECT_EQ(run.report.cycles.ends, 1U);
  EXPECT_EQ(run.report.cycles.messages, 0U);
  EXPECT_EQ(run.report.broken + run.report.given_up + run.report.late_partners, 0U);
}

TEST(LatestTwo, KnowsTheLatestOfTheOthers) {
  LatestTwo latest;
  EXPECT_EQ(latest.RankWithout(0), kNoRank);
  latest.Add(5, 0);
  EXPECT_EQ(latest.RankWithout(0), kNoRank);
  EXPECT_EQ(latest.Without(1), 5);
  latest.Add(3, 1);
  EXPECT_EQ(latest.Without(0), 3);
  latest.Add(9, 1);  // later than before
  EXPECT_EQ(latest.Without(0), 9);
  EXPECT_EQ(latest.Without(1), 5);
}

}  // namespace
}  // namespace syncline
