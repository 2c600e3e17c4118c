#include "base/varint.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST(Varint, NumbersTakeAByteForSevenBits) {
  std::vector<std::byte> bytes;
  for (const uint64_t number : {uint64_t{0}, uint64_t{127}, uint64_t{128}, UINT64_MAX}) {
    PutVarint(number, bytes);
  }
  EXPECT_EQ(bytes.size(), 1 + 1 + 2 + (64 + 6) / 7);
  VarintReader reader(bytes);
  EXPECT_EQ(reader.Take(), 0);
  EXPECT_EQ(reader.Take(), 127);
  EXPECT_EQ(reader.Take(), 128);
  EXPECT_EQ(reader.Take(), UINT64_MAX);
  EXPECT_TRUE(reader.is_at_end());
}

TEST(Varint, StepsGoEitherWay) {
  const std::vector<std::pair<int64_t, int64_t>> steps = {
      {0, 0}, {5, 4}, {1000, 1063}, {kLeast, kMost}, {kMost, kLeast}, {0, kLeast}, {-1, kMost}};
  std::vector<std::byte> bytes;
  for (const auto& [from, to] : steps) PutVarintStep(from, to, bytes);
  VarintReader reader(bytes);
  for (const auto& [from, to] : steps) EXPECT_EQ(reader.TakeStep(from), to);
  EXPECT_TRUE(reader.is_at_end());
}

TEST(Varint, BytesBetweenNumbersComeAsTheyAre) {
  std::vector<std::byte> bytes;
  PutVarint(300, bytes);
  bytes.insert(bytes.end(), {std::byte{0xff}, std::byte{0}});
  PutVarint(7, bytes);
  VarintReader reader(bytes);
  EXPECT_EQ(reader.Take(), 300);
  const std::span<const std::byte> between = reader.TakeBytes(2);
  EXPECT_EQ(std::vector(between.begin(), between.end()),
            (std::vector{std::byte{0xff}, std::byte{0}}));
  EXPECT_TRUE(reader.TakeBytes(0).empty());
  EXPECT_EQ(reader.Take(), 7);
  EXPECT_TRUE(reader.is_at_end());
}

TEST(Varint, StepsOfUpTo63TakeOneByte) {
  std::vector<std::byte> bytes;
  PutVarintStep(1000, 1000 + 63, bytes);
  PutVarintStep(1000, 1000 - 64, bytes);
  EXPECT_EQ(bytes.size(), 2);
}

}  // namespace
}  // namespace syncline
