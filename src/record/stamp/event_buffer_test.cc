#include "record/stamp/event_buffer.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncline {
namespace {

Stamp Numbered(uint64_t i) {
  return {.ticks = static_cast<int64_t>(i),
          .kind = StampKind::kSend,
          .subject = static_cast<int32_t>(i % 1000),
          .message = 3 * i,
          .bytes = 7 * i};
}

std::vector<uint64_t> Numbers(const EventBuffer& buffer) {
  std::vector<uint64_t> numbers;
  for (const Stamp& stamp : buffer.Copy()) numbers.push_back(static_cast<uint64_t>(stamp.ticks));
  return numbers;
}

TEST(EventBuffer, KeepsTheOldestAndCountsWhatItRefuses) {
  EventBuffer buffer(4);
  buffer.Reset(WhenFull::kKeepOldest);
  for (uint64_t i = 0; i < 4; ++i) EXPECT_TRUE(buffer.Add(Numbered(i)));
  for (uint64_t i = 4; i < 10; ++i) EXPECT_FALSE(buffer.Add(Numbered(i)));
  EXPECT_THAT(Numbers(buffer), testing::ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(buffer.kept(), 4);
  EXPECT_EQ(buffer.refused(), 10 - 4);
  EXPECT_EQ(buffer.overwritten(), 0);
}

TEST(EventBuffer, KeepsTheNewestAndCountsWhatItOverwrites) {
  EventBuffer buffer(4);
  buffer.Reset(WhenFull::kKeepNewest);
  for (uint64_t i = 0; i < 10; ++i) EXPECT_TRUE(buffer.Add(Numbered(i)));
  EXPECT_THAT(Numbers(buffer), testing::ElementsAre(6, 7, 8, 9));
  EXPECT_EQ(buffer.kept(), 4);
  EXPECT_EQ(buffer.refused(), 0);
  EXPECT_EQ(buffer.overwritten(), 10 - 4);
}

TEST(EventBuffer, ReturnsWhatWasAdded) {
  EventBuffer buffer(2);
  buffer.Reset(WhenFull::kKeepOldest);
  const Stamp stamp = {.ticks = INT64_MIN,
                       .kind = StampKind::kAnswered,
                       .subject = INT32_MAX,
                       .message = UINT64_MAX,
                       .bytes = UINT64_MAX - 1};
  buffer.Add(stamp);
  EXPECT_THAT(buffer.Copy(), testing::ElementsAre(stamp));
}

TEST(EventBuffer, CapacityIsTheNextPowerOfTwo) {
  EXPECT_EQ(EventBuffer(1).capacity(), 1);
  EXPECT_EQ(EventBuffer(5).capacity(), 8);
  EXPECT_EQ(EventBuffer(0).capacity(), 1);
}

TEST(EventBuffer, ResetForgetsEventsAndCounts) {
  EventBuffer buffer(1);
  buffer.Reset(WhenFull::kKeepOldest);
  buffer.Add(Numbered(1));
  buffer.Add(Numbered(2));
  buffer.Reset(WhenFull::kKeepNewest);
  EXPECT_TRUE(buffer.Copy().empty());
  EXPECT_EQ(buffer.refused(), 0);
}

TEST(EventBuffer, CopiesTakenWhileEventsAreOverwrittenHoldOnlyWholeOnesInOrder) {
  constexpr uint64_t kEvents = 400'000;
  EventBuffer buffer(64);
  buffer.Reset(WhenFull::kKeepNewest);
  std::jthread writer([&buffer] {
    for (uint64_t i = 0; i < kEvents; ++i) buffer.Add(Numbered(i));
  });
  uint64_t last_seen = 0;
  while (last_seen + 1 < kEvents) {
    uint64_t next = 0;
    for (const Stamp& stamp : buffer.Copy()) {
      const uint64_t i = static_cast<uint64_t>(stamp.ticks);
      ASSERT_EQ(stamp, Numbered(i));
      ASSERT_TRUE(next == 0 || i == next) << i;
      next = i + 1;
      last_seen = i;
    }
  }
  writer.join();
  EXPECT_EQ(buffer.overwritten(), kEvents - 64);
}

}  // namespace
}  // namespace syncline
