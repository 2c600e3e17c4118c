#include "measure/concurrency/event_order.h"

#include <random>

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr ProcessId kP{0};
constexpr ProcessId kQ{1};

TEST(EventOrder, ChainHasOneCutMoreThanEvents) {
  EventOrder order(2, 100);
  order.Add(kP, {});
  const EventOrigin first{kP, 1};
  order.Add(kQ, {&first, 1});
  const ConsistentCuts cuts = order.Count();
  EXPECT_EQ(cuts.count, 2 + 1);
  EXPECT_EQ(cuts.sequential, 2 + 1);
  EXPECT_EQ(cuts.concurrent, (1 + 1) * (1 + 1));
  EXPECT_EQ(cuts.measure, 0);
}

TEST(EventOrder, EventsWithoutMessagesAreFullyConcurrent) {
  EventOrder order(2, 100);
  for (int i = 0; i < 3; ++i) order.Add(kP, {});
  for (int i = 0; i < 2; ++i) order.Add(kQ, {});
  EXPECT_EQ(order.Count().count, (3 + 1) * (2 + 1));
  EXPECT_EQ(order.Count().measure, 1);
}

TEST(EventOrder, OneProcessHasNoMeasure) {
  EventOrder order(1, 100);
  order.Add(kP, {});
  EXPECT_EQ(order.Count().count, 2);
  EXPECT_FALSE(order.Count().measure);
}

TEST(EventOrder, CountsUpToItsLimit) {
  for (const uint64_t limit : {11, 12}) {
    EventOrder order(2, limit);
    for (int i = 0; i < 3; ++i) order.Add(kP, {});
    for (int i = 0; i < 2; ++i) order.Add(kQ, {});
    EXPECT_EQ(order.Count().count.has_value(), limit == (3 + 1) * (2 + 1));
  }
}

TEST(EventOrder, ForgetsEventsBeyondTheLimit) {
  EventOrder order(1, 3);
  for (int i = 0; i < 2; ++i) order.Add(kP, {});
  EXPECT_TRUE(order.is_kept());
  order.Add(kP, {});  // 4 cuts
  EXPECT_FALSE(order.is_kept());
  EXPECT_FALSE(order.Count().count);
  EXPECT_EQ(order.Count().sequential, 3 + 1);
}

TEST(EventOrder, GivesUpOnManyProcesses) {
  constexpr uint32_t kProcesses = 4096;
  EventOrder order(kProcesses, 100'000'000);
  for (uint32_t p = 0; p < kProcesses; ++p) order.Add(ProcessId(p), {});
  EXPECT_FALSE(order.Count().count);  // 2^4096
}

// All vectors of numbers of events, one after the other.
uint64_t Enumerate(const std::vector<std::vector<std::vector<EventOrigin>>>& after) {
  uint64_t consistent = 0;
  std::vector<uint32_t> cut(after.size());
  for (;;) {
    bool is_consistent = true;
    for (size_t p = 0; p < after.size(); ++p) {
      for (uint32_t e = 0; e < cut[p]; ++e) {
        for (const EventOrigin& origin : after[p][e]) {
          is_consistent &= cut[origin.process.index()] >= origin.number;
        }
      }
    }
    consistent += is_consistent ? 1 : 0;
    size_t p = 0;
    while (p < cut.size() && cut[p] == after[p].size()) cut[p++] = 0;
    if (p == cut.size()) return consistent;
    ++cut[p];
  }
}

TEST(EventOrder, EqualsEnumeration) {
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    constexpr uint32_t kProcesses = 4;
    EventOrder order(kProcesses, 100'000);
    std::vector<std::vector<std::vector<EventOrigin>>> after(kProcesses);
    for (int i = 0; i < 20; ++i) {
      const auto p = static_cast<uint32_t>(random() % kProcesses);
      const auto q = static_cast<uint32_t>(random() % kProcesses);
      std::vector<EventOrigin> precedes;
      if (random() % 2 == 0 && !after[q].empty()) {
        precedes.push_back({ProcessId(q), static_cast<int64_t>(1 + random() % after[q].size())});
      }
      order.Add(ProcessId(p), precedes);
      after[p].push_back(precedes);
    }
    EXPECT_EQ(order.Count().count, Enumerate(after));
  }
}

}  // namespace
}  // namespace syncline
