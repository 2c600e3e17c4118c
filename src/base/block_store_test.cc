#include "base/block_store.h"

#include <gtest/gtest.h>

#include "syncline/time.h"

#include "base/parallel.h"

namespace syncline {
namespace {

using TimeStore = BlockStore<LocalTime>;

constexpr uint64_t kBlock = TimeStore::kBlock;
constexpr size_t kBlockBytes = kBlock * sizeof(LocalTime);

// Different in every stream, and stepping back.
LocalTime TimeOf(uint64_t stream, uint64_t event) {
  return {static_cast<int64_t>(stream << 40) - static_cast<int64_t>(event * 3)};
}

TimeStore Filled(const std::shared_ptr<SpillSpace>& space, uint64_t stream, uint64_t events) {
  TimeStore times(space);
  for (uint64_t i = 0; i < events; ++i) EXPECT_TRUE(times.Add(TimeOf(stream, i)));
  return times;
}

void ExpectTimes(const TimeStore& times, uint64_t stream, uint64_t events) {
  ASSERT_EQ(times.size(), events);
  const auto all = times.All();
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), events);
  for (uint64_t i = 0; i < events; ++i) ASSERT_EQ((*all)[i], TimeOf(stream, i)) << i;
  std::vector<LocalTime> by_block;
  BlockReader<LocalTime> reader(times);
  for (uint64_t number = 0; by_block.size() < events; ++number) {
    const auto block = reader.Block(number);
    ASSERT_TRUE(block);
    ASSERT_FALSE(block->empty());
    by_block.insert(by_block.end(), block->begin(), block->end());
  }
  EXPECT_EQ(by_block, *all);
  for (const size_t bytes : {size_t{1}, 7 * sizeof(LocalTime), kBlockBytes, 2 * kBlockBytes}) {
    BlockReader<LocalTime> some(times, bytes);
    for (uint64_t i = 0; i < events; i += 1 + i / 3) EXPECT_EQ(**some.At(i), TimeOf(stream, i));
    for (uint64_t i = events; i-- > 0;) ASSERT_EQ(**some.At(i), TimeOf(stream, i)) << i;
  }
}

TEST(BlockStore, KeepsValuesInOrderWhateverItsMemory) {
  const uint64_t sizes[] = {0, 1, kBlock - 1, kBlock, kBlock + 1, 3 * kBlock, 5 * kBlock + 7};
  for (const size_t memory : {size_t{0}, kBlockBytes, 3 * kBlockBytes, 100 * kBlockBytes}) {
    for (const uint64_t events : sizes) {
      const auto space = std::make_shared<SpillSpace>(memory);
      ExpectTimes(Filled(space, 1, events), 1, events);
    }
  }
}

TEST(BlockStore, UsesDiskOnlyBeyondItsMemory) {
  const auto space = std::make_shared<SpillSpace>(2 * kBlockBytes);
  // Two whole blocks besides the one that is being filled.
  TimeStore first = Filled(space, 0, 3 * kBlock);
  EXPECT_EQ(space->bytes_on_disk(), 0);
  const TimeStore second = Filled(space, 1, 3 * kBlock);
  EXPECT_EQ(space->bytes_on_disk(), 2 * kBlockBytes);
  ExpectTimes(first, 0, 3 * kBlock);
  ExpectTimes(second, 1, 3 * kBlock);
  // One that goes on takes what it has in memory along.
  ASSERT_TRUE(first.Add(TimeOf(0, 3 * kBlock)));
  EXPECT_EQ(space->bytes_on_disk(), 5 * kBlockBytes);
  ExpectTimes(first, 0, 3 * kBlock + 1);
}

TEST(BlockStore, StreamsAreFilledInSeveralThreads) {
  constexpr uint64_t kStreams = 8;
  constexpr uint64_t kEvents = 10 * kBlock + 5;
  const auto space = std::make_shared<SpillSpace>(7 * kBlockBytes);
  std::vector<TimeStore> streams;
  for (uint64_t i = 0; i < kStreams; ++i) streams.emplace_back(space);
  ForEachParallel(kStreams, [&](size_t i) { streams[i] = Filled(space, i, kEvents); });
  EXPECT_EQ(space->bytes_on_disk(), kStreams * 10 * kBlockBytes);
  for (uint64_t i = 0; i < kStreams; ++i) ExpectTimes(streams[i], i, kEvents);
}

TEST(BlockStore, NothingIsBeyondTheEnd) {
  const TimeStore times = Filled(std::make_shared<SpillSpace>(0), 0, kBlock);
  BlockReader<LocalTime> reader(times);
  EXPECT_EQ(reader.Block(1)->size(), 0);
  EXPECT_EQ(reader.Block(2)->size(), 0);
}

}  // namespace
}  // namespace syncline
