#include "measure/concurrency/concurrency_meter.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/concurrency/concurrency_test_util.h"

namespace syncline {
namespace {

using testing::ElementsAre;

// 0 computes, tells 1; 1 waits, computes, tells 2; clocks have origins of their own.
Script Relay() {
  Script s(3);
  s.Time(0, 0).Send(0, 10, 1).Time(0, 30);
  s.Time(1, 100).Block(1, 104).Deliver(1, 112, 1).Send(1, 118, 2).Time(1, 120);
  s.Time(2, 0).Block(2, 5).Deliver(2, 25, 2).Time(2, 32);
  return s;
}

TEST(ConcurrencyMeter, RegionsOfThreeProcesses) {
  const Measured m = Measure(Relay());
  ASSERT_EQ(m.regions[1].size(), 3);
  const Region& delivery = m.regions[1][0];
  EXPECT_EQ(delivery.end, RegionEnd::kDelivery);
  EXPECT_EQ(delivery.event, 2);
  EXPECT_EQ(delivery.end_ns, 112);
  EXPECT_EQ(delivery.own_computed_ns, 104 - 100);
  EXPECT_EQ(delivery.own_delayed_ns, 112 - 104);
  EXPECT_EQ(delivery.sender, ProcessId(0));
  // W = (10, 4, 0), U = (0, 8, 0), HT = max(4, 10); events: send, delivery.
  EXPECT_EQ(delivery.values, (RegionValues{.computed_ns = 4,
                                           .delayed_ns = 8,
                                           .height_ns = 10,
                                           .weight_ns = 10 + 4,
                                           .volume_ns = 10 + 4 + 8,
                                           .events = 2,
                                           .event_height = 2,
                                           .event_volume = 1 + 2}));
  EXPECT_DOUBLE_EQ(*MeasureRegion(delivery.values).alpha, (14.0 - 10) / (22 - 10));
  // W = (10, 10, 0), HT = 10 + 6.
  EXPECT_EQ(m.regions[1][1].values, (RegionValues{10, 8, 16, 10 + 10, 20 + 8, 3, 3, 1 + 3}));
  // W = (10, 10, 5), U = (0, 8, 20), HT = max(5, 16).
  EXPECT_EQ(m.regions[2][0].values, (RegionValues{5, 20, 16, 25, 25 + 28, 4, 4, 1 + 3 + 4}));
  EXPECT_EQ(m.regions[2][1].end, RegionEnd::kTermination);
  EXPECT_EQ(m.regions[2][1].values,
            (RegionValues{12, 20, 16 + 7, 25 + 7, 53 + 7, 4, 4, 1 + 3 + 4}));
}

TEST(ConcurrencyMeter, ComputationOfThreeProcesses) {
  const MeasuredComputation c = Measure(Relay()).computation;
  const ComputationMeasures& m = c.measures;
  EXPECT_EQ(c.messages, 2);
  EXPECT_EQ(m.height_ns, 30);  // of 0: longer than 10 + 6 + 7
  EXPECT_EQ(m.weight_ns, 30 + 12 + 12);
  EXPECT_EQ(m.volume_ns, 54 + 8 + 20);
  EXPECT_DOUBLE_EQ(*m.alpha, (54.0 - 30) / (82 - 30));
  EXPECT_DOUBLE_EQ(*m.efficiency, 54.0 / 82);
  EXPECT_DOUBLE_EQ(*m.loss, 28.0 / 82);
  EXPECT_THAT(m.shares, ElementsAre(30.0 / 54, 12.0 / 54, 12.0 / 54));
  EXPECT_DOUBLE_EQ(*m.path_share, 30.0 / 54);
  EXPECT_DOUBLE_EQ(*m.mean_load_ns, 18);
  EXPECT_DOUBLE_EQ(*m.load_deviation_ns, (12.0 + 6 + 6) / 3);
  EXPECT_DOUBLE_EQ(*m.balance, (18.0 - 8) / 18);
  EXPECT_DOUBLE_EQ(*m.speed_balance, *m.balance);
  EXPECT_DOUBLE_EQ(*m.fidge, (4.0 - 4) / (4 - 1));
  EXPECT_DOUBLE_EQ(*m.event_alpha, (4.0 - 4) / (2 * 4));
  EXPECT_EQ(c.cuts.count, 4 + 1);
  EXPECT_EQ(c.cuts.concurrent, (1 + 1) * (2 + 1) * (1 + 1));
  EXPECT_EQ(c.cuts.measure, 0);
}

TEST(ConcurrencyMeter, SpeedScalesBothClocks) {
  const Script s = Relay();
  const Measured m = Measure(s, s.events(), {.speeds = {{}, {500'000'000}}});
  // 1 has W = 6 and U = 4; 2 hears of its send at 10/2, HT = 10 + 5 − 2.
  EXPECT_EQ(m.computation.measures.weight_ns, 30 + 6 + 12);
  EXPECT_EQ(m.computation.measures.volume_ns, 48 + 4 + 20);
  EXPECT_EQ(m.regions[2][0].values.height_ns, 10 + 5 - 2);
  EXPECT_DOUBLE_EQ(m.computation.measures.speed, 1 + 0.5 + 1);
}

// Four processes compute 10, 20, 30, 40, meet, and compute 5 more.
TEST(ConcurrencyMeter, BarrierOfFourProcesses) {
  Script s(4);
  for (uint32_t p = 0; p < 4; ++p) {
    const int64_t begin = 10 * (p + 1);
    s.Time(p, 0).Begin(p, begin, 0, CollectiveFlow::kAllToAll).Block(p, begin);
  }
  for (uint32_t p = 0; p < 4; ++p) s.End(p, 40, 0, CollectiveFlow::kAllToAll).Time(p, 45);
  const Measured m = Measure(s);
  const Region& end = m.regions[1][1];
  EXPECT_EQ(end.end, RegionEnd::kCollectiveEnd);
  // W = (10, 20, 30, 40); only what 1 itself waited is known: U = (0, 20, 0, 0).
  EXPECT_EQ(end.values, (RegionValues{20, 20, 40, 100, 100 + 20, 4 + 1, 2, 3 * 1 + 2}));
  const MeasuredComputation& c = m.computation;
  EXPECT_EQ(c.measures.height_ns, 40 + 5);
  EXPECT_EQ(c.measures.weight_ns, 100 + 4 * 5);
  EXPECT_EQ(c.measures.volume_ns, 120 + 30 + 20 + 10);
  EXPECT_DOUBLE_EQ(*c.measures.alpha, (120.0 - 45) / (180 - 45));
  EXPECT_DOUBLE_EQ(*c.measures.balance, (30.0 - (15 + 5 + 5 + 15) / 4.0) / 30);
  EXPECT_DOUBLE_EQ(*c.measures.fidge, (8.0 - 2) / (8 - 1));
  EXPECT_DOUBLE_EQ(*c.measures.event_alpha, (8.0 - 2) / (3 * 2));
  EXPECT_EQ(c.cuts.count, 16 + 16 - 1);  // subsets of the begins, of the ends after all begins
  EXPECT_DOUBLE_EQ(*c.cuts.measure, (31.0 - 9) / (81 - 9));
  EXPECT_EQ(c.collective_ends, 4);
}

struct FlowCase {
  CollectiveFlow flow;
  std::vector<int64_t> weights;  // by process, at its end
};

TEST(ConcurrencyMeter, CollectivesTeachWhatTheyWaitFor) {
  constexpr uint32_t kRoot = 1;
  const FlowCase cases[] = {{CollectiveFlow::kNone, {1, 2, 4}},
                            {CollectiveFlow::kAllToAll, {1 + 2 + 4, 1 + 2 + 4, 1 + 2 + 4}},
                            {CollectiveFlow::kOneToAll, {1 + 2, 2, 2 + 4}},
                            {CollectiveFlow::kAllToOne, {1, 1 + 2 + 4, 4}},
                            {CollectiveFlow::kPrefix, {1, 1 + 2, 1 + 2 + 4}}};
  for (const FlowCase& c : cases) {
    SCOPED_TRACE(static_cast<int>(c.flow));
    Script s(3);
    for (uint32_t p = 0; p < 3; ++p) s.Time(p, 0).Begin(p, 1 << p, 7, c.flow, kRoot);
    for (uint32_t p = 0; p < 3; ++p) s.End(p, 1 << p, 7, c.flow, kRoot);
    for (const auto& events : {s.events(), s.ProcessByProcess()}) {
      const Measured m = Measure(s, events);
      for (uint32_t p = 0; p < 3; ++p) {
        EXPECT_EQ(m.regions[p][1].values.weight_ns, c.weights[p]) << p;
      }
    }
  }
}

// Thread 0 computes 10, forks, computes 5; thread 1 computes 7, thread 2 computes 20; 0 joins.
TEST(ConcurrencyMeter, ForkTeachesTheOtherThreadsAndJoinTheRoot) {
  constexpr auto kFork = CollectiveFlow::kFork;
  constexpr auto kJoin = CollectiveFlow::kJoin;
  Script s(3);
  s.Time(0, 0).Begin(0, 10, 0, kFork).End(0, 10, 0, kFork).Begin(0, 15, 1, kJoin).Block(0, 15);
  s.End(1, 100, 0, kFork).Begin(1, 107, 1, kJoin).Block(1, 107);
  s.End(2, 200, 0, kFork).Begin(2, 220, 1, kJoin).Block(2, 220);
  s.End(0, 32, 1, kJoin);
  for (const auto& events : {s.events(), s.ProcessByProcess()}) {
    const Measured m = Measure(s, events);
    EXPECT_EQ(m.regions[1][0].values.weight_ns, 10);
    EXPECT_EQ(m.regions[2][1].values.height_ns, 10 + 20);
    const RegionValues& join = m.regions[0][3].values;
    EXPECT_EQ(join.weight_ns, 15 + 7 + 20);
    EXPECT_EQ(join.delayed_ns, 32 - 15);
    EXPECT_EQ(join.height_ns, 10 + 20);
    EXPECT_EQ(m.computation.collective_ends, 3 + 1);
  }
}

TEST(ConcurrencyMeter, ForkThatIsNotRecordedIsNotWaitedForInTheEnd) {
  Script s(2);
  s.Time(0, 0).Time(0, 10).End(1, 5, 0, CollectiveFlow::kFork).Time(1, 9);
  const Measured m = Measure(s);
  EXPECT_EQ(m.computation.collective_ends, 1);
  EXPECT_EQ(m.computation.measures.weight_ns, 10 + 4);
}

TEST(ConcurrencyMeter, MembersThatNeverBeginAreNotWaitedForInTheEnd) {
  Script s(3);
  s.Time(2, 0);
  for (uint32_t p : {0U, 1U}) {
    s.Time(p, 0)
        .Begin(p, 10, 0, CollectiveFlow::kAllToAll)
        .End(p, 20, 0, CollectiveFlow::kAllToAll);
  }
  const Measured m = Measure(s);
  EXPECT_EQ(m.computation.collective_ends, 2);
  EXPECT_EQ(m.regions[0][1].values.weight_ns, 20 + 10);
}

TEST(ConcurrencyMeter, IndependentProcessesAreFullyConcurrent) {
  Script s(3);
  for (uint32_t p = 0; p < 3; ++p) s.Time(p, 5).Time(p, 25);
  EXPECT_EQ(Measure(s).computation.measures.alpha, 1);
}

TEST(ConcurrencyMeter, TokenRingIsSequential) {
  constexpr uint32_t kProcesses = 4;
  constexpr int kRounds = 3;
  Script s(kProcesses);
  for (uint32_t p = 0; p < kProcesses; ++p) s.Time(p, 0);
  for (uint32_t p = 1; p < kProcesses; ++p) s.Block(p, 0);
  int64_t now = 0;
  for (uint64_t token = 0; token < kRounds * kProcesses; ++token) {
    const auto p = static_cast<uint32_t>(token % kProcesses);
    if (token > 0) s.Deliver(p, now, token - 1);
    now += 10;
    s.Send(p, now, token).Block(p, now);
    now += 2;
  }
  const ComputationMeasures m = Measure(s).computation.measures;
  EXPECT_EQ(m.alpha, 0);
  EXPECT_EQ(m.weight_ns, kRounds * kProcesses * 10);
  EXPECT_EQ(m.fidge, 0);
}

TEST(ConcurrencyMeter, SendEndsAWait) {
  Script s(2);
  s.Time(0, 0).Block(0, 3).Send(0, 10, 1).Time(0, 14);
  s.Time(1, 0).Deliver(1, 1, 1);
  const ProcessTotals totals = Measure(s).computation.processes[0].totals;
  EXPECT_EQ(totals.computed_ns, 3 + 4);
  EXPECT_EQ(totals.delayed_ns, 7);
}

TEST(ConcurrencyMeter, WaitAtTheEndCounts) {
  Script s(2);
  s.Time(0, 0).Block(0, 3).Time(0, 10);
  s.Time(1, 0);
  EXPECT_EQ(Measure(s).computation.processes[0].totals.delayed_ns, 7);
}

TEST(ConcurrencyMeter, TimeThatStepsBackDoesNotCount) {
  Script s(1);
  s.Time(0, 100).Send(0, 40, 1, 0).Time(0, 110);
  EXPECT_EQ(Measure(s).computation.processes[0].totals.computed_ns, 10);
}

TEST(ConcurrencyMeter, ExtremeTimesSaturate) {
  Script s(2);
  s.Time(0, INT64_MIN).Send(0, INT64_MAX, 1).Time(1, INT64_MIN).Deliver(1, INT64_MAX, 1);
  EXPECT_EQ(Measure(s).computation.measures.weight_ns, INT64_MAX);
}

TEST(ConcurrencyMeter, ProcessWithoutEventsIsLeftOut) {
  Script s(3);
  s.Time(0, 0).Time(0, 10).Time(2, 0).Time(2, 20);
  const MeasuredComputation c = Measure(s).computation;
  EXPECT_FALSE(c.processes[1].has_events);
  EXPECT_DOUBLE_EQ(*c.measures.mean_load_ns, (10.0 + 20) / 2);
}

TEST(ConcurrencyMeter, CycleIsFound) {
  Script s(2);
  s.Time(0, 0).Deliver(0, 1, 1).Send(0, 2, 2);
  s.Time(1, 0).Deliver(1, 1, 2).Send(1, 2, 1);
  ConcurrencyMeter meter(2, s.groups(), {}, [](const Region&) {});
  for (const ConcurrencyEvent& event : s.events()) meter.Add(event);
  EXPECT_TRUE(meter.IsWaiting(ProcessId(1)));
  const auto finished = meter.Finish();
  ASSERT_FALSE(finished.has_value());
  EXPECT_EQ(finished.error().process, ProcessId(0));
  EXPECT_EQ(finished.error().event, 1);
}

class RandomComputations : public testing::TestWithParam<uint32_t> {
 protected:
  static constexpr int kSteps = 400;
  const RandomScript random_{GetParam(), 2 + GetParam() % 19, kSteps};
  const Script& script_ = random_.script();
};

TEST_P(RandomComputations, MeasuresKeepTheirIdentities) {
  const Measured measured = Measure(script_);
  const ComputationMeasures& c = measured.computation.measures;
  EXPECT_DOUBLE_EQ(*c.efficiency + *c.loss, 1);
  EXPECT_LE(c.weight_ns, c.volume_ns);
  for (const std::vector<Region>& regions : measured.regions) {
    int64_t height = 0;
    int64_t own = 0;
    for (const Region& region : regions) {
      const RegionValues& v = region.values;
      const RegionMeasures m = MeasureRegion(v);
      if (m.efficiency) {
        EXPECT_DOUBLE_EQ(*m.efficiency + *m.loss, 1);
      }
      EXPECT_LE(v.height_ns, v.weight_ns);
      EXPECT_LE(v.weight_ns, v.volume_ns);
      EXPECT_LE(v.event_height, v.events);
      EXPECT_LE(v.events, v.event_volume);
      EXPECT_GE(v.height_ns, height + region.own_computed_ns);
      height = v.height_ns;
      own += region.own_computed_ns + region.own_delayed_ns;
      EXPECT_EQ(own, v.computed_ns + v.delayed_ns);
    }
    EXPECT_LE(height, c.height_ns);
  }
}

TEST_P(RandomComputations, HeightGrowsAlongMessages) {
  const Measured measured = Measure(script_);
  std::map<uint64_t, int64_t> sent;  // height by message
  std::vector<size_t> next(script_.processes());
  for (const ConcurrencyEvent& e : script_.events()) {
    const bool ends_region = e.kind >= ConcurrencyEvent::Kind::kSend;
    if (!ends_region) continue;
    const Region& region = measured.regions[e.process.index()][next[e.process.index()]++];
    ASSERT_EQ(region.event, e.event);
    if (e.kind == ConcurrencyEvent::Kind::kSend) sent[e.message] = region.values.height_ns;
    if (e.kind == ConcurrencyEvent::Kind::kDelivery) {
      EXPECT_GE(region.values.height_ns, sent[e.message]);
    }
  }
}

TEST_P(RandomComputations, InterleavingDoesNotMatter) {
  const Measured in_time = Measure(script_);
  const Measured in_turn = Measure(script_, script_.ProcessByProcess());
  for (size_t p = 0; p < script_.processes(); ++p) {
    ASSERT_EQ(in_time.regions[p].size(), in_turn.regions[p].size());
    for (size_t i = 0; i < in_time.regions[p].size(); ++i) {
      EXPECT_EQ(in_time.regions[p][i].values, in_turn.regions[p][i].values);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomComputations, testing::Range(1U, 21U));

}  // namespace
}  // namespace syncline
