#include "write/chrome/chrome_writer.h"

#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "write/export_test_util.h"

namespace syncline {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

Json Events(const ExportedTrace& trace, const std::string& phase) {
  Json events = Json::array();
  const Json file = Json::parse(Written(trace, WriteChrome));
  for (const Json& event : file["traceEvents"]) {
    if (event["ph"] == phase) events.push_back(event);
  }
  return events;
}

TEST(ChromeWriter, TimesAreMicrosecondsSinceTheEarliestEventToTheNanosecond) {
  ExportBuilder builder({"a", "b"});
  builder.Add(0, 1'700'000'000'123'456'789, EventKind::kMark, "first");
  builder.Add(1, 1'700'000'000'123'458'290, EventKind::kMark, "second");
  const std::string text = Written(builder.trace(), WriteChrome);
  EXPECT_THAT(text, HasSubstr("\"origin_ns\":1700000000123456789"));
  EXPECT_THAT(text, HasSubstr("\"ts\":0.000,"));
  EXPECT_THAT(text, HasSubstr("\"ts\":1.501,"));  // 458 290 − 456 789 ns
}

TEST(ChromeWriter, EventsCarryBothTimesAndTheirBound) {
  ExportBuilder builder({"a"});
  builder.Add(0, 1'000, EventKind::kMark, "m");
  const Json args = Events(builder.trace(), "X")[0]["args"];
  EXPECT_EQ(args["recorded_ns"], 1'000 - 100);
  EXPECT_EQ(args["corrected_ns"], 1'000);
  EXPECT_EQ(args["bound_ns"], 7);
  builder.trace().is_corrected = false;
  EXPECT_FALSE(Events(builder.trace(), "X")[0]["args"].contains("corrected_ns"));
}

TEST(ChromeWriter, AMessageIsAnArrowBetweenItsSlices) {
  ExportBuilder builder({"a", "b"});
  builder.Message(0, 10, 1, 20, 42);
  const Json file = Json::parse(Written(builder.trace(), WriteChrome));
  std::string phases;
  for (const Json& event : file["traceEvents"]) phases += event["ph"].get<std::string>();
  EXPECT_EQ(phases, "MMMMXsXf");  // each arrow's end directly after the slice it binds to
  const Json s = Events(builder.trace(), "s")[0];
  const Json f = Events(builder.trace(), "f")[0];
  EXPECT_EQ(s["id"], f["id"]);
  EXPECT_EQ(s["name"], f["name"]);
  EXPECT_EQ(s["cat"], f["cat"]);
  EXPECT_EQ(s["tid"], 1);
  EXPECT_EQ(f["tid"], 2);
  EXPECT_EQ(f["bp"], "e");
  EXPECT_EQ(Events(builder.trace(), "X")[0]["args"]["message"], "42");
  EXPECT_EQ(Events(builder.trace(), "X")[0]["args"]["peer"], "b");
}

// Viewers know no arrow that ends before it begins.
TEST(ChromeWriter, TheArrowOfAnInvertedMessageBeginsAtItsReceive) {
  ExportBuilder builder({"a", "b"});
  builder.Message(0, 20, 1, 10, 1);
  EXPECT_EQ(Events(builder.trace(), "s")[0]["tid"], 2);
  EXPECT_EQ(Events(builder.trace(), "f")[0]["tid"], 1);
  EXPECT_EQ(Events(builder.trace(), "s")[0]["name"], "received before sent");
  EXPECT_EQ(Events(builder.trace(), "f")[0]["name"], "received before sent");
}

TEST(ChromeWriter, RegionsThatNestAreBarsAndOthersSlices) {
  ExportBuilder builder({"a"});
  builder.Add(0, 1, EventKind::kLeave, "lost");
  builder.Add(0, 2, EventKind::kEnter, "work");
  builder.Add(0, 3, EventKind::kLeave, "work");
  EXPECT_EQ(Events(builder.trace(), "B")[0]["name"], "work");
  EXPECT_EQ(Events(builder.trace(), "E")[0]["args"]["end_corrected_ns"], 3);
  ASSERT_EQ(Events(builder.trace(), "X").size(), 1U);
  EXPECT_EQ(Events(builder.trace(), "X")[0]["cat"], "leave");
}

TEST(ChromeWriter, AnyNameIsShownAndNoneBreaksTheFile) {
  const std::string name = "\"</script>\x01\xFF\\";
  ExportBuilder builder({name});
  builder.Add(0, 1, EventKind::kMark, name);
  EXPECT_EQ(Events(builder.trace(), "X")[0]["name"], "\"</script>\x01\xEF\xBF\xBD\\");
}

TEST(ChromeWriter, ATraceWithoutEventsIsAFileWithoutEvents) {
  ExportBuilder builder({"a"});
  EXPECT_EQ(Events(builder.trace(), "X").size(), 0U);
}

// From one end of the range of times to the other.
TEST(ChromeWriter, TheLargestDistanceOfTimesIsExact) {
  ExportBuilder builder({"a"});
  builder.Add(0, INT64_MIN + 100, EventKind::kMark);
  builder.Add(0, INT64_MAX, EventKind::kMark);
  // 2⁶⁴ − 1 − 100 ns
  EXPECT_THAT(Written(builder.trace(), WriteChrome), HasSubstr("\"ts\":18446744073709551.515"));
}

}  // namespace
}  // namespace syncline
