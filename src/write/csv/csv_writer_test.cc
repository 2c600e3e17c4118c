#include "write/csv/csv_writer.h"

#include <string>

#include <gtest/gtest.h>

#include "write/export_test_util.h"

namespace syncline {
namespace {

constexpr const char* kHead =
    "time_ns,recorded_ns,bound_ns,clock,process,event,kind,name,peer,message,group,bytes,"
    "lower_ns,upper_ns\r\n";

TEST(CsvWriter, ALinePerEventInOrderOfTime) {
  ExportBuilder builder({"a", "b"});
  builder.Message(0, 1'000, 1, 1'500, 42);
  builder.trace().processes[0].events[0].bytes = 64;
  builder.Add(0, 1'200, EventKind::kEnter, "work");
  builder.trace().bounds = [](ProcessId process, const ExportedEvent& event) {
    if (process.value == 1) return ExportedBounds{event.time.ns - 7, std::nullopt};
    return ExportedBounds{event.time.ns - 7, event.time.ns + 5};
  };
  EXPECT_EQ(Written(builder.trace(), WriteCsv), std::string(kHead) +
                                                    "1000,900,7,a,a,0,send,,b,42,,64,993,1005\r\n"
                                                    "1200,1100,7,a,a,1,enter,work,,,,,1193,1205\r\n"
                                                    "1500,1400,7,b,b,0,receive,,a,42,,,1493,\r\n");
}

TEST(CsvWriter, MessagesHaveDelaysBeforeAndAfter) {
  ExportBuilder builder({"a", "b"});
  builder.Message(0, 1'000, 1, 1'500, 42);
  builder.trace().processes[1].events[0].local = {800};  // recorded before it was sent
  EXPECT_EQ(Written(builder.trace(), WriteCsvMessages),
            "from,to,kind,message,send_event,receive_event,sent_ns,received_ns,delay_ns,"
            "sent_recorded_ns,received_recorded_ns,delay_recorded_ns,bytes\r\n"
            "a,b,message,42,0,0,1000,1500,500,900,800,-100,\r\n");
}

TEST(CsvWriter, FieldsThatNeedItAreQuoted) {
  const struct {
    std::string name, field;
  } cases[] = {
      {"a,b", "\"a,b\""},
      {"say \"hi\"", "\"say \"\"hi\"\"\""},
      {"two\r\nlines", "\"two\r\nlines\""},
      {"\xFF", "\"\xEF\xBF\xBD\""},
      {std::string("nul\0", 4), "\"nul\xEF\xBF\xBD\""},
      {"G\xC3\xA4ste", "\"G\xC3\xA4ste\""},
      {"plain words", "plain words"},
      {"\x1B[2J\xC2\x9B", "\"\\x1b[2J\\xc2\\x9b\""},
  };
  for (const auto& [name, field] : cases) {
    ExportBuilder builder({"p"});
    builder.Add(0, 200, EventKind::kMark, name);
    EXPECT_EQ(Written(builder.trace(), WriteCsv),
              std::string(kHead) + "200,100,7,p,p,0,mark," + field + ",,,,,,\r\n");
  }
}

TEST(CsvWriter, WhatIsNotKnownIsEmpty) {
  ExportBuilder builder({"p"});
  builder.Add(0, 200, EventKind::kMark, "m");
  builder.trace().bound_ns = [](ProcessId, const ExportedEvent&) {
    return std::optional<int64_t>();
  };
  EXPECT_EQ(Written(builder.trace(), WriteCsv),
            std::string(kHead) + "200,100,,p,p,0,mark,m,,,,,,\r\n");
}

}  // namespace
}  // namespace syncline
