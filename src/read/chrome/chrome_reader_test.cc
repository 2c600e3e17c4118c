#include "read/chrome/chrome_reader.h"

#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Track, index, begin, end, phase and name of each event.
using Seen = std::tuple<uint32_t, uint64_t, int64_t, int64_t, char, std::string>;

struct ReadFile {
  std::vector<Seen> events;
  std::string copy;
  std::string error;
  Diagnostics diagnostics;
  ChromeHeader header;
  int decimals = 0;
};

ReadFile ReadAll(std::string_view text, size_t window = JsonWindow::kBytes, int64_t base_ns = 0) {
  ChromeReader reader = ChromeReader::FromMemory(text, {.base_ns = base_ns, .window = window});
  ReadFile read;
  reader.SetOnBytes([&](uint64_t offset, std::string_view part) -> Result<void> {
    EXPECT_EQ(offset, read.copy.size());
    read.copy += part;
    return {};
  });
  while (const ChromeEvent* e = reader.Next()) {
    read.events.emplace_back(e->track, e->index, e->begin.ticks, e->end.ticks, e->phase,
                             std::string(e->name.text));
  }
  if (reader.error()) read.error = reader.error()->ToString();
  read.diagnostics = reader.diagnostics();
  read.header = reader.header();
  read.decimals = reader.decimals();
  return read;
}

constexpr std::string_view kTiny = R"({"displayTimeUnit":"ms", "baseTimeNanoseconds": 1000,
"distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8},
"traceEvents": [
  {"ph":"M","name":"process_name","pid":1,"args":{"name":"},{"}},
  {"ph": "X", "ts": 10.5 , "dur" : 2, "pid": 1, "tid": "a\"b", "name": "say \"hi\"", "args": {"l":[{"x":1},{"y":[{}]}]}},
  {"args":{"z":"}, {"},"name":"b","tid":2,"pid":1,"ts":"11.25","ph":"B"},
  {"name":"e","tid":2,"pid":1,"ts":1.2e1,"ph":"E"},
  {"ph":"i","ts":9,"pid":1,"tid":"a\"b","name":"again"}
 ], "traceName": "t"}
)";

TEST(ChromeReader, EventsAreNumberedByTrackInTheOrderOfTheFile) {
  const ReadFile read = ReadAll(kTiny);
  EXPECT_EQ(read.error, "");
  EXPECT_THAT(read.events, ElementsAre(Seen{0, 0, 0, 0, 'M', "process_name"},
                                       // 10.5 µs and 2 µs, since 1000 ns
                                       Seen{0, 0, 11'500, 13'500, 'X', "say \"hi\""},
                                       Seen{1, 0, 12'250, 12'250, 'B', "b"},
                                       Seen{1, 1, 13'000, 13'000, 'E', "e"},
                                       Seen{0, 2, 10'000, 10'000, 'i', "again"}));
  EXPECT_EQ(read.header.rank, 3);
  EXPECT_EQ(read.decimals, 2);
  EXPECT_THAT(read.diagnostics.all(), IsEmpty());
}

TEST(ChromeReader, TheWindowChangesNothing) {
  const ReadFile whole = ReadAll(kTiny);
  for (size_t window = 1; window < kTiny.size() + 2; ++window) {
    const ReadFile read = ReadAll(kTiny, window);
    EXPECT_EQ(read.events, whole.events) << window;
    EXPECT_EQ(read.error, "") << window;
    EXPECT_EQ(read.copy, kTiny) << window;
  }
}

TEST(ChromeReader, AnArrayOfEventsMayLackItsEnd) {
  for (const char* text :
       {R"([{"ph":"i","ts":1},{"ph":"i","ts":2}])", R"([{"ph":"i","ts":1},{"ph":"i","ts":2},)",
        R"([{"ph":"i","ts":1},{"ph":"i","ts":2})", R"([{"ph":"i","ts":1},{"ph":"i","ts":2},])",
        "\xEF\xBB\xBF[{\"ph\":\"i\",\"ts\":1},\n\n{\"ph\":\"i\",\"ts\":2}\n"}) {
    for (const size_t window : {1, 2, 7, 1000}) {
      const ReadFile read = ReadAll(text, window);
      EXPECT_EQ(read.events.size(), 2U) << text;
      EXPECT_EQ(read.error, "") << text;
      EXPECT_EQ(read.copy, text);
      EXPECT_THAT(read.diagnostics.all(), IsEmpty()) << text;
    }
  }
}

TEST(ChromeReader, AFileThatIsCutOffIsReadUpToThere) {
  const ReadFile whole = ReadAll(kTiny);
  for (size_t length = 1; length + 2 < kTiny.size(); ++length) {
    const ReadFile read = ReadAll(kTiny.substr(0, length), 64);
    EXPECT_EQ(read.error, "") << length;
    EXPECT_EQ(read.diagnostics.count("trace-cut-off"), 1U) << length;
    EXPECT_EQ(read.copy, kTiny.substr(0, length));
    ASSERT_LE(read.events.size(), whole.events.size());
    for (size_t i = 0; i < read.events.size(); ++i) EXPECT_EQ(read.events[i], whole.events[i]);
  }
}

struct BadCase {
  const char* text;
  const char* error;
};

TEST(ChromeReader, WhatIsMalformedIsSaidWithItsByte) {
  constexpr BadCase kCases[] = {
      {"", "byte 0: is no JSON"},
      {"abc", "byte 0: is no JSON"},
      {"{\"traceEvents\":{}}", "byte 15: traceEvents is no array"},
      {"{\"traceEvents\" []}", "byte 15: a colon"},
      {"{\"a\":1 \"b\":2}", "byte 7: a comma or }"},
      {"{\"a\":}", "byte 5: a value"},
      {"{a:1}", "byte 1: a key"},
      {"[{\"ph\":\"i\",\"ts\":1} {\"ph\":\"i\",\"ts\":2}]", "byte 19: a comma or ]"},
      {"[{\"ph\":\"i\",\"ts\":1},{\"ph\" \"i\"},{}]", "byte 19: "},
      {"{\"baseTimeNanoseconds\": \"x\"}", "byte 24: baseTimeNanoseconds is no number"},
      {"{\"baseTimeNanoseconds\":null}", "byte 23: baseTimeNanoseconds is no number"},
      {"{\"baseTimeNanoseconds\":1e19}", "byte 23: baseTimeNanoseconds is no number"},
      {"[] x", "byte 3: something follows"},
      {"{} x", "byte 3: something follows"},
  };
  for (const BadCase& c : kCases) {
    for (const size_t window : {5, 1000}) {
      EXPECT_THAT(ReadAll(c.text, window).error, HasSubstr(c.error)) << c.text << " in " << window;
    }
  }
}

// Profilers cut names off by bytes.
TEST(ChromeReader, NamesMayHoldBytesThatJsonMayNot) {
  const std::string text =
      "[{\"ph\":\"i\",\"ts\":1,\"name\":\"a\"},\n{\"ph\":\"i\",\"ts\":2,\"name\":\"b\xe2\x82\"},"
      "{\"ph\":\"i\",\"ts\":3,\"name\":\"c\td\",\"args\":{\"x\":\"\xff\"}},"
      "{\"ph\":\"i\",\"ts\":4,\"name\":\"e\"}]";
  for (const size_t window : {size_t{1}, size_t{50}, JsonWindow::kBytes}) {
    const ReadFile read = ReadAll(text, window);
    EXPECT_EQ(read.error, "");
    std::vector<std::string> names;
    for (const Seen& event : read.events) names.push_back(std::get<5>(event));
    EXPECT_THAT(names, ElementsAre("a", "b\xe2\x82", "c\td", "e"));
    EXPECT_EQ(read.copy, text);
    ChromeReader reader = ChromeReader::FromMemory(text, {.base_ns = 0, .window = window});
    while (const ChromeEvent* e = reader.Next()) {
      EXPECT_THAT(text.substr(e->offset), testing::StartsWith(std::string(reader.EventText())));
      EXPECT_TRUE(reader.EventText().ends_with('}'));
    }
  }
}

TEST(ChromeReader, WhatCannotBeUsedIsCounted) {
  const ReadFile read =
      ReadAll(R"([{"ph":"i"},{"ph":"X","ts":"x"},7,[{}],{"ph":"X","ts":5,"dur":-1},)"
              R"({"ph":"X","ts":1.00001,"dur":1},{"ph":"M","name":"n"}])");
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.events.size(), 5U);
  EXPECT_EQ(read.diagnostics.count("event-without-time"), 1U);
  EXPECT_EQ(read.diagnostics.count("time-out-of-range"), 1U);
  EXPECT_EQ(read.diagnostics.count("element-not-an-event"), 2U);
  EXPECT_EQ(read.diagnostics.count("negative-duration"), 1U);
  EXPECT_EQ(read.diagnostics.count("time-finer-than-nanoseconds"), 1U);
}

// Durations of whole microseconds beside begins of nanoseconds; without length they tell nothing.
TEST(ChromeReader, DurationsAreAsExactAsTheirOwnDecimals) {
  const auto certain = [](int64_t duration) {
    std::string text = "[";
    for (int64_t i = 101; i < 200; ++i) {
      text +=
          (i == 101 ? "" : ",") + fmt::format(R"({{"ph":"X","ts":5.{},"dur":{}}})", i, duration);
    }
    text += "]";
    ChromeReader reader = ChromeReader::FromMemory(text);
    while (reader.Next() != nullptr) {
    }
    EXPECT_EQ(reader.time_decimals().Certain(), 3);
    return reader.duration_decimals().Certain();
  };
  EXPECT_EQ(certain(7), 0);
  EXPECT_EQ(certain(0), DecimalCounts::kMost);
}

TEST(ChromeReader, ABaseBehindTheEventsIsSaidToBeLate) {
  const char* text = R"({"traceEvents":[{"ph":"i","ts":1}],"baseTimeNanoseconds":500})";
  const ReadFile read = ReadAll(text);
  EXPECT_TRUE(read.header.is_base_late);
  EXPECT_EQ(read.header.base_ns, 500);
  const ReadFile again = ReadAll(text, 1000, 500);
  EXPECT_FALSE(again.header.is_base_late);
  EXPECT_EQ(std::get<2>(again.events[0]), 1'500);
}

TEST(ChromeReader, BaseTimesAreNumbersInAllForms) {
  constexpr const char* kForms[] = {"1727743122000000000", "\"1727743122000000000\"",
                                    "1.727743122e18",      "1727743122000000000.0",
                                    "\"1.727743122E+18\"", "1727743122000000000 "};
  for (const char* form : kForms) {
    const ReadFile read =
        ReadAll(fmt::format(R"({{"baseTimeNanoseconds": {}, "traceEvents": []}})", form));
    EXPECT_EQ(read.error, "") << form;
    EXPECT_EQ(read.header.base_ns, 1'727'743'122'000'000'000) << form;
  }
  const ReadFile read = ReadAll(R"({"baseTimeNanoseconds": 7.5, "traceEvents": []})");
  EXPECT_EQ(read.header.base_ns, 7);
  EXPECT_EQ(read.diagnostics.count("time-finer-than-nanoseconds"), 1U);
}

TEST(ChromeReader, EscapesMeanWhatTheyStandFor) {
  const auto read_all = [](std::string_view text) {
    std::vector<std::string> seen;
    ChromeReader reader = ChromeReader::FromMemory(text);
    while (const ChromeEvent* e = reader.Next()) {
      seen.push_back(fmt::format("{} {} {} {} {} {} {}", e->phase, e->name.text, e->category.text,
                                 e->pid.text, e->id.text, e->id2, e->begin.ticks));
    }
    return seen;
  };
  constexpr std::string_view kPlain =
      R"({"baseTimeNanoseconds": 3, "traceEvents": [{"ph":"s","name":"a/ö","cat":"c","pid":"p","tid":1,"id":"x","id2":{"local":"y"},"ts":"5"}]})";
  constexpr std::string_view kEscaped =
      R"({"b\u0061seTimeNanoseconds": "\u0033", "traceEvents": [{"p\u0068":"\u0073","n\u0061me":"a\/\u00f6","cat":"\u0063","pid":"\u0070","\u0074id":1,"i\u0064":"\u0078","id2":{"loc\u0061l": "\u0079"},"ts":"\u0035"}]})";
  EXPECT_EQ(read_all(kEscaped), read_all(kPlain));
  EXPECT_THAT(read_all(kPlain), ElementsAre("s a/ö c p x {\"local\":\"y\"} 5003"));
  // Those that are none of JSON's stay as they are, and so do the bytes of the file.
  EXPECT_THAT(read_all(R"([{"ph":"i","name":"\ud800","ts":1}])"),
              ElementsAre("i \\ud800     1000"));
  EXPECT_EQ(ReadAll(kEscaped).copy, kEscaped);
}

TEST(ChromeReader, QuotesInPidsAndTidsDoNotJoinTracks) {
  const ReadFile read = ReadAll(
      R"([{"ph":"i","ts":1,"pid":"a\"b","tid":"c"},{"ph":"i","ts":2,"pid":"a","tid":"b\"c"}])");
  ASSERT_EQ(read.events.size(), 2U);
  EXPECT_EQ(std::get<0>(read.events[0]), 0U);
  EXPECT_EQ(std::get<0>(read.events[1]), 1U);
}

TEST(ChromeReader, TokensSayWhereTheyStand) {
  ChromeReader reader = ChromeReader::FromMemory(kTiny);
  while (const ChromeEvent* e = reader.Next()) {
    if (e->phase == 'M') continue;
    EXPECT_EQ(kTiny.substr(e->time.offset, e->time.text.size()), e->time.text);
    EXPECT_EQ(kTiny[e->offset], '{');
  }
}

}  // namespace
}  // namespace syncline
