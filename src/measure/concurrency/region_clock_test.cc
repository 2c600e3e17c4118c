#include "syncline/region_clock.h"

#include <deque>
#include <map>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/concurrency/concurrency_test_util.h"

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(RegionClock, CarriesWhatWasComputedAndDelayed) {
  RegionClock a(0, 2, 1000);
  RegionClock b(1, 2, 0);
  const RegionStamp stamp = a.Send(1010);
  b.Block(4);
  ASSERT_TRUE(b.Deliver(12, stamp));
  EXPECT_THAT(b.computed_ns(), ElementsAre(1010 - 1000, 4));
  EXPECT_THAT(b.delayed_ns(), ElementsAre(0, 12 - 4));
  EXPECT_EQ(b.height_ns(), 10);  // longer than b's own 4
  b.End(15);
  EXPECT_THAT(b.computed_ns(), ElementsAre(10, 4 + 3));
  EXPECT_EQ(b.height_ns(), 10 + 3);
}

TEST(RegionClock, SpeedIsAppliedToTheWholeAndRoundedDown) {
  RegionClock clock(0, 1, 0, {333'333'333});
  for (int64_t t = 1; t <= 10; ++t) clock.Send(t);
  EXPECT_THAT(clock.computed_ns(), ElementsAre(3));
  EXPECT_EQ(clock.height_ns(), 3);  // 10 / 3, not ten times 1 / 3
}

TEST(RegionClock, SendsOnlyWhatChanged) {
  RegionClock a(0, 3, 0);
  EXPECT_THAT(a.SendChanges(1, 5).entries, ElementsAre(RegionStamp::Entry{0, 5, 0}));
  EXPECT_TRUE(a.SendChanges(1, 5).entries.empty());
  ASSERT_TRUE(a.Deliver(5, {.height_ns = 1, .entries = {{2, 7, 8}}}));
  EXPECT_THAT(a.SendChanges(1, 5).entries, ElementsAre(RegionStamp::Entry{2, 7, 8}));
  EXPECT_THAT(a.SendChanges(2, 6).entries,
              ElementsAre(RegionStamp::Entry{0, 6, 0}, RegionStamp::Entry{2, 7, 8}));
}

struct BadStamp {
  RegionStamp stamp;
  const char* message;
};

TEST(RegionClock, RefusesStampsOfOtherComputations) {
  const BadStamp bad[] = {{{.height_ns = 0, .entries = {{3, 1, 1}}}, "process 3, but there are 2"},
                          {{.height_ns = 0, .entries = {{1, -1, 1}}}, "negative"},
                          {{.height_ns = -1, .entries = {}}, "negative"},
                          {{.height_ns = 9, .entries = {{0, 9, 0}}}, "ahead of the process"}};
  for (const BadStamp& c : bad) {
    RegionClock clock(0, 2, 0);
    const auto delivered = clock.Deliver(5, c.stamp);
    ASSERT_FALSE(delivered);
    EXPECT_THAT(delivered.error().message, HasSubstr(c.message));
    EXPECT_THAT(clock.computed_ns(), ElementsAre(0, 0));
  }
}

// A script run by one clock per process, as its processes would.
class LiveRun {
 public:
  enum class Stamps { kDense, kChanges };

  LiveRun(const Script& script, Stamps stamps) : stamps_(stamps) {
    for (const ConcurrencyEvent& e : script.events()) {
      if (clocks_.size() <= e.process.index()) {
        clocks_.emplace_back(e.process.value, script.processes(), e.time_ns);
      }
      Take(e);
      last_[e.process.index()] = e.time_ns;
    }
    for (size_t p = 0; p < clocks_.size(); ++p) clocks_[p].End(last_[p]);
  }

  const RegionClock& clock(size_t p) const { return clocks_[p]; }

 private:
  using Kind = ConcurrencyEvent::Kind;

  void Take(const ConcurrencyEvent& e) {
    RegionClock& clock = clocks_[e.process.index()];
    switch (e.kind) {
      case Kind::kBlock: clock.Block(e.time_ns); break;
      case Kind::kResume: clock.Resume(e.time_ns); break;
      case Kind::kSend:
        sent_[e.message] = stamps_ == Stamps::kDense ? clock.Send(e.time_ns)
                                                     : clock.SendChanges(e.group, e.time_ns);
        break;
      case Kind::kDelivery:
        EXPECT_TRUE(clock.Deliver(e.time_ns, sent_.extract(e.message).mapped()));
        break;
      default: break;
    }
  }

  Stamps stamps_;
  std::vector<RegionClock> clocks_;
  std::map<size_t, int64_t> last_;
  std::map<uint64_t, RegionStamp> sent_;
};

// Messages alone, in order between each two processes; the receiver stands in `group`.
Script FifoScript(uint32_t seed, uint32_t processes) {
  std::mt19937 random(seed);
  Script s(processes);
  std::vector<int64_t> now(processes);
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint64_t>> channels;
  for (uint32_t p = 0; p < processes; ++p) s.Time(p, now[p] = random() % 100);
  for (uint64_t message = 0; message < 300;) {
    const auto p = static_cast<uint32_t>(random() % processes);
    const auto q = static_cast<uint32_t>(random() % processes);
    auto& channel = channels[{q, p}];
    if (p == q) continue;
    if (random() % 2 == 0) {
      channels[{p, q}].push_back(message);
      s.Send(p, now[p] += random() % 10, message++, 1, q);
    } else if (!channel.empty()) {
      s.Block(p, now[p] += random() % 10);
      s.Deliver(p, now[p] += random() % 10, channel.front());
      channel.erase(channel.begin());
    }
  }
  return s;
}

void ExpectEqualRun(const LiveRun& live, const Script& script, const Measured& measured) {
  const auto sum = [](auto span) { return std::accumulate(span.begin(), span.end(), int64_t{0}); };
  for (size_t p = 0; p < script.processes(); ++p) {
    const RegionClock& clock = live.clock(p);
    const RegionValues& last = measured.regions[p].back().values;
    EXPECT_EQ(clock.computed_ns()[p], last.computed_ns);
    EXPECT_EQ(clock.delayed_ns()[p], last.delayed_ns);
    EXPECT_EQ(clock.height_ns(), last.height_ns);
    EXPECT_EQ(sum(clock.computed_ns()), last.weight_ns);
    EXPECT_EQ(sum(clock.computed_ns()) + sum(clock.delayed_ns()), last.volume_ns);
  }
}

TEST(RegionClock, LiveClocksEqualTheMeasuresOfTheTrace) {
  for (uint32_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Script script = FifoScript(seed, 2 + seed % 5 * 6);
    const Measured measured = Measure(script);
    for (const auto stamps : {LiveRun::Stamps::kDense, LiveRun::Stamps::kChanges}) {
      ExpectEqualRun(LiveRun(script, stamps), script, measured);
    }
  }
}

// Anyone to anyone, with two messages per process under way: no two know the same.
Script SpreadScript(uint32_t seed, uint32_t processes, uint64_t messages) {
  std::mt19937 random(seed);
  Script s(processes);
  std::vector<int64_t> now(processes);
  std::deque<std::pair<uint32_t, uint64_t>> under_way;
  for (uint32_t p = 0; p < processes; ++p) s.Time(p, now[p] = random() % 100);
  for (uint64_t message = 0; message < messages; ++message) {
    const auto p = static_cast<uint32_t>(random() % processes);
    s.Send(p, now[p] += random() % 10, message);
    under_way.emplace_back(static_cast<uint32_t>(random() % processes), message);
    if (under_way.size() <= size_t{2} * processes) continue;
    const auto [q, first] = under_way.front();
    under_way.pop_front();
    s.Block(q, now[q] += random() % 10);
    s.Deliver(q, now[q] += random() % 10, first);
  }
  return s;
}

TEST(RegionClock, DenseClocksEqualSharedVectorsWhereNothingIsShared) {
  constexpr uint32_t kSeed = 3;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  const Script script = SpreadScript(kSeed, 500, 5000);
  const Measured measured = Measure(script, script.events(), {});
  ExpectEqualRun(LiveRun(script, LiveRun::Stamps::kDense), script, measured);
}

}  // namespace
}  // namespace syncline
