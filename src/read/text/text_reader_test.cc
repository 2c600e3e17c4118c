#include "read/text/text_reader.h"

#include <fstream>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read/text/message_token.h"

namespace syncline {
namespace {

constexpr std::string_view kTwoProcesses =
    "clock a 1000000000\n"
    "clock b 1000\n"
    "process 0 a\n"
    "process rank1 b\n";

// All events, each as one comparable line; the reader's error, if any, comes last.
std::vector<std::string> ReadAll(TextReader& reader) {
  std::vector<std::string> events;
  while (const Event* e = reader.Next()) {
    events.push_back(fmt::format("{} {} kind{} peer{} m{} {}B name{} group{} root{} #{}",
                                 e->time.ticks, e->process.value, static_cast<int>(e->kind),
                                 e->peer.value, e->message, e->bytes, e->name, e->group, e->is_root,
                                 reader.index()));
  }
  if (reader.error()) events.push_back(reader.error()->ToString());
  return events;
}

struct EventCase {
  const char* line;
  Event event;
};

Event Make(int64_t ticks, uint32_t process, EventKind kind) {
  Event event;
  event.time = {ticks};
  event.process = ProcessId(process);
  event.kind = kind;
  return event;
}
Event Transfer(Event event, uint32_t peer, uint64_t message, uint64_t bytes) {
  event.peer = ProcessId(peer);
  event.message = message;
  event.bytes = bytes;
  return event;
}
Event Collective(Event event, uint64_t instance, bool is_root) {
  event.name = 1;
  event.group = 2;
  event.message = instance;
  event.is_root = is_root;
  return event;
}
Event Sized(Event event, uint64_t bytes) {
  event.bytes = bytes;
  return event;
}
Event Region(Event event) {
  event.name = 1;
  return event;
}

const std::vector<EventCase> kEventCases = {
    EventCase{"1 0 send rank1 7\n", Transfer(Make(1, 0, EventKind::kSend), 1, 7, 0)},
    EventCase{"1 0 send rank1 7 1024\n", Transfer(Make(1, 0, EventKind::kSend), 1, 7, 1024)},
    EventCase{"-5 rank1 recv 0 7 0\n", Transfer(Make(-5, 1, EventKind::kReceive), 0, 7, 0)},
    EventCase{"1 0 send rank1 0\n", Transfer(Make(1, 0, EventKind::kSend), 1, 0, 0)},
    EventCase{"1 0 send 0 9223372036854775807 9223372036854775807",
              Transfer(Make(1, 0, EventKind::kSend), 0, INT64_MAX, INT64_MAX)},
    EventCase{"1 0 bcast 00\n",
              Transfer(Make(1, 0, EventKind::kBroadcast), 0, MessageFromToken("00"), 0)},
    EventCase{"1 0 bcast 12345678901234567890\n",
              Transfer(Make(1, 0, EventKind::kBroadcast), 0,
                       MessageFromToken("12345678901234567890"), 0)},
    EventCase{"1 0 bcast a#b # c\n",
              Transfer(Make(1, 0, EventKind::kBroadcast), 0, MessageFromToken("a#b"), 0)},
    EventCase{"1 0 block\n", Make(1, 0, EventKind::kBlock)},
    EventCase{"1 0 enter solve\n", Region(Make(1, 0, EventKind::kEnter))},
    EventCase{"1 0 leave solve\n", Region(Make(1, 0, EventKind::kLeave))},
    EventCase{"1 0 mark s\xc3\xb6lve\n", Region(Make(1, 0, EventKind::kMark))},
    EventCase{"1 0 collective barrier world 3 begin\n",
              Collective(Make(1, 0, EventKind::kCollectiveBegin), 3, false)},
    EventCase{"1 0 collective bcast world x end root\r\n",
              Collective(Make(1, 0, EventKind::kCollectiveEnd), MessageFromToken("x"), true)},
    EventCase{"1 0 collective gatherv world 3 begin 0\n",
              Sized(Collective(Make(1, 0, EventKind::kCollectiveBegin), 3, false), 0)},
    EventCase{"1 0 collective gatherv world 3 end root 4096 # all\n",
              Sized(Collective(Make(1, 0, EventKind::kCollectiveEnd), 3, true), 4096)},
    EventCase{"  \t1\t0   block \t # waits\r\n", Make(1, 0, EventKind::kBlock)},
    EventCase{"1 0 block\r", Make(1, 0, EventKind::kBlock)},
    EventCase{"9223372036854775807 0 block", Make(INT64_MAX, 0, EventKind::kBlock)},
    EventCase{"-9223372036854775808 0 block", Make(INT64_MIN, 0, EventKind::kBlock)},
    EventCase{"-0 0 block", Make(0, 0, EventKind::kBlock)},
    EventCase{"00000000000000000000000012 0 block", Make(12, 0, EventKind::kBlock)},
    EventCase{"1234567890123456 0 block", Make(1234567890123456, 0, EventKind::kBlock)},
    EventCase{"12345678 0 block", Make(12345678, 0, EventKind::kBlock)}};

TEST(TextReader, ReadsEveryKindOfEvent) {
  for (const auto& [line, expected] : kEventCases) {
    SCOPED_TRACE(line);
    const std::string text = std::string(kTwoProcesses) + line;
    TextReader reader = TextReader::FromMemory(text);
    const Event* event = reader.Next();
    ASSERT_NE(event, nullptr) << reader.error()->ToString();
    EXPECT_EQ(event->time, expected.time);
    EXPECT_EQ(event->process, expected.process);
    EXPECT_EQ(event->kind, expected.kind);
    EXPECT_EQ(event->is_root, expected.is_root);
    EXPECT_EQ(event->peer, expected.peer);
    EXPECT_EQ(event->message, expected.message);
    EXPECT_EQ(event->bytes, expected.bytes);
    EXPECT_EQ(event->name, expected.name);
    EXPECT_EQ(event->group, expected.group);
    EXPECT_EQ(reader.Next(), nullptr);
    EXPECT_FALSE(reader.error());
  }
}

TEST(TextReader, MembersOfNoBytesTakeNoPartWhereThatMayBe) {
  TextReader reader = TextReader::FromMemory(
      "clock c 1000000000\nprocess 0 c\ngroup g 0\n"
      "1 0 collective gatherv g 1 begin 0\n2 0 collective gatherv g 1 end 8\n"
      "3 0 collective gatherv g 2 begin root 0\n4 0 collective alltoallw g 1 end 0\n"
      "5 0 collective barrier g 1 begin 0\n6 0 collective gatherv g 3 begin\n7 0 block\n"
      "8 0 collective reduce_scatter g 1 begin 0\n9 0 collective reduce_scatter g 1 end 0\n");
  std::vector<bool> takes_part;
  while (reader.Next() != nullptr) takes_part.push_back(reader.takes_part());
  EXPECT_FALSE(reader.error());
  EXPECT_EQ(takes_part,
            (std::vector<bool>{false, true, false, false, true, true, true, true, false}));
}

TEST(TextReader, DeclaresClocksAndProcessesInOrder) {
  TextReader reader = TextReader::FromMemory(
      "# two hosts\n"
      "clock a 1000000000 # nanoseconds\n"
      "clock b 24000000 -77\r\n"
      "process 7 b worker no#7 on b # not the label\n"
      "process x a   spaced  label  \n");
  EXPECT_EQ(reader.Next(), nullptr);
  ASSERT_FALSE(reader.error()) << reader.error()->ToString();
  const TraceSet& traces = reader.traces();
  ASSERT_EQ(traces.clocks.size(), 2u);
  EXPECT_EQ(traces.clocks[0], (Clock{"a", 1'000'000'000, 0}));
  EXPECT_EQ(traces.clocks[1], (Clock{"b", 24'000'000, -77}));
  ASSERT_EQ(traces.processes.size(), 2u);
  EXPECT_EQ(traces.processes[0].name, "7");
  EXPECT_EQ(traces.processes[0].label, "worker no#7 on b");
  EXPECT_EQ(traces.processes[0].clock, ClockId(1));
  EXPECT_EQ(traces.processes[1].name, "x");
  EXPECT_EQ(traces.processes[1].label, "spaced  label");
  EXPECT_EQ(traces.processes[1].clock, ClockId(0));
  EXPECT_EQ(reader.line(), 5u);
}

TEST(TextReader, ReadsGroupsInRankOrder) {
  const std::string text = std::string(kTwoProcesses) +
                           "group world  rank1 0 # two\r\n"
                           "1 0 collective barrier self 1 begin\n"
                           "process 2 a\n"
                           "group all 2 rank1 0\n"
                           "2 0 collective barrier all 1 begin\n";
  TextReader reader = TextReader::FromMemory(text);
  const Event* event = reader.Next();
  ASSERT_NE(event, nullptr) << reader.error()->ToString();
  ASSERT_EQ(reader.traces().groups.size(), 1u);
  EXPECT_EQ(reader.traces().groups[0].name, "world");
  EXPECT_THAT(reader.traces().groups[0].members, testing::ElementsAre(ProcessId(1), ProcessId(0)));
  EXPECT_EQ(reader.names()[event->group], "self");
  event = reader.Next();
  ASSERT_NE(event, nullptr) << reader.error()->ToString();
  ASSERT_EQ(reader.traces().groups.size(), 2u);
  EXPECT_EQ(reader.traces().groups[1].name, reader.names()[event->group]);
  EXPECT_THAT(reader.traces().groups[1].members,
              testing::ElementsAre(ProcessId(2), ProcessId(1), ProcessId(0)));
  EXPECT_EQ(reader.Next(), nullptr);
  EXPECT_FALSE(reader.error());
}

TEST(TextReader, ResolvesEverySpellingOfProcessIds) {
  std::string text = "clock c 1\n";
  const std::vector<std::string> ids = {"0",         "1", "9999", "10000", "007",   "07",   "7",
                                        "123456789", "a", "ab",   "-1",    "clock", "9999a"};
  for (const auto& id : ids) text += "process " + id + " c\n";
  for (const auto& id : ids) text += "1 " + id + " send " + ids[0] + " 1\n";
  for (const auto& id : ids) text += "2 " + ids.back() + " send " + id + " 1\n";
  TextReader reader = TextReader::FromMemory(text);
  for (uint32_t i = 0; i < ids.size(); ++i) {
    const Event* event = reader.Next();
    ASSERT_NE(event, nullptr) << reader.error()->ToString();
    EXPECT_EQ(event->process, ProcessId(i)) << ids[i];
  }
  for (uint32_t i = 0; i < ids.size(); ++i) {
    const Event* event = reader.Next();
    ASSERT_NE(event, nullptr) << reader.error()->ToString();
    EXPECT_EQ(event->peer, ProcessId(i)) << ids[i];
  }
}

TEST(TextReader, InternsNamesExactly) {
  const std::string text = std::string(kTwoProcesses) +
                           "1 0 enter f\n2 0 enter g\n3 0 leave g\n4 0 collective f h 1 begin\n";
  TextReader reader = TextReader::FromMemory(text);
  std::vector<uint32_t> names;
  while (const Event* event = reader.Next()) names.push_back(event->name);
  EXPECT_THAT(names, testing::ElementsAre(1, 2, 2, 1));
  EXPECT_THAT(reader.names(), testing::ElementsAre("", "f", "g", "h"));
}

TEST(TextReader, CountsTimesThatStepBackAndKeepsTheEvents) {
  const std::string text =
      std::string(kTwoProcesses) + "10 0 block\n5 rank1 block\n9 0 block\n9 0 block\n8 0 block\n";
  TextReader reader = TextReader::FromMemory(text);
  int events = 0;
  while (reader.Next() != nullptr) ++events;
  EXPECT_EQ(events, 5);
  EXPECT_EQ(reader.diagnostics().count("time-steps-back"), 2u);  // 10 → 9 and 9 → 8
  EXPECT_EQ(reader.diagnostics().all().at("time-steps-back").example,
            "memory:7:1: process '0' goes from 10 to 9");
}

TEST(TextReader, CountsTimesWhoseNanosecondsDoNotFit) {
  TextReader reader = TextReader::FromMemory(
      "clock s 1\nclock ns 1000000000 5\nclock ms 1000\nprocess a s\nprocess b ns\nprocess c ms\n"
      "-9223372037 a block\n-9223372036 a block\n9223372036 a block\n9223372037 a block\n"
      "9223372036854775802 b block\n9223372036854775803 b block\n"
      "9223372036854 c block\n9223372036855 c block\n");
  while (reader.Next() != nullptr) continue;
  const Diagnostic& found = reader.diagnostics().all().at("time-out-of-range");
  EXPECT_EQ(found.count, 4U);
  EXPECT_EQ(found.severity, Severity::kWarning);
  EXPECT_EQ(found.example,
            "memory:7:1: process 'a' is at -9223372037, of which the nanoseconds do not fit in 64 "
            "bits");
}

TEST(TextReader, NumbersEventsWithinTheirProcess) {
  const std::string text =
      std::string(kTwoProcesses) + "1 0 block\n1 rank1 block\n2 0 block\n3 0 block\n2 rank1 block";
  TextReader reader = TextReader::FromMemory(text);
  std::vector<uint64_t> numbers;
  while (reader.Next() != nullptr) numbers.push_back(reader.index());
  EXPECT_THAT(numbers, testing::ElementsAre(0, 0, 1, 2, 1));
  EXPECT_EQ(reader.bytes_read(), text.size());
}

TEST(TextReader, GivesEveryLineAsItStandsInTheFile) {
  const std::string text = "clock a 10 -3 # c\r\n\n  # x\nprocess 0 a\n -12 0 block\r\n3 0 block";
  std::string copy;
  std::vector<std::string> numbers;
  TextReader reader = TextReader::FromMemory(text, 3);
  while (const TextLine* line = reader.NextLine()) {
    copy += line->text;
    if (!line->numbers.empty()) numbers.emplace_back(line->numbers);
  }
  EXPECT_EQ(copy, text);
  EXPECT_THAT(numbers, testing::ElementsAre("10 -3", "-12", "3"));
}

// Random traces, some cut off, some with a byte changed: what is read must not depend on where the
// buffer's blocks end.
TEST(TextReader, ReadsTheSameWhateverTheBlock) {
  const uint64_t seed = 20240619;
  std::mt19937_64 random(seed);
  for (int round = 0; round < 60; ++round) {
    std::string text(kTwoProcesses);
    for (int i = 0; i < 12; ++i) {
      text += fmt::format("{} {} {}\n", static_cast<int64_t>(random()) >> (random() % 64),
                          random() % 2 == 0 ? "0" : "rank1",
                          random() % 2 == 0 ? "enter some-region # why" : "send rank1 123456789 5");
    }
    text.resize(text.size() - random() % 30);
    if (round % 2 == 1) text[random() % text.size()] = static_cast<char>(random() % 128);
    TextReader whole = TextReader::FromMemory(text);
    const auto expected = ReadAll(whole);
    for (const size_t block : {1, 2, 3, 7, 64, 100}) {
      TextReader reader = TextReader::FromMemory(text, block);
      ASSERT_EQ(ReadAll(reader), expected)
          << "seed " << seed << " round " << round << " block " << block;
      ASSERT_EQ(reader.bytes_read(), whole.bytes_read());
    }
  }
}

TEST(TextReader, ReadsFiles) {
  const std::string path = testing::TempDir() + "text_reader_test.txt";
  std::ofstream(path, std::ios::binary) << kTwoProcesses << "1 0 nonsense\n";
  auto reader = TextReader::Open(path);
  ASSERT_TRUE(reader) << reader.error().ToString();
  EXPECT_EQ(reader->Next(), nullptr);
  ASSERT_TRUE(reader->error());
  EXPECT_EQ(reader->error()->ToString(),
            path +
                ":5:5: expected send, recv, bcast, block, enter, leave, mark or collective, "
                "found 'nonsense'");
  std::remove(path.c_str());
}

TEST(TextReader, ReportsAFileThatIsNotThere) {
  const auto reader = TextReader::Open(testing::TempDir() + "no_such_file.txt");
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code, ErrorCode::kUnreadable);
}

}  // namespace
}  // namespace syncline
