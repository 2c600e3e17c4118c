#include "write/text/text_rewriter.h"

#include <cstdio>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "write/text/text_test_util.h"

namespace syncline {
namespace {

GlobalTime Thousandfold(ProcessId, uint64_t, LocalTime t) { return {t.ticks * 1000}; }

TEST(TextRewriter, ReplacesTimesAndClockRatesAndNothingElse) {
  const std::string text =
      "# measured\r\n"
      "clock   a\t1000000 -5 # µs\r\n"
      "  clock b 1000\n"
      "\n"
      "process 0 a  two  words  # label\n"
      "\tgroup  all 0\t# alone\r\n"
      " -12\t0   send 0 007 15 # self\r\n";
  TextReader reader = TextReader::FromMemory(text);
  std::string copy;
  ASSERT_TRUE(RewriteText(reader, Into(copy), Thousandfold));
  EXPECT_EQ(copy,
            "# measured\r\n"
            "clock   a\t1000000000 0 1012 # µs\r\n"
            "  clock b 1000000000 0 1010002\n"
            "\n"
            "process 0 a  two  words  # label\n"
            "\tgroup  all 0\t# alone\r\n"
            " -12000\t0   send 0 007 15 # self\r\n");
}

TEST(TextRewriter, TellsHowLateReadingsAre) {
  TextReader reader = TextReader::FromMemory(
      "clock a 1000000000\nclock b 1000000000 5 20000\nclock c 10000000000 0 300\n"
      "clock d 1000000 0 500\n");
  std::string copy;
  ASSERT_TRUE(RewriteText(reader, Into(copy), Thousandfold));
  EXPECT_EQ(copy,
            "clock a 1000000000\nclock b 1000000000 0 20202\nclock c 1000000000 0 305\n"
            "clock d 1000000000 0 1012\n");
}

TEST(TextRewriter, AsksForEachEventOfEachProcessByItsNumber) {
  TextReader reader = TextReader::FromMemory(
      "clock a 1\nprocess p a\nprocess q a\n1 p block\n2 q block\n3 p block");
  std::string copy;
  std::string asked;
  const auto done = RewriteText(reader, Into(copy), [&](ProcessId p, uint64_t i, LocalTime t) {
    asked += fmt::format("{}#{}@{} ", p.value, i, t.ticks);
    return GlobalTime{static_cast<int64_t>(t.ticks)};
  });
  ASSERT_TRUE(done);
  EXPECT_EQ(asked, "0#0@1 1#0@2 0#1@3 ");
  EXPECT_TRUE(copy.ends_with("\n3 p block")) << "no line end where there was none";
}

TEST(TextRewriter, CopiesANanosecondTraceByteForByteWhateverTheBlock) {
  const uint64_t seed = 20240621;
  std::mt19937_64 random(seed);
  std::string text = "clock a 1000000000\nprocess 0 a\n";
  for (int i = 0; i < 200; ++i) {
    text += fmt::format("{} 0 mark m{} # {}\n", static_cast<int64_t>(random()), random() % 10, i);
  }
  for (const size_t block : {1, 5, 64, 1000}) {
    TextReader reader = TextReader::FromMemory(text, block);
    std::string copy;
    const auto done = RewriteText(
        reader, Into(copy), [](ProcessId, uint64_t, LocalTime t) { return GlobalTime{t.ticks}; });
    ASSERT_TRUE(done);
    EXPECT_EQ(copy, text) << "seed " << seed << " block " << block;
  }
}

// The indented blocks of a page, without their indentation.
std::vector<std::string> Blocks(const std::string& page) {
  std::vector<std::string> blocks;
  std::istringstream lines(page);
  std::string line;
  std::string blank_lines;
  for (bool inside = false; std::getline(lines, line);) {
    if (line.empty()) {
      blank_lines += '\n';
    } else if (line.starts_with("    ")) {
      if (!inside) blocks.emplace_back();
      blocks.back() += (inside ? blank_lines : "") + line.substr(4) + "\n";
      inside = true;
      blank_lines.clear();
    } else {
      inside = false;
      blank_lines.clear();
    }
  }
  return blocks;
}

TEST(TextRewriter, DoesWhatTheFormatsPageShows) {
  const auto page = ReadWholeFile(SYNCLINE_SOURCE_DIR "/docs/formats/text.md");
  ASSERT_TRUE(page);
  const std::vector<std::string> blocks = Blocks(*page);
  ASSERT_GE(blocks.size(), 2u);
  TextReader reader = TextReader::FromMemory(blocks[0]);
  std::string copy;
  const auto done = RewriteText(reader, Into(copy), [&](ProcessId p, uint64_t, LocalTime t) {
    const ClockId clock = reader.traces().processes[p.index()].clock;
    const int64_t behind_ns = clock == ClockId(1) ? 220'000 : 0;
    return GlobalTime{reader.traces().clocks[clock.index()].NominalNs(t) + behind_ns};
  });
  ASSERT_TRUE(done) << done.error().ToString();
  EXPECT_EQ(copy, blocks[1]);
}

TEST(TextRewriter, FailsWhereTheReaderFails) {
  TextReader reader = TextReader::FromMemory("clock a 1\nprocess 0 a\n1 0 block\n+\n");
  std::string copy;
  const auto done = RewriteText(reader, Into(copy), Thousandfold);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().ToString(),
            "memory:4:1: expected a time, `clock`, `process` or `group`, found '+'");
}

TEST(TextRewriter, StopsWhenTheOutputFails) {
  TextReader reader = TextReader::FromMemory("# only\n");
  const auto done = RewriteText(reader, ByteSink([](std::string_view) -> Result<void> {
                                  return Fail(ErrorCode::kUnreadable, "disk full");
                                }),
                                Thousandfold);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "disk full");
}

}  // namespace
}  // namespace syncline
