#include "trace/text_stream.h"

#include <algorithm>
#include <cstring>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace syncline {
namespace {

// Processes A and B, and from the middle on C as well: `rounds` messages from A to the last of
// them, each within a region, and a barrier every 100 rounds, in a group for each half.
std::string LongTrace(int rounds) {
  std::string text = "clock a 1000000000\nclock b 1000000000\nprocess A a\nprocess B b\n";
  text += "group first A B\n";
  std::string peer = "B";
  std::string group = "first";
  for (int i = 0; i < rounds; ++i) {
    const int at = 1000 * i;
    if (2 * i == rounds) {
      text += "clock c 1000\nprocess C c\ngroup second A C\n";
      peer = "C";
      group = "second";
    }
    text += fmt::format("{} A enter work{}\n{} A send {} {} 8\n", at, i % 7, at + 1, peer, i);
    text += fmt::format("{} {} recv A {} 8\n{} A leave work{}\n", at + 5, peer, i, at + 9, i % 7);
    if (i % 100 != 0) continue;
    for (const std::string& member : {std::string("A"), peer}) {
      text += fmt::format("{} {} collective barrier {} {} begin\n", at + 10, member, group, i);
      text += fmt::format("{} {} collective barrier {} {} end\n", at + 20, member, group, i);
    }
  }
  return text;
}

// As comparable lines.
std::string LineOf(const Event& e, uint64_t index) {
  return fmt::format("{} {} kind{} peer{} m{} {}B name{} group{} #{}", e.time.ticks,
                     e.process.value, static_cast<int>(e.kind), e.peer.value, e.message, e.bytes,
                     e.name, e.group, index);
}

std::vector<std::string> OfReader(const std::string& text) {
  std::vector<std::string> lines;
  TextReader reader = TextReader::FromMemory(text);
  while (const Event* event = reader.Next()) {
    if (event->kind == EventKind::kEnter || event->kind == EventKind::kLeave) continue;
    lines.push_back(LineOf(*event, reader.index()));
  }
  return lines;
}

class TextStreamTest : public testing::Test {
 protected:
  Progress progress_{ProgressMode::kOff};
};

TEST_F(TextStreamTest, HandsOutTheReadersEventsOfMessagesInOrder) {
  const std::string text = LongTrace(10'000);
  TextStream stream(TextReader::FromMemory(text), progress_);
  std::vector<std::string> lines;
  size_t batches = 0;
  for (; const auto batch = stream.Next(); ++batches) {
    for (const auto& [event, index] : batch->events) lines.push_back(LineOf(event, index));
  }
  EXPECT_GT(batches, 4u);
  EXPECT_EQ(lines, OfReader(text));
  EXPECT_FALSE(stream.end().error);
}

TEST_F(TextStreamTest, DeclaresOnceAndNoLaterThanNeeded) {
  const std::string text = LongTrace(10'000);
  TextStream stream(TextReader::FromMemory(text), progress_);
  size_t clocks = 0, processes = 0, groups = 0;
  std::vector<std::string> names;
  while (const auto batch = stream.Next()) {
    clocks += batch->declared.clocks.size();
    processes += batch->declared.processes.size();
    groups += batch->declared.groups.size();
    names.insert(names.end(), batch->names.begin(), batch->names.end());
    for (const auto& [event, index] : batch->events) {
      ASSERT_LT(event.process.index(), processes);
      if (event.kind != EventKind::kCollectiveBegin) continue;
      ASSERT_LT(std::max(event.name, event.group), names.size());
      ASSERT_EQ(names[event.name], "barrier");
      const bool is_first_half = event.time.ticks < 5'000 * 1000;
      ASSERT_EQ(names[event.group], is_first_half ? "first" : "second");
    }
  }
  EXPECT_EQ(clocks, 3u);
  EXPECT_EQ(processes, 3u);
  EXPECT_EQ(groups, 2u);
}

TEST_F(TextStreamTest, SpansAreOfEventsOfAllKinds) {
  TextStream stream(TextReader::FromMemory("clock a 1000000000\nprocess A a\nprocess B a\n"
                                           "70 A mark x\n10 A send B 1\n40 A leave y\n"),
                    progress_);
  while (stream.Next()) continue;
  ASSERT_EQ(stream.end().spans.size(), 2u);
  EXPECT_EQ(stream.end().spans[0].first.ticks, 10);
  EXPECT_EQ(stream.end().spans[0].last.ticks, 70);
  EXPECT_EQ(stream.end().spans[0].events, 3u);
  EXPECT_EQ(stream.end().spans[1].events, 0u);
}

TEST_F(TextStreamTest, AnErrorComesAfterTheEventsBeforeIt) {
  const std::string text = LongTrace(10'000) + "oops\n";
  TextStream stream(TextReader::FromMemory(text), progress_);
  size_t events = 0;
  while (const auto batch = stream.Next()) events += batch->events.size();
  EXPECT_EQ(events, OfReader(text).size());
  ASSERT_TRUE(stream.end().error);
  EXPECT_THAT(stream.end().error->ToString(), testing::HasSubstr("oops"));
}

// Whoever takes them can say that no more are wanted.
TEST_F(TextStreamTest, BatchesComeEvenOfNoMessages) {
  std::string text = "clock a 1\nprocess A a\n";
  for (int i = 0; i < (1 << 21) + 10; ++i) text += "1 A mark x\n";
  TextStream stream(TextReader::FromMemory(text), progress_);
  size_t batches = 0;
  for (; const auto batch = stream.Next(); ++batches) EXPECT_TRUE(batch->events.empty());
  EXPECT_EQ(batches, 3u);
  EXPECT_EQ(stream.end().spans[0].events, (1u << 21) + 10);
}

TEST_F(TextStreamTest, MayEndBeforeItsInput) {
  bool is_first = true;
  const auto endless = [&](std::span<std::byte> to) -> Result<size_t> {
    const std::string line = is_first ? "clock a 1\nprocess A a\nprocess B a\n" : "1 A send B 1\n";
    is_first = false;
    std::memcpy(to.data(), line.data(), line.size());
    return line.size();
  };
  TextStream stream(TextReader::FromStream(endless, "endless"), progress_);
  const auto batch = stream.Next();
  ASSERT_TRUE(batch);
  EXPECT_FALSE(batch->events.empty());
}

}  // namespace
}  // namespace syncline
