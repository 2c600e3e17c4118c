#include "write/perfetto/perfetto_writer.h"

#include <regex>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "write/export_test_util.h"
#include "write/perfetto/testing/protoc.h"

namespace syncline {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Decoded(const ExportedTrace& trace) {
  const std::string folder = std::string(SYNCLINE_SOURCE_DIR) + "/src/write/perfetto/testdata";
  return Protoc("--decode=Trace -I" + folder + " trace.proto", Written(trace, WritePerfetto));
}

// The packets with an event, without the line's indentation and the fields that all have.
std::vector<std::string> Events(const std::string& decoded) {
  std::vector<std::string> events;
  static const std::regex kPacket("packet \\{\n((?:  .*\n)*)\\}\n");
  for (std::sregex_iterator it(decoded.begin(), decoded.end(), kPacket), end; it != end; ++it) {
    if ((*it)[1].str().find("track_event {") != std::string::npos) events.push_back((*it)[1]);
  }
  return events;
}

class PerfettoWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!HasProtoc()) GTEST_SKIP() << "needs protoc (protobuf-compiler)";
  }
};

TEST_F(PerfettoWriterTest, EveryFieldIsOneOfTheFormat) {
  ExportBuilder builder({"a", "b"});
  builder.Add(0, 5, EventKind::kEnter, "work");
  builder.Message(0, 10, 1, 20, 42);
  builder.Add(0, 15, EventKind::kLeave, "work");
  const std::string decoded = Decoded(builder.trace());
  // A field that the definitions lack is printed by its number.
  EXPECT_FALSE(std::regex_search(decoded, std::regex("(^|\n) *[0-9]+[ :]"))) << decoded;
}

TEST_F(PerfettoWriterTest, AMessagesEventsShareAFlow) {
  ExportBuilder builder({"a", "b"});
  builder.Message(0, 1'010, 1, 1'020, 42);
  const auto events = Events(Decoded(builder.trace()));
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0],
            "  timestamp: 0\n"
            "  trusted_packet_sequence_id: 1\n"
            "  track_event {\n"
            "    category_iids: 1\n"
            "    debug_annotations {\n      name_iid: 1\n      int_value: 910\n    }\n"
            "    debug_annotations {\n      name_iid: 2\n      int_value: 1010\n    }\n"
            "    debug_annotations {\n      name_iid: 3\n      int_value: 7\n    }\n"
            "    debug_annotations {\n      name_iid: 4\n      string_value: \"b\"\n    }\n"
            "    debug_annotations {\n      name_iid: 5\n      string_value: \"42\"\n    }\n"
            "    type: TYPE_INSTANT\n"
            "    name_iid: 2\n"
            "    track_uuid: 3\n"
            "    flow_ids: 1\n"
            "  }\n"
            "  sequence_flags: 2\n");
  EXPECT_THAT(events[1], HasSubstr("  timestamp: 10\n"));
  EXPECT_THAT(events[1], HasSubstr("    track_uuid: 4\n"));
  EXPECT_THAT(events[1], HasSubstr("    flow_ids: 1\n"));
}

TEST_F(PerfettoWriterTest, ATrackPerProcessBelowItsClocks) {
  ExportBuilder builder({"a", "b"});
  builder.trace().traces.processes[1].label = "server";
  const std::string decoded = Decoded(builder.trace());
  EXPECT_THAT(decoded, HasSubstr("uuid: 2\n    name: \"clock b\"\n  }"));
  EXPECT_THAT(decoded, HasSubstr("uuid: 4\n    name: \"b server\"\n    parent_uuid: 2\n"));
}

TEST_F(PerfettoWriterTest, NamesAreWrittenOnce) {
  ExportBuilder builder({"a"});
  for (const int64_t ns : {0, 20}) {
    builder.Add(0, ns, EventKind::kEnter, "work\xFF");
    builder.Add(0, ns + 10, EventKind::kLeave, "work\xFF");
  }
  const auto events = Events(Decoded(builder.trace()));
  ASSERT_EQ(events.size(), 4U);
  EXPECT_THAT(events[0],
              HasSubstr("event_names {\n      iid: 1\n      name: \"work\\357\\277\\275\""));
  EXPECT_THAT(events[2], Not(HasSubstr("event_names")));
  for (const size_t enter : {0, 2}) {
    EXPECT_THAT(events[enter], HasSubstr("type: TYPE_SLICE_BEGIN\n    name_iid: 1\n"));
    EXPECT_THAT(events[enter + 1], HasSubstr("type: TYPE_SLICE_END\n    track_uuid"));
  }
}

TEST_F(PerfettoWriterTest, TheEarliestEventsTimeIsInTheClockSnapshot) {
  ExportBuilder builder({"a"});
  builder.Add(0, 1'700'000'000'123'456'789, EventKind::kMark, "m");
  EXPECT_THAT(Decoded(builder.trace()),
              HasSubstr("clocks {\n      clock_id: 1\n      timestamp: 1700000000123456789\n"));
  ExportBuilder before_1970({"a"});
  before_1970.Add(0, -5, EventKind::kMark, "m");
  EXPECT_THAT(Decoded(before_1970.trace()), Not(HasSubstr("clock_snapshot")));
}

}  // namespace
}  // namespace syncline
