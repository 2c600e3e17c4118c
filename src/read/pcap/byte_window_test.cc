#include "read/pcap/byte_window.h"

#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(ByteWindow, GivesEveryByteOnceInAnyStepsAndBlocks) {
  std::vector<std::byte> input(5000);
  for (size_t i = 0; i < input.size(); ++i) input[i] = static_cast<std::byte>(i * 7);
  std::mt19937 random(5);
  for (const size_t block : {size_t{1}, size_t{7}, size_t{64}, size_t{10'000}}) {
    ByteWindow window = ByteWindow::OverBytes(input, "memory", block);
    size_t at = 0;
    for (;;) {
      const size_t step = 1 + random() % 300;
      if (!window.Have(step)) break;
      ASSERT_EQ(window.offset(), at);
      ASSERT_EQ(std::memcmp(window.data(), input.data() + at, step), 0);
      window.Skip(step);
      at += step;
    }
    EXPECT_EQ(window.offset() + window.available(), input.size());
    EXPECT_EQ(window.bytes_read(), input.size());
    EXPECT_FALSE(window.error());
  }
}

TEST(ByteWindow, LeavesTheRestAvailableAtTheEnd) {
  const std::vector<std::byte> input(10, std::byte{3});
  ByteWindow window = ByteWindow::OverBytes(input, "memory", 4);
  EXPECT_FALSE(window.Have(size_t{1} << 40));
  EXPECT_EQ(window.available(), 10u);
  EXPECT_TRUE(window.Have(10));
}

TEST(ByteWindow, OfNothingIsEmpty) {
  ByteWindow window = ByteWindow::OverBytes({}, "memory");
  EXPECT_FALSE(window.Have(1));
  EXPECT_TRUE(window.Have(0));
}

TEST(ByteWindow, ReportsAFileThatCannotBeRead) {
  EXPECT_EQ(ByteWindow::Open("/no/such/file").error().code, ErrorCode::kUnreadable);
}

}  // namespace
}  // namespace syncline
