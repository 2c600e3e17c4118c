#include "read/logs/log_reader.h"

#include <gmock/gmock.h>

#include "base/line_buffer.h"

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

LogSource JsonSource() {
  LogSource source;
  source.time = "t";
  source.host = "h";
  source.kind = "k";
  source.text = "read json time=t";
  source.place = "x.rules:1";
  return source;
}

LogSource TextSource(std::string_view pattern) {
  LogSource source;
  source.form = LogForm::kText;
  source.pattern = Pattern::Compile(pattern).value();
  source.time = "time";
  source.place = "x.rules:2";
  return source;
}

// "HOST/INDEX KIND@NS" of each moment, "-" of lines that are no records; then the error.
std::vector<std::string> Lines(std::string_view text, const std::vector<LogSource>& sources,
                               Diagnostics* diagnostics = nullptr) {
  std::vector<std::string> lines;
  LogReader reader = LogReader::FromMemory(text, "log", sources);
  std::string bytes;
  while (const LogLine* line = reader.Next()) {
    bytes += line->bytes;
    if (!line->is_record) lines.emplace_back("-");
    for (size_t i = 0; line->is_record && i < line->moment_count; ++i) {
      lines.push_back(reader.hosts()[line->host] + "/" + std::to_string(line->index + i) + " " +
                      std::string(line->kind) + std::string(line->moments[i].suffix) + "@" +
                      std::to_string(line->moments[i].time.ticks));
    }
  }
  if (reader.error()) {
    lines.push_back(reader.error()->ToString());
  } else {
    EXPECT_EQ(bytes, text);
  }
  if (diagnostics != nullptr) *diagnostics = reader.diagnostics();
  return lines;
}

TEST(LogReader, RecordsHaveHostKindAndNumber) {
  EXPECT_THAT(Lines("{\"t\":1,\"h\":\"a\",\"k\":\"x\"}\r\n"
                    "{\"t\":2,\"h\":\"b\",\"k\":\"y\"}\n"
                    "{\"t\":\"3.5\",\"h\":\"a\"}",
                    {JsonSource()}),
              ElementsAre("a/0 x@1000000000", "b/0 y@2000000000", "a/1 line@3500000000"));
}

TEST(LogReader, TheFirstSourceThatFitsCounts) {
  LogSource sent = TextSource("^(?P<time>\\d+) sent");
  sent.as = "sent";
  LogSource got = TextSource("^(?P<time>\\d+) ");
  got.as = "other";
  EXPECT_THAT(Lines("1 sent\n2 got\n{\"t\":3}\n", {sent, got, JsonSource()}),
              ElementsAre("/0 sent@1000000000", "/1 other@2000000000", "/2 line@3000000000"));
}

TEST(LogReader, LinesThatAreNoRecordsAreCountedAndHandedOut) {
  Diagnostics found;
  EXPECT_THAT(Lines("\n{\"t\":1}\n  at x.js:1\n{\"t\":\"soon\"}\n{\"k\":1}\n{\"t\":"
                    "99999999999999999999}\n",
                    {JsonSource()}, &found),
              ElementsAre("-", "/0 line@1000000000", "-", "-", "-", "-"));
  EXPECT_EQ(found.count("lines-without-record"), 3);
  EXPECT_EQ(found.all().find("lines-without-record")->second.example, "log:1");
  EXPECT_EQ(found.count("lines-with-unknown-time"), 1);
  EXPECT_EQ(found.all().find("lines-with-unknown-time")->second.example, "log:4: soon");
  EXPECT_EQ(found.count("time-out-of-range"), 1);
}

TEST(LogReader, AFileWithoutAnyRecordIsAnError) {
  EXPECT_THAT(Lines("hello\n", {JsonSource()}),
              ElementsAre("-",
                          "log:1:1: no line is a record: it is not what x.rules:1 says: "
                          "read json time=t"));
  EXPECT_THAT(Lines("{\"ts\":1}\n", {JsonSource()}),
              ElementsAre("-", HasSubstr("there is no field t, which is the time by x.rules:1")));
  EXPECT_THAT(Lines("{\"t\":\"x\\u001b\"}\n", {JsonSource()}),
              ElementsAre("-", HasSubstr("\"x\\u001b\" is no time that can be read")));
  EXPECT_THAT(Lines("{\"t\":\"2026\\/11\\/02 08:00:02\"}\n", {JsonSource()}),
              ElementsAre("-", HasSubstr("\"2026\\/11\\/02 08:00:02\" is no time")));
  LogSource other = JsonSource();
  other.in = "*.json";
  EXPECT_THAT(Lines("{\"t\":1}\n", {other}),
              ElementsAre("-", "log: no source is for files of this name"));
}

TEST(LogReader, WhatTakesTimeHasABeginAndAnEnd) {
  LogSource source = TextSource("^(?P<time>\\S+) (?P<took>\\S+)");
  source.took = "took";
  source.moment = LogMoment::kEnd;
  source.as = "r";
  // The duration was cut off: the begin is a millisecond earlier, so that it is never late.
  EXPECT_THAT(Lines("5.000 0.250\n", {source}),
              ElementsAre("/0 r:begin@4749000000", "/1 r:end@5000000000"));
  source.moment = LogMoment::kBegin;
  EXPECT_THAT(Lines("5.000 0.250\n6.000 -\n", {source}),
              ElementsAre("/0 r:begin@5000000000", "/1 r:end@5250000000", "-"));
  // The last second of 2261, and 30 years later: beyond what 64 bits hold.
  EXPECT_THAT(Lines("9214646399 946080000\n", {source}),
              ElementsAre("/0 r:begin@9214646399000000000", "/1 r:end@9223372036854775807"));
}

TEST(LogReader, ALineLongerThanTheBufferIsNoRecord) {
  const std::string longer =
      "{\"t\":1,\"x\":\"" + std::string(2 * LineBuffer::kMaxLine, 'x') + "\"}";
  Diagnostics found;
  const auto lines = Lines("{\"t\":1}\n" + longer + "\n{\"t\":2}\n", {JsonSource()}, &found);
  EXPECT_EQ(lines.front(), "/0 line@1000000000");
  EXPECT_EQ(lines.back(), "/1 line@2000000000");
  EXPECT_EQ(found.count("lines-too-long"), 1);
  EXPECT_EQ(found.all().find("lines-too-long")->second.example, "log:2");
  EXPECT_EQ(Lines("{\"t\":1}\n" + longer, {JsonSource()}).front(), "/0 line@1000000000");
}

TEST(LogReader, BytesThatAreNoTextDoNoHarm) {
  using namespace std::string_literals;
  EXPECT_THAT(Lines("\0\n1 a\0b\xff\n\xff\xfe\n"s, {TextSource("^(?P<time>\\d+) (?P<x>.*)")}),
              ElementsAre("-", "/0 line@1000000000", "-"));
}

TEST(LogReader, AMissingYearIsAskedFor) {
  EXPECT_THAT(Lines("Nov 23 12:00:00 x\n", {TextSource("^(?P<time>\\w+ \\d+ \\S+) ")}),
              ElementsAre("log:1:1: \"Nov 23 12:00:00\" says no year: say it in the source, "
                          "x.rules:2, as year=2026"));
}

TEST(LogReader, AFieldOfTooManyValuesIsNotTheHost) {
  std::string text;
  for (size_t i = 0; i <= LogReader::kMaxHosts; ++i) {
    text += "{\"t\":1,\"h\":\"" + std::to_string(i) + "\"}\n";
  }
  EXPECT_THAT(Lines(text, {JsonSource()}).back(), HasSubstr("log:10001:1: the field h has more"));
}

LogPrecision PrecisionOf(const std::string& text) {
  const std::vector<LogSource> sources = {JsonSource()};
  LogReader reader = LogReader::FromMemory(text, "log", sources);
  while (reader.Next() != nullptr) {
  }
  return reader.precisions()[0];
}

TEST(LogReader, TimesAreLateByTheLastDigitOfShortOnes) {
  const LogPrecision precision = PrecisionOf("{\"t\":1.5}\n{\"t\":1}\n{\"t\":1.125}\n");
  EXPECT_EQ(precision.records, 3);
  EXPECT_EQ(precision.most_decimals, 3);
  EXPECT_EQ(precision.least_decimals, 0);
  EXPECT_EQ(precision.tick_ns, 1'000'000);
  // Of three times one can have lost a zero, and not two.
  EXPECT_EQ(precision.CertainTickNs(), 100'000'000);
}

TEST(LogReader, ShortTimesOfWritersThatLeaveOutZerosAreAsFineAsTheOthers) {
  std::string text;
  for (int ms = 1001; ms < 2000; ++ms) {
    std::string decimals = std::to_string(ms % 1000 + 1000).substr(1);
    while (decimals.ends_with('0')) decimals.pop_back();
    text += "{\"t\":" + std::to_string(ms / 1000) + "." + decimals + "}\n";
  }
  EXPECT_EQ(PrecisionOf(text).CertainTickNs(), 1'000'000);
}

TEST(LooksLikeLog, NeedsOneRecord) {
  const std::vector<LogSource> sources = {JsonSource()};
  EXPECT_TRUE(LooksLikeLog("banner\n{\"t\":1}\n{\"t\":", "x", sources));
  EXPECT_FALSE(LooksLikeLog("banner\n", "x", sources));
}

}  // namespace
}  // namespace syncline
