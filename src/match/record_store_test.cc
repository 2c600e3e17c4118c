#include "match/record_store.h"

#include <map>
#include <random>

#include <gtest/gtest.h>

namespace syncline {
namespace {

PacketRecord Record(uint64_t loose, uint64_t strict, uint32_t index) {
  PacketRecord r;
  r.loose = loose;
  r.strict = strict;
  r.index_low = index;
  r.direction_bits = 1;
  return r;
}

// How many records have each key, and that no key comes in two batches.
std::map<uint64_t, size_t> Drain(RecordStore& store) {
  std::map<uint64_t, size_t> found;
  for (;;) {
    const auto batch = store.NextBatch();
    EXPECT_TRUE(batch.has_value());
    if (!batch || batch->empty()) return found;
    std::map<uint64_t, size_t> of_batch;
    for (const PacketRecord& r : *batch) ++of_batch[r.loose];
    for (const auto& [key, records] : of_batch) {
      EXPECT_TRUE(found.emplace(key, records).second) << "key in two batches";
    }
  }
}

TEST(RecordStore, DeliversEveryRecordOnceInMemoryAndFromDisk) {
  constexpr size_t kRecords = 100'000;  // 4 MB
  for (const size_t memory : {size_t{0}, size_t{64} << 20}) {
    std::mt19937_64 random(1);
    RecordStore store(memory);
    std::map<uint64_t, size_t> expected;
    for (uint32_t i = 0; i < kRecords; ++i) {
      const uint64_t key = (random() % (kRecords / 2)) * 0x9e3779b97f4a7c15;
      ++expected[key];
      ASSERT_TRUE(store.Add(Record(key, i, i)));
    }
    EXPECT_EQ(Drain(store), expected);
    EXPECT_EQ(store.bytes_on_disk() > 0, memory == 0);
    EXPECT_TRUE(store.left_out().empty());
  }
}

TEST(RecordStore, RepeatsBeyondTheSecondAreLeftOutAndCounted) {
  constexpr uint32_t kRepeats = 200'000;
  RecordStore store(0);
  for (uint32_t i = 0; i < kRepeats; ++i) ASSERT_TRUE(store.Add(Record(77, 1, i)));
  const auto found = Drain(store);
  ASSERT_EQ(found.size(), 1);
  EXPECT_GE(found.at(77), 2);
  ASSERT_EQ(store.left_out().size(), 1);
  EXPECT_EQ(found.at(77) + store.left_out()[0], kRepeats);
  EXPECT_LT(found.at(77), RecordStore::kMinMemory / sizeof(PacketRecord));
}

TEST(RecordStore, PartitionLargerThanMemoryIsDividedByKey) {
  constexpr uint32_t kRecords = 200'000;  // all in one partition: 8 MB where 1 MB is allowed
  RecordStore store(0);
  for (uint32_t i = 0; i < kRecords; ++i) {
    const uint64_t key = (i % (kRecords / 4)) * 0x9e3779b97f4a7c15 >> 8;
    ASSERT_TRUE(store.Add(Record(key, i, i)));
  }
  const auto found = Drain(store);
  EXPECT_EQ(found.size(), kRecords / 4);
  for (const auto& [key, records] : found) ASSERT_EQ(records, 4) << key;
}

TEST(RecordStore, DifferentPacketsOfOneLooseKeyAllStay) {
  constexpr uint32_t kRecords = 100'000;
  RecordStore store(0);
  for (uint32_t i = 0; i < kRecords; ++i) ASSERT_TRUE(store.Add(Record(5, i, i)));
  EXPECT_EQ(Drain(store), (std::map<uint64_t, size_t>{{5, kRecords}}));
}

TEST(RecordStore, EmptyStoreDeliversNothing) {
  RecordStore store(0);
  EXPECT_TRUE(Drain(store).empty());
}

}  // namespace
}  // namespace syncline
