#include "base/line_buffer.h"

#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

std::vector<std::string> Lines(LineBuffer& buffer) {
  std::vector<std::string> lines;
  while (buffer.HasLine()) {
    const char* newline = std::strchr(buffer.line(), '\n');
    lines.emplace_back(buffer.Consume(newline));
  }
  return lines;
}

TEST(LineBuffer, SplitsTheSameWhateverTheBlock) {
  const std::string text = "one\n\nthree is longer\r\nlast without end";
  const std::vector<std::string> expected = {"one\n", "\n", "three is longer\r\n",
                                             "last without end"};
  for (size_t block = 1; block <= text.size() + 2; ++block) {
    LineBuffer buffer(text, block);
    EXPECT_EQ(Lines(buffer), expected) << "block " << block;
    EXPECT_EQ(buffer.offset(), text.size()) << "block " << block;
    EXPECT_FALSE(buffer.error()) << "block " << block;
  }
}

TEST(LineBuffer, CountsTheBytesBeforeTheLine) {
  LineBuffer buffer("ab\ncdef\ng", 2);
  ASSERT_TRUE(buffer.HasLine());
  EXPECT_EQ(buffer.offset(), 0u);
  buffer.Consume(std::strchr(buffer.line(), '\n'));
  ASSERT_TRUE(buffer.HasLine());
  EXPECT_EQ(buffer.offset(), 3u);
  buffer.Consume(std::strchr(buffer.line(), '\n'));
  ASSERT_TRUE(buffer.HasLine());
  EXPECT_EQ(buffer.offset(), 3u + 5u);
}

TEST(LineBuffer, HasNoLineInNoInput) {
  LineBuffer buffer(std::string_view{});
  EXPECT_FALSE(buffer.HasLine());
  EXPECT_FALSE(buffer.HasLine());
  EXPECT_FALSE(buffer.error());
}

TEST(LineBuffer, TakesALineOfTheLimitAndNoLonger) {
  const size_t limit = LineBuffer::kMaxLine;
  for (const size_t block : {size_t{1000}, size_t{4096}, kFileBlock, limit}) {
    const std::string longest = "x\n" + std::string(limit - 1, 'a') + "\n";
    LineBuffer fits(longest, block);
    EXPECT_EQ(Lines(fits).size(), 2u) << "block " << block;
    EXPECT_FALSE(fits.error()) << "block " << block;

    const std::string longer = "x\n" + std::string(limit, 'a') + "\ny\n";
    LineBuffer exceeds(longer, block);
    EXPECT_EQ(Lines(exceeds).size(), 1u) << "block " << block;
    ASSERT_TRUE(exceeds.error()) << "block " << block;
    EXPECT_EQ(exceeds.error()->message, "the line is longer than 1048576 bytes");
  }
}

TEST(LineBuffer, HandsOutTheLinesOfAStreamAsSoonAsTheyAreThere) {
  const std::vector<std::string> pieces = {"on", "e\ntwo\nth", "r", "ee\n", "last"};
  size_t read = 0;
  const auto next = [&](std::span<std::byte> to) -> Result<size_t> {
    if (read == pieces.size()) return 0;
    const std::string& piece = pieces[read++];
    std::memcpy(to.data(), piece.data(), piece.size());
    return piece.size();
  };
  LineBuffer buffer(next, "stream");
  const std::vector<std::pair<std::string, size_t>> expected = {
      {"one\n", 2}, {"two\n", 2}, {"three\n", 4}, {"last", 5}};
  for (const auto& [line, pieces_read] : expected) {
    ASSERT_TRUE(buffer.HasLine());
    EXPECT_EQ(buffer.Consume(std::strchr(buffer.line(), '\n')), line);
    EXPECT_EQ(read, pieces_read) << line;
  }
  EXPECT_FALSE(buffer.HasLine());
  EXPECT_FALSE(buffer.error());
}

TEST(LineBuffer, EndsAStreamWithItsError) {
  int reads = 0;
  const auto next = [&](std::span<std::byte> to) -> Result<size_t> {
    if (reads++ > 0) return Fail(ErrorCode::kUnreadable, "gone", "stream");
    std::memcpy(to.data(), "a\nb", 3);
    return 3;
  };
  LineBuffer buffer(next, "stream");
  EXPECT_EQ(Lines(buffer), std::vector<std::string>{"a\n"});
  ASSERT_TRUE(buffer.error());
  EXPECT_EQ(buffer.error()->message, "gone");
}

TEST(LineBuffer, LimitsTheLastLineToo) {
  const std::string fits(LineBuffer::kMaxLine, 'a');
  LineBuffer first(fits);
  EXPECT_EQ(Lines(first).size(), 1u);
  const std::string exceeds(LineBuffer::kMaxLine + 1, 'a');
  LineBuffer second(exceeds);
  EXPECT_TRUE(Lines(second).empty());
  EXPECT_TRUE(second.error());
}

}  // namespace
}  // namespace syncline
