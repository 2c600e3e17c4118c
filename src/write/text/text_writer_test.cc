#include "write/text/text_writer.h"

#include <random>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "read/text/message_token.h"
#include "read/text/text_reader.h"
#include "write/text/text_test_util.h"

namespace syncline {
namespace {

// Reads `text` and writes it again.
std::string Rewritten(std::string_view text) {
  TextReader reader = TextReader::FromMemory(text);
  std::string copy;
  TextWriter writer(Into(copy));
  while (const Event* event = reader.Next()) {
    EXPECT_TRUE(writer.Declare(reader.traces()));
    EXPECT_TRUE(writer.Write(*event, reader.names()));
  }
  EXPECT_FALSE(reader.error());
  EXPECT_TRUE(writer.Declare(reader.traces()));
  EXPECT_TRUE(writer.Finish());
  return copy;
}

TEST(TextWriter, WritesEveryKindOfLineAsItWasRead) {
  const std::string text =
      "clock a 1000000000\n"
      "clock b 24000000 -77\n"
      "clock ms 1000000000 0 1000000\n"
      "process 0 a\n"
      "process rank1 b a  label no#1\n"
      "group world rank1 0\n"
      "-9223372036854775808 0 send rank1 7\n"
      "1 0 send rank1 9223372036854775807 1024\n"
      "2 rank1 recv 0 7\n"
      "3 rank1 bcast 8\n"
      "4 rank1 block\n"
      "5 0 enter f\n"
      "6 0 leave f\n"
      "clock c 1\n"
      "process late c\n"
      "group all 0 rank1 late\n"
      "7 late mark g\n"
      "8 0 collective barrier world 1 begin\n"
      "9223372036854775807 0 collective bcast world 2 end root\n";
  EXPECT_EQ(Rewritten(text), text);
}

TEST(TextWriter, WritesHashedIdsSoThatTheyReadBack) {
  const std::string text = "clock a 1\nprocess 0 a\n1 0 bcast request-7\n";
  const std::string written = Rewritten(text);
  EXPECT_EQ(written, fmt::format("clock a 1\nprocess 0 a\n1 0 bcast ~{:016x}\n",
                                 MessageFromToken("request-7")));
  EXPECT_EQ(Rewritten(written), written);
}

TEST(TextWriter, MakesNamesAndLabelsFitTheFormat) {
  TraceSet traces;
  traces.clocks = {{"host a", 1, 0}, {"#1", 1, 0}, {"", 1, 0}};
  traces.processes = {{"MPI Rank 0", " # a\n#b c#d\t ", ClockId(1)},
                      {std::string("x\0y", 3), "", ClockId(2)}};
  std::string text;
  TextWriter writer(Into(text));
  ASSERT_TRUE(writer.Declare(traces));
  Event event;
  event.name = 1;
  ASSERT_TRUE(writer.Write(event, std::vector<std::string>{"", "a b"}));
  ASSERT_TRUE(writer.Finish());
  EXPECT_EQ(text,
            "clock host%20a 1\n"
            "clock %231 1\n"
            "clock % 1\n"
            "process MPI%20Rank%200 %231 %23 a %23b c#d\n"
            "process x%00y %\n"
            "0 MPI%20Rank%200 mark a%20b\n");
  EXPECT_EQ(Rewritten(text), text);
}

TEST(TextWriter, RefusesWhatWouldNotReadBack) {
  std::string text;
  TraceSet same_clock;
  same_clock.clocks = {{"a b", 1, 0}, {"a%20b", 1, 0}};
  EXPECT_FALSE(TextWriter(Into(text)).Declare(same_clock));
  TraceSet same_process;
  same_process.clocks = {{"a", 1, 0}};
  same_process.processes = {{"p", "", ClockId(0)}, {"p", "", ClockId(0)}};
  EXPECT_FALSE(TextWriter(Into(text)).Declare(same_process));
  TraceSet no_ticks;
  no_ticks.clocks = {{"a", 0, 0}};
  EXPECT_FALSE(TextWriter(Into(text)).Declare(no_ticks));
  for (const std::vector<Group>& groups :
       std::vector<std::vector<Group>>{{{"g h", {ProcessId(0)}}, {"g%20h", {ProcessId(0)}}},
                                       {{"none", {}}},
                                       {{"twice", {ProcessId(0), ProcessId(0)}}}}) {
    TraceSet with_groups;
    with_groups.clocks = {{"a", 1, 0}};
    with_groups.processes = {{"p", "", ClockId(0)}};
    with_groups.groups = groups;
    EXPECT_FALSE(TextWriter(Into(text)).Declare(with_groups)) << groups.back().name;
  }
  Event too_many_bytes;
  too_many_bytes.kind = EventKind::kSend;
  too_many_bytes.bytes = uint64_t{1} << 63;
  TextWriter writer(Into(text));
  ASSERT_TRUE(writer.Declare({{{"a", 1, 0}}, {{"p", "", ClockId(0)}}}));
  EXPECT_FALSE(writer.Write(too_many_bytes, {}));
  TraceSet too_long;
  too_long.clocks = {{std::string(1 << 20, 'x'), 1, 0}};
  EXPECT_FALSE(TextWriter(Into(text)).Declare(too_long));
}

Event RandomEvent(std::mt19937_64& random) {
  Event event;
  event.time = {static_cast<int64_t>(random())};
  event.process = ProcessId(static_cast<uint32_t>(random() % 3));
  event.kind = static_cast<EventKind>(random() % 9);
  const bool transfer = event.kind == EventKind::kSend || event.kind == EventKind::kReceive;
  const bool collective =
      event.kind == EventKind::kCollectiveBegin || event.kind == EventKind::kCollectiveEnd;
  if (transfer) event.peer = ProcessId(static_cast<uint32_t>(random() % 3));
  if (transfer) event.bytes = random() % 2 == 0 ? 0 : random() >> 1;
  if (transfer || collective || event.kind == EventKind::kBroadcast) event.message = random();
  if (!transfer && event.kind != EventKind::kBroadcast && event.kind != EventKind::kBlock) {
    event.name = 1;
  }
  if (collective) event.group = 2;
  if (collective) event.is_root = random() % 2 == 0;
  return event;
}

TEST(TextWriter, ReadsBackRandomEvents) {
  const uint64_t seed = 20240622;
  std::mt19937_64 random(seed);
  TraceSet traces;
  traces.clocks = {{"a", 1'000'000'000, 0}, {"b", 3, INT64_MIN}};
  traces.processes = {{"0", "", ClockId(0)}, {"q", "label", ClockId(1)}, {"10000", "", ClockId(1)}};
  const std::vector<std::string> names = {"", "f", "g"};
  std::string text;
  TextWriter writer(Into(text));
  ASSERT_TRUE(writer.Declare(traces));
  Event use_first_name;
  use_first_name.name = 1;
  Event use_second_name;
  use_second_name.name = 2;
  std::vector<Event> events = {use_first_name, use_second_name};
  for (int i = 0; i < 2000; ++i) events.push_back(RandomEvent(random));
  for (const Event& event : events) ASSERT_TRUE(writer.Write(event, names));
  ASSERT_TRUE(writer.Finish());

  TextReader reader = TextReader::FromMemory(text);
  for (size_t i = 0; i < events.size(); ++i) {
    const Event* read = reader.Next();
    ASSERT_NE(read, nullptr) << reader.error()->ToString();
    const auto fields = [](const Event& e) {
      return std::tuple(e.time, e.process, e.kind, e.is_root, e.peer, e.message, e.bytes, e.name,
                        e.group);
    };
    ASSERT_EQ(fields(*read), fields(events[i])) << "seed " << seed << " event " << i;
  }
  EXPECT_EQ(reader.Next(), nullptr);
  EXPECT_EQ(reader.traces().clocks, traces.clocks);
}

}  // namespace
}  // namespace syncline
