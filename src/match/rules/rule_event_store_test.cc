#include "match/rules/rule_event_store.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

RuleEvent Event(uint64_t key, uint64_t index) {
  RuleEvent event;
  event.key_high = key * 0x9e3779b97f4a7c15;
  event.key_low = key;
  event.index = index & ((uint64_t{1} << 48) - 1);
  event.time = static_cast<int64_t>(10 * index);
  return event;
}

std::vector<RuleEvent> All(RuleEventStore& store) {
  std::vector<RuleEvent> all;
  for (;;) {
    const auto batch = store.NextBatch();
    EXPECT_TRUE(batch.has_value());
    if (!batch || batch->empty()) return all;
    EXPECT_TRUE(std::is_sorted(batch->begin(), batch->end()));
    all.insert(all.end(), batch->begin(), batch->end());
  }
}

TEST(RuleEventStore, IsEmptyAtFirst) {
  RuleEventStore store(0);
  EXPECT_TRUE(All(store).empty());
}

TEST(RuleEventStore, DeliversEverythingInOneOrderFromMemoryAndFromDisk) {
  constexpr size_t kEvents = 20'000;
  std::vector<RuleEvent> events;
  for (size_t i = 0; i < kEvents; ++i) events.push_back(Event(i % 7000, i));
  RuleEventStore in_memory(kEvents * sizeof(RuleEvent));
  for (const RuleEvent& event : events) ASSERT_TRUE(in_memory.Add(event).has_value());
  std::shuffle(events.begin(), events.end(), std::mt19937(1));
  RuleEventStore on_disk(0);
  for (const RuleEvent& event : events) ASSERT_TRUE(on_disk.Add(event).has_value());
  const std::vector<RuleEvent> expected = All(in_memory);
  const std::vector<RuleEvent> found = All(on_disk);
  EXPECT_EQ(in_memory.bytes_on_disk(), 0);
  EXPECT_GT(on_disk.bytes_on_disk(), 0);
  ASSERT_EQ(expected.size(), kEvents);
  ASSERT_EQ(found.size(), kEvents);
  for (size_t i = 0; i < kEvents; ++i) {
    EXPECT_EQ(found[i].index, expected[i].index);
    EXPECT_EQ(found[i].time, expected[i].time);
  }
}

TEST(RuleEventStore, KeepsOnlySomeOfAKeyThatRepeatsWithoutEnd) {
  constexpr size_t kEvents = 20'000;
  RuleEventStore store(0);
  for (size_t i = 0; i < kEvents; ++i) {
    RuleEvent event = Event(1, i);
    event.rule = 2;
    ASSERT_TRUE(store.Add(event).has_value());
  }
  const auto batch = store.NextBatch();
  ASSERT_TRUE(batch.has_value());
  ASSERT_EQ(store.left_out().size(), 3);
  EXPECT_EQ(batch->size() + store.left_out()[2], kEvents);
  EXPECT_GE(batch->size(), RuleEventStore::kMaxAlike);
  EXPECT_LT(batch->size(), 3 * RuleEventStore::kMinMemory / sizeof(RuleEvent));
}

}  // namespace
}  // namespace syncline
