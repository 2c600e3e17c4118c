// What holds whatever the input: checked on the outputs by definitions of their own.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "syncline/time.h"

#include "logical/logical_test_util.h"
#include "logical/testing/random_trace.h"

namespace syncline {
namespace {

using Kind = LogicalEvent::Kind;

struct Violations {
  int gap = 0;
  int messages = 0;
  int collectives = 0;
  int moved_back = 0;
  friend bool operator==(const Violations&, const Violations&) = default;
};

// Of the times given by tag, against the clock condition with one µ for all.
class Checker {
 public:
  Checker(const TestTrace& trace, const std::vector<int64_t>& after, int64_t delay, int64_t gap)
      : trace_(trace), after_(after), delay_(delay), gap_(gap) {}

  Violations Check() {
    for (const auto& events : trace_.processes) {
      for (size_t j = 0; j < events.size(); ++j) {
        const int64_t now = after_[events[j].tag];
        violations_.moved_back += now < events[j].time.ns ? 1 : 0;
        if (j > 0) violations_.gap += now < after_[events[j - 1].tag] + gap_ ? 1 : 0;
      }
    }
    for (const auto& events : trace_.processes) {
      for (const LogicalEvent& e : events) {
        if (e.kind == Kind::kReceive) CheckReceive(e);
        if (e.kind == Kind::kLeaveCollective && e.takes_part) CheckLeave(e);
      }
    }
    return violations_;
  }

 private:
  void CheckReceive(const LogicalEvent& receive) {
    for (const LogicalEvent& e : trace_.processes[receive.peer.index()]) {
      const bool is_send = e.kind == Kind::kSend && e.peer == receive.process;
      if (!(is_send || e.kind == Kind::kBroadcast) || e.message != receive.message) continue;
      violations_.messages += after_[receive.tag] < after_[e.tag] + delay_ ? 1 : 0;
    }
  }
  void CheckLeave(const LogicalEvent& leave) {
    size_t own_rank = 0;
    const auto& members = trace_.groups[leave.group];
    while (members[own_rank] != leave.process) ++own_rank;
    for (size_t rank = 0; rank < members.size(); ++rank) {
      if (rank == own_rank || !Awaits(leave, own_rank, rank)) continue;
      for (const LogicalEvent& e : trace_.processes[members[rank].index()]) {
        if (e.kind != Kind::kEnterCollective || e.group != leave.group ||
            e.message != leave.message || !e.takes_part) {
          continue;
        }
        if (leave.flow == CollectiveFlow::kOneToAll && !e.is_root) continue;
        violations_.collectives += after_[leave.tag] < after_[e.tag] + delay_ ? 1 : 0;
      }
    }
  }
  static bool Awaits(const LogicalEvent& leave, size_t own_rank, size_t rank) {
    switch (leave.flow) {
      case CollectiveFlow::kNone: return false;
      case CollectiveFlow::kAllToAll: return true;
      case CollectiveFlow::kOneToAll: return !leave.is_root;
      case CollectiveFlow::kAllToOne: return leave.is_root;
      case CollectiveFlow::kFork: return rank == 0;
      case CollectiveFlow::kJoin: return own_rank == 0;
      default: return rank < own_rank;
    }
  }

  const TestTrace& trace_;
  const std::vector<int64_t>& after_;
  int64_t delay_;
  int64_t gap_;
  Violations violations_;
};

// Intervals of some hundred ns, so that random traces are amortized.
LogicalOptions SmallOptions(uint32_t seed) {
  LogicalOptions options;
  options.controller = seed % 2 == 0 ? ControllerKind::kRevised : ControllerKind::kOriginal;
  options.amortizer = {1, 4, 40};
  options.original.q_init_ns = options.original.q_min_ns = 20;
  options.revised.gamma_floor = seed % 3 == 0 ? 0.5 : 0;
  options.min_event_gap_ns = seed % 4;
  options.max_horizon_ns = -1;
  return options;
}

std::vector<int64_t> Before(const TestTrace& trace) {
  std::vector<int64_t> before(trace.size());
  for (const auto& events : trace.processes) {
    for (const LogicalEvent& e : events) before[e.tag] = e.time.ns;
  }
  return before;
}

TEST(Guarantees, ClockConditionHoldsWhateverTheClocksDo) {
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const TestTrace trace = MakeRandomTrace(
        {2 + seed % 7, 250, 1 + seed % 20, 300, static_cast<int>(seed % 3) * 3, true, true}, seed);
    const auto delay = static_cast<int64_t>(seed % 5);
    const LogicalOptions options = SmallOptions(seed);
    const FilterRun run = RunFilter(trace, options, DelayModel({delay, 0}));
    ASSERT_EQ(run.sink.events.size(), trace.size());
    EXPECT_EQ(Checker(trace, run.after, delay, options.min_event_gap_ns).Check(), Violations{});
  }
}

// Theorem 5: e⁺ bounds the simple logical clock as it bounds the clocks. It needs messages that
// really took µ, and events that really were δ apart.
TEST(Guarantees, SimpleClockIsNoFurtherAheadOfTrueTimeThanTheClocks) {
  uint64_t moved = 0;
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    RandomProgram program(
        {2 + seed % 7, 250, 1 + seed % 20, 300, static_cast<int>(seed % 3) * 3, true, true}, seed);
    const TestTrace trace = program.Run();
    const std::vector<int64_t>& truth = program.true_times();
    ASSERT_EQ(truth.size(), trace.size());
    const std::vector<int64_t> before = Before(trace);
    int64_t ahead = INT64_MIN;
    for (size_t i = 0; i < truth.size(); ++i) ahead = std::max(ahead, before[i] - truth[i]);

    LogicalOptions options = SmallOptions(seed);
    options.clock = LogicalClockKind::kSimple;
    options.amortization = AmortizationKind::kNone;
    options.min_event_gap_ns = 0;
    const FilterRun run = RunFilter(trace, options, DelayModel({1, 0}));
    for (size_t i = 0; i < truth.size(); ++i) {
      EXPECT_LE(run.after[i] - truth[i], ahead) << "event " << i;
      moved += run.after[i] > before[i] ? 1 : 0;
    }
  }
  EXPECT_GT(moved, 1000u);
}

// Whoever gives up early loses messages, but counts those whose condition then fails.
TEST(Guarantees, WhatIsGivenUpIsCounted) {
  uint64_t given_up = 0;
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const TestTrace trace = MakeRandomTrace({4, 250, 20, 300, 5, true, true}, seed);
    LogicalOptions options = SmallOptions(seed);
    options.max_horizon_ns = 100;
    const FilterRun run = RunFilter(trace, options, DelayModel({5, 0}), Feeding::kByTime);
    ASSERT_EQ(run.sink.events.size(), trace.size());
    const Violations violations = Checker(trace, run.after, 5, options.min_event_gap_ns).Check();
    EXPECT_EQ(violations.gap, 0);
    EXPECT_EQ(violations.moved_back, 0);
    const LogicalReport& report = run.report;
    if (report.given_up + report.unmatched_receives + report.unmatched_sends == 0) {
      EXPECT_EQ(violations, Violations{});
    }
    given_up += report.given_up;
  }
  EXPECT_GT(given_up, 0u);
}

TEST(Guarantees, MessagesThatWereDeliveredSatisfyTheConditionEvenWhenHurried) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const TestTrace trace = MakeRandomTrace({5, 300, 20, 300, 0, true, true}, seed);
    LogicalOptions options = SmallOptions(seed);
    options.lookahead = seed % 2 == 0 ? 8 : 65'536;
    options.max_wait_ns = 150;
    options.order = seed % 3 == 0 ? OutputOrder::kGlobal : OutputOrder::kPerProcess;
    RememberingSink sink;
    const DelayModel delays({5, 0});
    LogicalFilter filter(options, delays, sink);
    for (uint32_t p = 0; p < trace.processes.size(); ++p) filter.AddProcess(ClockId{p});
    for (const auto& group : trace.groups) filter.AddGroup(group);
    int64_t now = -1000;
    for (const LogicalEvent* e : ByTime(trace)) {
      filter.Tick(now = std::max(now, e->time.ns));
      filter.Push(*e);
    }
    filter.Finish();
    ASSERT_EQ(sink.events.size(), trace.size());
    const auto broken = std::ranges::count_if(sink.messages, [](const RetimedMessage& m) {
      return m.kind != RetimedMessage::Kind::kCollective &&
             m.receive_after < m.send_after + m.minimum_delay;
    });
    EXPECT_LE(static_cast<uint64_t>(broken), filter.report().broken);
    const auto after = sink.AfterByTag(trace.size());
    const Violations violations = Checker(trace, after, 5, options.min_event_gap_ns).Check();
    EXPECT_EQ(violations.gap + violations.moved_back, 0);
  }
}

TEST(Guarantees, ConsistentInputComesOutUnchanged) {
  for (uint32_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    TestTrace trace = MakeRandomTrace({5, 300, 20, 300, 3, true, true}, seed);
    const LogicalOptions options = SmallOptions(seed);
    // What the filter made of it satisfies the condition.
    const FilterRun first = RunFilter(trace, options, DelayModel({5, 0}));
    for (auto& events : trace.processes) {
      for (LogicalEvent& e : events) e.time.ns = first.after[e.tag];
    }
    ASSERT_EQ(Checker(trace, Before(trace), 5, options.min_event_gap_ns).Check(), Violations{});
    for (const uint32_t other : {1u, 2u, 3u}) {
      LogicalOptions again = SmallOptions(other);
      again.min_event_gap_ns = options.min_event_gap_ns;
      const FilterRun second = RunFilter(trace, again, DelayModel({5, 0}));
      EXPECT_EQ(second.after, first.after);
      EXPECT_EQ(second.report.jumps, 0u);
      EXPECT_EQ(second.report.processes[0].moved, 0u);
    }
  }
}

TEST(Guarantees, ReportedMessagesAreThoseOfTheTrace) {
  for (uint32_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const TestTrace trace = MakeRandomTrace({5, 300, 20, 300, 3, true, true}, seed);
    const std::vector<int64_t> before = Before(trace);
    const FilterRun run = RunFilter(trace, SmallOptions(seed), DelayModel({5, 0}));
    uint64_t collectives = 0;
    for (const RetimedMessage& m : run.sink.messages) {
      EXPECT_EQ(m.receive_before.ns, before[m.receive_tag]);
      EXPECT_EQ(m.receive_after.ns, run.after[m.receive_tag]);
      EXPECT_EQ(m.send_before.ns, before[m.send_tag]);
      if (m.kind == RetimedMessage::Kind::kCollective) {
        ++collectives;
        EXPECT_GE(m.send_after.ns, run.after[m.send_tag]);
      } else {
        EXPECT_EQ(m.send_after.ns, run.after[m.send_tag]);
      }
    }
    EXPECT_EQ(collectives, run.report.collective_leaves);
    EXPECT_EQ(run.sink.messages.size() - collectives, run.report.messages);
  }
}

TEST(Guarantees, TimesAtTheEndsOfInt64AreSafe) {
  for (const int64_t base : {INT64_MIN, INT64_MAX - 5000, int64_t{-2500}}) {
    for (uint32_t seed = 1; seed <= 6; ++seed) {
      SCOPED_TRACE(std::to_string(base) + ", seed " + std::to_string(seed));
      TestTrace trace = MakeRandomTrace({4, 150, 20, 300, 3, true, true}, seed);
      for (auto& events : trace.processes) {
        for (LogicalEvent& e : events) {
          const int64_t t = SaturatedSum(base, e.time.ns);
          e.time.ns = (e.tag + seed) % 17 == 0 ? SaturatedDifference(0, t) : t;
        }
      }
      for (const int64_t horizon : {int64_t{-1}, int64_t{100}, INT64_MAX}) {
        LogicalOptions options = SmallOptions(seed);
        options.max_horizon_ns = horizon;
        options.order = seed % 2 == 0 ? OutputOrder::kGlobal : OutputOrder::kPerProcess;
        const FilterRun run = RunFilter(trace, options, DelayModel({int64_t{1} << 62, 0}));
        EXPECT_EQ(run.sink.events.size(), trace.size());
      }
    }
  }
}

}  // namespace
}  // namespace syncline
