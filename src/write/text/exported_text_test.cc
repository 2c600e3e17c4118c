#include "write/text/exported_text.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "write/export_test_util.h"

namespace syncline {
namespace {

TEST(ExportedText, CorrectedTimesAreNanosecondsOfEveryClock) {
  ExportBuilder builder({"a", "b"});
  builder.trace().traces.clocks[1].ticks_per_second = 24'000'000;
  builder.Message(0, 1'000, 1, 1'500, 42);
  EXPECT_EQ(Written(builder.trace(), WriteExportedText),
            "clock a 1000000000\nclock b 1000000000\n"
            "process a a\nprocess b b\n"
            "1000 a send b 42\n"
            "1500 b recv a 42\n");
}

TEST(ExportedText, RecordedTimesAreTicksOfTheirClocks) {
  ExportBuilder builder({"a", "b"});
  builder.trace().is_corrected = false;
  builder.trace().traces.clocks[1].ticks_per_second = 24'000'000;
  builder.Message(0, 1'000, 1, 1'500, 42);
  EXPECT_EQ(Written(builder.trace(), WriteExportedText),
            "clock a 1000000000\nclock b 24000000\n"
            "process a a\nprocess b b\n"
            "900 a send b 42\n"
            "1400 b recv a 42\n");
}

TEST(ExportedText, OneSendToSeveralIsABroadcast) {
  ExportBuilder builder({"a", "b", "c"});
  builder.Add(0, 1, EventKind::kSend);
  builder.Add(1, 2, EventKind::kReceive);
  builder.Add(2, 3, EventKind::kReceive);
  builder.Link(0, 1, 7);
  builder.Link(0, 2, 7);
  EXPECT_EQ(Written(builder.trace(), WriteExportedText),
            "clock a 1000000000\nclock b 1000000000\nclock c 1000000000\n"
            "process a a\nprocess b b\nprocess c c\n"
            "1 a bcast 7\n"
            "2 b recv a 7\n"
            "3 c recv a 7\n");
}

// Two receives of one id in b would be ambiguous.
TEST(ExportedText, OneSendToAProcessTwiceIsTwoSends) {
  ExportBuilder builder({"a", "b", "c"});
  builder.Add(0, 1, EventKind::kSend);
  builder.Add(1, 2, EventKind::kReceive);
  builder.Link(0, 1, 7);
  builder.Add(1, 3, EventKind::kReceive);
  builder.Link(0, 1, 7);
  builder.Add(2, 3, EventKind::kReceive);
  builder.Link(0, 2, 7);
  const std::string second = std::to_string((uint64_t{1} << 62) + 1);
  EXPECT_EQ(Written(builder.trace(), WriteExportedText),
            "clock a 1000000000\nclock b 1000000000\nclock c 1000000000\n"
            "process a a\nprocess b b\nprocess c c\n"
            "1 a bcast 7\n"
            "1 a send b " +
                second +
                "\n"
                "2 b recv a 7\n"
                "3 b recv a " +
                second + "\n3 c recv a 7\n");
}

TEST(ExportedText, WhatIsReceivedAndSentOnIsTwoEvents) {
  ExportBuilder builder({"a", "r", "b"});
  builder.Message(0, 1, 1, 2, 5);
  builder.trace().processes[1].events[0].kind = EventKind::kSend;
  builder.Add(2, 3, EventKind::kReceive);
  builder.Link(1, 2, 6);
  EXPECT_EQ(Written(builder.trace(), WriteExportedText),
            "clock a 1000000000\nclock r 1000000000\nclock b 1000000000\n"
            "process a a\nprocess r r\nprocess b b\n"
            "1 a send r 5\n"
            "2 r recv a 5\n"
            "2 r send b 6\n"
            "3 b recv r 6\n");
}

TEST(ExportedText, EventsWithoutPartnerAreMarks) {
  ExportBuilder builder({"a"});
  builder.Add(0, 1, EventKind::kMark, "TCP");
  builder.Add(0, 2, EventKind::kMark);
  builder.Add(0, 3, EventKind::kSend);
  EXPECT_EQ(Written(builder.trace(), WriteExportedText),
            "clock a 1000000000\nprocess a a\n"
            "1 a mark TCP\n2 a mark mark\n3 a mark send\n");
}

TEST(ExportedText, SizesOfCollectivesStay) {
  ExportBuilder builder({"a"});
  builder.trace().traces.groups.push_back({"world", {ProcessId(0)}});
  builder.trace().names.emplace_back("world");  // number 1
  const struct {
    uint64_t bytes;
    bool moves_nothing;
  } parts[] = {{8, false}, {0, false}, {0, true}};
  for (const auto& [bytes, moves_nothing] : parts) {
    builder.Add(0, 1, EventKind::kCollectiveBegin, "gatherv");
    ExportedEvent& event = builder.trace().processes[0].events.back();
    event.group = 1;
    event.has_message = true;
    event.message = 3;
    event.bytes = bytes;
    event.moves_nothing = moves_nothing;
  }
  EXPECT_EQ(Written(builder.trace(), WriteExportedText),
            "clock a 1000000000\nprocess a a\ngroup world a\n"
            "1 a collective gatherv world 3 begin 8\n"
            "1 a collective gatherv world 3 begin\n"
            "1 a collective gatherv world 3 begin 0\n");
}

}  // namespace
}  // namespace syncline
