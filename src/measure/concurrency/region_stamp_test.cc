#include "syncline/region_stamp.h"

#include <initializer_list>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "syncline/region_clock.h"

namespace syncline {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;

std::vector<std::byte> Bytes(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

TEST(RegionStamp, IsWrittenInSevenBitsPerByteWithProcessesByTheirGaps) {
  const RegionStamp stamp{.height_ns = 300, .entries = {{1, 5, 0}, {4, 127, 128}}};
  // Version 1; 300 = 2 · 128 + 44; 2 entries; 1 = 0 + 1, 5, 0; 4 = (1 + 1) + 2, 127, 128.
  EXPECT_THAT(EncodeStamp(stamp),
              ElementsAreArray(Bytes({1, 0x80 + 44, 2, 2, 1, 5, 0, 2, 127, 0x80, 1})));
  EXPECT_EQ(DecodeStamp(EncodeStamp(stamp), 5), stamp);
}

TEST(RegionStamp, OfAClockIsReadAsItWasWritten) {
  constexpr uint32_t kSeed = 11;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937_64 random(kSeed);
  constexpr uint32_t kProcesses = 300;
  RegionClock clock(7, kProcesses, 0);
  int64_t now = 0;
  for (int step = 0; step < 50; ++step) {
    RegionStamp heard{.height_ns = static_cast<int64_t>(random() >> (1 + random() % 63))};
    for (uint32_t p = static_cast<uint32_t>(random() % 50); p < kProcesses;
         p += static_cast<uint32_t>(1 + random() % 90)) {
      if (p == 7) continue;
      heard.entries.push_back({p, static_cast<int64_t>(random() >> (1 + random() % 63)),
                               static_cast<int64_t>(random() >> (1 + random() % 63))});
    }
    ASSERT_EQ(DecodeStamp(EncodeStamp(heard), kProcesses), heard);
    ASSERT_TRUE(clock.Deliver(now += 5, heard));
    const RegionStamp dense = clock.Send(now += 3);
    const RegionStamp changes = clock.SendChanges(9, now);
    EXPECT_EQ(DecodeStamp(EncodeStamp(dense), kProcesses), dense);
    EXPECT_EQ(DecodeStamp(EncodeStamp(changes), kProcesses), changes);
    EXPECT_LE(EncodeStamp(changes).size(), EncodeStamp(dense).size());
  }
}

struct BadBytes {
  std::vector<std::byte> bytes;
  ErrorCode code;
  uint64_t offset;
  const char* message;
};

TEST(RegionStamp, BytesThatNoStampHasAreRefused) {
  constexpr ErrorCode kBad = ErrorCode::kMalformed;
  const BadBytes cases[] = {
      {{}, kBad, 0, "cut off"},
      {Bytes({1}), kBad, 1, "cut off"},
      {Bytes({1, 0x80}), kBad, 2, "cut off"},
      {Bytes({1, 0, 1, 0, 0}), kBad, 3, "cut off"},
      {Bytes({1, 0, 1, 0, 0, 0x80}), kBad, 6, "cut off"},
      {Bytes({2, 0, 0}), ErrorCode::kUnsupported, 0, "version 2"},
      {Bytes({1, 0, 0, 0}), kBad, 3, "after its end"},
      {Bytes({1, 0x80, 0, 0}), kBad, 2, "needless digits"},
      {Bytes({1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0}), kBad, 11, "too large"},
      {Bytes({1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2, 0}), kBad, 10, "too large"},
      {Bytes({1, 0, 4, 0, 0, 0}), kBad, 3, "more processes than there are"},
      {Bytes({1, 0, 1, 3, 0, 0}), kBad, 4, "does not exist"},
      {Bytes({1, 0, 2, 2, 0, 0, 0, 0, 0}), kBad, 7, "does not exist"},
      {EncodeStamp({.height_ns = -1}), kBad, 11, "too large"},
      {EncodeStamp({.entries = {{1, 0, 0}, {0, 0, 0}}}), kBad, 16, "does not exist"},
  };
  for (const BadBytes& c : cases) {
    SCOPED_TRACE(testing::PrintToString(c.bytes));
    const auto stamp = DecodeStamp(c.bytes, 3);
    ASSERT_FALSE(stamp);
    EXPECT_EQ(stamp.error().code, c.code);
    EXPECT_THAT(stamp.error().message, HasSubstr(c.message));
    EXPECT_EQ(std::get<ByteOffset>(stamp.error().position).value, c.offset);
  }
}

}  // namespace
}  // namespace syncline
