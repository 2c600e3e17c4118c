#include "match/rules/log_source_parser.h"

#include <gmock/gmock.h>

#include "match/rules/rule.h"

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

LogSource OneSource(const std::string& text) {
  auto parsed = ParseRules(text, "f");
  EXPECT_TRUE(parsed.has_value()) << (parsed ? "" : parsed.error().ToString());
  if (!parsed || parsed->sources.size() != 1) return {};
  return parsed->sources.front();
}

TEST(LogSourceParser, SaysWhatFieldsAre) {
  const LogSource source =
      OneSource("read json time=a.ts(us) host=@h kind=msg in \"a*.log\" zone=-05:30  # mine");
  EXPECT_EQ(source.form, LogForm::kJson);
  EXPECT_EQ(source.time, "a.ts");
  EXPECT_EQ(source.time_unit, LogUnit::kMicroseconds);
  EXPECT_EQ(source.host, "@h");
  EXPECT_EQ(source.kind, "msg");
  EXPECT_EQ(source.in, "a*.log");
  EXPECT_EQ(source.zone_s, -(5 * 3600 + 30 * 60));
  EXPECT_EQ(source.text, "read json time=a.ts(us) host=@h kind=msg in \"a*.log\" zone=-05:30");
  EXPECT_EQ(source.place, "f:1");
}

TEST(LogSourceParser, TakesGroupsOfARegularExpression) {
  const LogSource source =
      OneSource(R"re(read text "^(?P<time>\S+) \"(?<kind>\w+)\"" year=2026 as "a kind")re");
  EXPECT_EQ(source.pattern->text(), R"re(^(?P<time>\S+) "(?<kind>\w+)")re");
  EXPECT_EQ(source.time, "time");
  EXPECT_EQ(source.kind, "kind");
  EXPECT_EQ(source.host, "");
  EXPECT_EQ(source.year, 2026);
  EXPECT_EQ(source.as, "a kind");
}

TEST(LogSourceParser, WhatTakesTimeSaysHowLong) {
  const LogSource source = OneSource("read csv end=3(s) took=\"it took\"(ms)");
  EXPECT_EQ(source.moment, LogMoment::kEnd);
  EXPECT_EQ(source.took, "it took");
  EXPECT_EQ(source.took_unit, LogUnit::kMilliseconds);
}

TEST(LogSourceParser, AnEventMayBeCalledRead) {
  const auto parsed = ParseRules("read(fd) -> write(fd)\nread tsv time=1\n", "f");
  ASSERT_TRUE(parsed);
  EXPECT_THAT(parsed->rules, SizeIs(1));
  EXPECT_THAT(parsed->sources, SizeIs(1));
}

TEST(RuleParser, PatternsAndLateSendsAreOfLogs) {
  const auto parsed = ParseRules(
      R"re(app(id) where m ~ "^sent \"(?P<id>\d+)" and x == 1 late <= 1.5ms -> app(id))re", "f");
  ASSERT_TRUE(parsed) << parsed.error().ToString();
  const RuleSide& send = parsed->rules.front().send;
  EXPECT_EQ(send.late_ns, 1'500'000);
  ASSERT_THAT(send.conditions, SizeIs(2));
  EXPECT_EQ(send.conditions[0].comparison, RuleComparison::kFits);
  EXPECT_EQ(send.conditions[0].pattern->text(), R"(^sent "(?P<id>\d+))");
  EXPECT_THAT(send.conditions[0].pattern->names(), ElementsAre("id"));
}

struct WrongSource {
  std::string text;
  std::string error;
};
class LogSourceErrors : public testing::TestWithParam<WrongSource> {};

TEST_P(LogSourceErrors, NameTheColumnAndWhatWasExpected) {
  const auto parsed = ParseRules(GetParam().text, "f");
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().code, ErrorCode::kUsage);
  EXPECT_EQ(parsed.error().ToString(), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, LogSourceErrors,
    testing::Values(
        WrongSource{"read xml time=t",
                    "f:1:6: expected 'json', 'csv', 'tsv' or 'text' after 'read', found 'xml'"},
        WrongSource{"read json",
                    "f:1:10: expected time=FIELD, begin=FIELD or end=FIELD, but the "
                    "rule ends here"},
        WrongSource{"read json time=t took=d",
                    "f:1:24: expected the unit, as took=FIELD(ms), but the rule ends here"},
        WrongSource{"read json end=t",
                    "f:1:16: expected took=FIELD(UNIT), which begin= and end= "
                    "need, but the rule ends here"},
        WrongSource{"read json time=t(min)",
                    "f:1:18: expected 's', 'ms', 'us' or 'ns', found 'min'"},
        WrongSource{"read json time=t year=26",
                    "f:1:23: expected a year from 1970 to 2261, found '26'"},
        WrongSource{"read json time=t zone=CET", "f:1:23: expected a zone, as +01:00, found 'CET'"},
        WrongSource{"read json time=t when=x",
                    "f:1:18: expected time=, begin=, end=, took=, host=, kind=, year=, zone=, as "
                    "or in, found 'when'"},
        WrongSource{"read text x", "f:1:11: expected a regular expression in quotes, found 'x'"},
        WrongSource{"read text \"(\"", "f:1:11: is no regular expression: missing ): ("},
        WrongSource{"read text \"x\"",
                    "f:1:14: expected a group called time, or time=GROUP, "
                    "begin=GROUP or end=GROUP, but the rule ends here"},
        WrongSource{"read text \"(?P<t>x)\" time=u",
                    "f:1:27: the regular expression has no group called 'u'"},
        WrongSource{"a(k) where m ~ x -> b(k)",
                    "f:1:16: expected a regular expression in quotes, found 'x'"},
        WrongSource{"a(k) -> b(k) late <= 1ms",
                    "f:1:14: 'late' belongs to a send event; a late receive does no harm"},
        WrongSource{"a(k) late <= 0 -> b(k)", "f:1:14: expected a time above 0"}));

}  // namespace
}  // namespace syncline
