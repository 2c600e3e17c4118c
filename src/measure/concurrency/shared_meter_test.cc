// Shares of computations, measured by threads, against the meter of the whole.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/parcel.h"
#include "logical/testing/thread_team.h"
#include "measure/concurrency/concurrency_meter.h"
#include "measure/concurrency/concurrency_test_util.h"
#include "measure/concurrency/stamp_post.h"

namespace syncline {
namespace {

using Kind = ConcurrencyEvent::Kind;

// By message: the shares of its receivers.
std::map<uint64_t, std::vector<uint32_t>> ReceiversOf(const Script& script,
                                                      const std::vector<uint32_t>& shares) {
  std::map<uint64_t, std::vector<uint32_t>> receivers;
  for (const ConcurrencyEvent& e : script.events()) {
    if (e.kind == Kind::kDelivery) receivers[e.message].push_back(shares[e.process.index()]);
  }
  return receivers;
}

// One share: the events of its processes, each process as far as it goes.
class ShareOfScript {
 public:
  ShareOfScript(const Script& script, const std::vector<uint32_t>& shares, uint64_t max_cuts,
                ReplayTeam& team, std::vector<std::vector<Region>>& regions)
      : own_(static_cast<uint32_t>(team.own())),
        receivers_(ReceiversOf(script, shares)),
        post_(shares, script.groups(), team),
        share_(MakeShare(shares)),
        meter_(
            script.processes(), script.groups(), {.max_cuts = max_cuts},
            [&](const Region& region) { regions[region.process.index()].push_back(region); },
            &share_),
        events_(script.processes()) {
    for (ConcurrencyEvent e : script.events()) {
      if (!share_.is_here[e.process.index()]) continue;
      if (e.kind == Kind::kSend) {
        const std::vector<uint32_t>& to = receivers_[e.message];
        e.leaving = static_cast<uint32_t>(
            std::count_if(to.begin(), to.end(), [&](uint32_t share) { return share != own_; }));
      }
      events_[e.process.index()].push_back(e);
      ++left_;
    }
  }

  std::optional<MeterTotals> Run() {
    do {
      while (GoOn()) {
      }
      post_.Flush();
    } while (post_.Learn(meter_, left_ == 0));
    return left_ == 0 ? meter_.FinishShare() : std::nullopt;
  }

 private:
  // Whether any process did.
  bool GoOn() {
    const size_t before = left_;
    for (uint32_t p = 0; p < events_.size(); ++p) {
      while (!events_[p].empty() && !meter_.IsWaiting(ProcessId(p))) {
        meter_.Add(events_[p].front());
        events_[p].pop_front();
        --left_;
      }
    }
    return left_ < before;
  }

  MeterShare MakeShare(const std::vector<uint32_t>& shares) {
    MeterShare share;
    for (const uint32_t of_process : shares) share.is_here.push_back(of_process == own_);
    share.tell_send = [this](const SendElsewhere& send, const PastStamp& stamp) {
      for (const uint32_t to : receivers_[send.message]) {
        if (to != own_) post_.Tell(to, send, stamp);
      }
    };
    share.tell_begins = [this](const BeginsElsewhere& begins) { post_.Tell(begins); };
    return share;
  }

  uint32_t own_;
  std::map<uint64_t, std::vector<uint32_t>> receivers_;
  StampPost post_;
  MeterShare share_;
  ConcurrencyMeter meter_;
  std::vector<std::deque<ConcurrencyEvent>> events_;  // not yet added
  size_t left_ = 0;
};

std::optional<Measured> MeasureShares(const Script& script, const std::vector<uint32_t>& shares,
                                      size_t count, uint64_t max_cuts, uint32_t seed) {
  Measured measured;
  measured.regions.resize(script.processes());
  std::vector<std::optional<Parcel>> parcels(count);
  RunTeam(count, seed, [&](ReplayTeam& team) {
    ShareOfScript share(script, shares, max_cuts, team, measured.regions);
    auto totals = share.Run();
    if (!totals) return;
    totals->Put(parcels[team.own()].emplace());
  });
  MeterTotals totals(script.processes(), max_cuts);
  for (const std::optional<Parcel>& parcel : parcels) {
    if (!parcel) return std::nullopt;
    ParcelReader reader(parcel->bytes());
    totals.Adopt(reader);
    EXPECT_TRUE(reader.is_at_end());
  }
  measured.computation = totals.Measure();
  return measured;
}

void ExpectSame(const Measured& shared, const Measured& whole) {
  const MeasuredComputation& c = shared.computation;
  const MeasuredComputation& expected = whole.computation;
  for (size_t p = 0; p < whole.regions.size(); ++p) {
    SCOPED_TRACE(p);
    ASSERT_EQ(shared.regions[p].size(), whole.regions[p].size());
    for (size_t i = 0; i < whole.regions[p].size(); ++i) {
      ASSERT_EQ(shared.regions[p][i], whole.regions[p][i]) << i;
      EXPECT_EQ(shared.regions[p][i].number, i);
    }
    EXPECT_EQ(c.processes[p].has_events, expected.processes[p].has_events);
    EXPECT_EQ(c.processes[p].first_ns, expected.processes[p].first_ns);
    EXPECT_EQ(c.processes[p].regions, expected.processes[p].regions);
    EXPECT_EQ(c.processes[p].deliveries, expected.processes[p].deliveries);
  }
  EXPECT_EQ(c.measures.alpha, expected.measures.alpha);
  EXPECT_EQ(c.measures.shares, expected.measures.shares);
  EXPECT_EQ(c.measures.height_ns, expected.measures.height_ns);
  EXPECT_EQ(c.measures.event_alpha, expected.measures.event_alpha);
  EXPECT_EQ(c.cuts.count, expected.cuts.count);
  EXPECT_EQ(c.cuts.sequential, expected.cuts.sequential);
  EXPECT_EQ(c.cuts.concurrent, expected.cuts.concurrent);
  EXPECT_EQ(c.cuts.measure, expected.cuts.measure);
  EXPECT_EQ(c.messages, expected.messages);
  EXPECT_EQ(c.collective_ends, expected.collective_ends);
}

// The receiver hears that the sender had computed 7 and waited 3 when it sent, and of process 2
// through it what that had computed until its own send, 4.
TEST(SharedMeter, StampsTellWhatSendersKnow) {
  Script s(3);
  s.Time(2, 0).Send(2, 4, 1).Time(2, 9);
  s.Time(0, 0).Block(0, 2).Deliver(0, 5, 1).Send(0, 10, 2).Time(0, 20);
  s.Time(1, 0).Deliver(1, 6, 2).Time(1, 8);
  const auto measured = MeasureShares(s, {0, 1, 0}, 2, 1000, 1);
  ASSERT_TRUE(measured);
  const Region& region = measured->regions[1][0];
  EXPECT_EQ(region.sender, ProcessId(0));
  EXPECT_EQ(region.values.weight_ns, 4 + (2 + 5) + 6);
  EXPECT_EQ(region.values.volume_ns, region.values.weight_ns + 3);
  EXPECT_EQ(region.values.height_ns, 4 + 5);
  EXPECT_EQ(region.values.events, 1 + 2 + 1);
}

// Of a barrier, each end knows all begins: 3 + 5 + 7.
TEST(SharedMeter, BeginsOfAShareTravelTogether) {
  Script s(3);
  constexpr auto kFlow = CollectiveFlow::kAllToAll;
  for (const uint32_t p : {0, 1, 2}) {
    s.Time(p, 0).Begin(p, 3 + 2 * p, 0, kFlow).Block(p, 3 + 2 * p).End(p, 10, 0, kFlow);
  }
  for (const std::vector<uint32_t>& shares : {std::vector<uint32_t>{0, 1, 1}, {0, 1, 2}}) {
    const auto measured = MeasureShares(s, shares, 3, 1000, 1);
    ASSERT_TRUE(measured);
    for (const uint32_t p : {0, 1, 2}) {
      EXPECT_EQ(measured->regions[p][1].values.weight_ns, 3 + 5 + 7);
      EXPECT_EQ(measured->regions[p][1].values.height_ns, 7);
    }
  }
}

// Threads of a team in two shares: they begin with the fork of the first, which waits at the join.
TEST(SharedMeter, TeamsForkAndJoinAcrossShares) {
  Script s(3);
  s.Time(0, 0).Begin(0, 10, 0, CollectiveFlow::kFork).End(0, 10, 0, CollectiveFlow::kFork);
  for (const uint32_t p : {1, 2}) {
    s.Time(p, 11).End(p, 12, 0, CollectiveFlow::kFork);
    s.Begin(p, 20 + p, 1, CollectiveFlow::kJoin).Time(p, 30);
  }
  s.Begin(0, 15, 1, CollectiveFlow::kJoin).Block(0, 15).End(0, 25, 1, CollectiveFlow::kJoin);
  const auto measured = MeasureShares(s, {0, 0, 1}, 2, 1000, 1);
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->regions[2][0].values.weight_ns, 10 + 1);
  const Region& join = measured->regions[0][3];
  EXPECT_EQ(join.end, RegionEnd::kCollectiveEnd);
  EXPECT_EQ(join.values.weight_ns, 15 + (21 - 11) + (22 - 11));
  EXPECT_EQ(join.values.height_ns, 10 + (22 - 12));
}

TEST(SharedMeter, CyclesAreLeftToTheWhole) {
  Script s(2);
  s.Time(0, 0).Deliver(0, 1, 1).Send(0, 2, 2);
  s.Time(1, 0).Deliver(1, 1, 2).Send(1, 2, 1);
  EXPECT_FALSE(MeasureShares(s, {0, 1}, 2, 1000, 1));
}

TEST(SharedMeter, GivesWhatTheWholeGives) {
  for (uint32_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto processes = static_cast<uint32_t>(2 + random() % 19);
    const RandomScript script(seed, processes, static_cast<int>(random() % 500));
    const auto count = static_cast<uint32_t>(1 + random() % 5);
    std::vector<uint32_t> shares(processes);
    for (uint32_t& share : shares) share = static_cast<uint32_t>(random() % count);
    const uint64_t max_cuts = std::vector<uint64_t>{0, 20, 300, 5000}[random() % 4];
    const Measured whole =
        Measure(script.script(), script.script().events(), {.max_cuts = max_cuts});
    const auto shared = MeasureShares(script.script(), shares, count, max_cuts, seed);
    ASSERT_TRUE(shared);
    ExpectSame(*shared, whole);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace syncline
