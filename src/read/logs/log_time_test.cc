#include "read/logs/log_time.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kNov23 = 1'795'476'000 * kSecond;  // 2026-11-23T23:20:00Z

LogSource Of2026() {
  LogSource source;
  source.year = 2026;
  return source;
}

struct Notation {
  std::string text;
  int64_t ns;
  std::string later;  // by an hour and 1 ns
};
class LogTimes : public testing::TestWithParam<Notation> {};

TEST_P(LogTimes, AreReadAndWrittenInTheirOwnNotation) {
  const Notation& n = GetParam();
  const LogTime time = ParseLogTime(n.text, Of2026(), std::nullopt);
  ASSERT_EQ(time.defect, LogTimeDefect::kNone);
  EXPECT_EQ(time.ns, n.ns);
  const int decimals = time.decimals();
  std::string same, later;
  AppendLogTime(time, n.text, time.ns, decimals, decimals, same);
  EXPECT_EQ(same, n.text);
  AppendLogTime(time, n.text, time.ns + 3600 * kSecond + 1, decimals, decimals, later);
  EXPECT_EQ(later, n.later);
}

INSTANTIATE_TEST_SUITE_P(
    Notations, LogTimes,
    testing::Values(
        Notation{"2026-11-23T23:20:00Z", kNov23, "2026-11-24T00:20:00Z"},
        Notation{"2026-11-23t23:20:00.5z", kNov23 + kSecond / 2, "2026-11-24t00:20:00.5z"},
        Notation{"2026-11-23T23:20:00.123456789+01:00", kNov23 - 3600 * kSecond + 123'456'789,
                 "2026-11-24T00:20:00.123456790+01:00"},
        Notation{"2026-11-23 23:20:00,123", kNov23 + 123'000'000, "2026-11-24 00:20:00,123"},
        Notation{"2026/11/23 23:20:00", kNov23, "2026/11/24 00:20:00"},
        Notation{"2026-11-23 23:20:00.25 -0530", kNov23 + (5 * 3600 + 1800) * kSecond + kSecond / 4,
                 "2026-11-24 00:20:00.25 -0530"},
        Notation{"2026-11-23T23:20:00-05", kNov23 + 5 * 3600 * kSecond, "2026-11-24T00:20:00-05"},
        Notation{"2028-02-28T23:30:00Z", (1'835'393'400) * kSecond, "2028-02-29T00:30:00Z"},
        Notation{"23/Nov/2026:23:20:00 +0100", kNov23 - 3600 * kSecond,
                 "24/Nov/2026:00:20:00 +0100"},
        Notation{"23/Nov/2026:23:20:00.014", kNov23 + 14'000'000, "24/Nov/2026:00:20:00.014"},
        Notation{"Nov 23 23:20:00", kNov23, "Nov 24 00:20:00"},
        Notation{"Nov  3 23:20:00", kNov23 - 20 * 86'400 * kSecond, "Nov  4 00:20:00"},
        Notation{"Nov 03 23:20:00", kNov23 - 20 * 86'400 * kSecond, "Nov 04 00:20:00"},
        Notation{"Dec 31 23:20:00.5", kNov23 + 38 * 86'400 * kSecond + kSecond / 2,
                 "Jan  1 00:20:00.5"},
        Notation{"Mon Nov 23 23:20:00.000001 2026", kNov23 + 1000,
                 "Tue Nov 24 00:20:00.000001 2026"},
        Notation{"2026-11-23T23:19:60Z", kNov23, "2026-11-24T00:20:00Z"},
        Notation{"Fri Nov 23 23:20:00 2026", kNov23, "Tue Nov 24 00:20:00 2026"},
        Notation{"1795476000", kNov23, "1795479600"},
        Notation{"01795476000.5", kNov23 + kSecond / 2, "01795479600.5"},
        Notation{"1795476000.123456", kNov23 + 123'456'000, "1795479600.123456"},
        Notation{"1795476000123", kNov23 + 123'000'000, "1795479600123"},
        Notation{"1795476000123456", kNov23 + 123'456'000, "1795479600123456"},
        Notation{"1795476000123456789", kNov23 + 123'456'789, "1795479600123456790"},
        Notation{"1795476000123.25", kNov23 + 123'250'000, "1795479600123.25"}));

TEST(LogTime, WhatIsNoTimeIsSaidToBeNone) {
  for (const char* text : {"",
                           "-",
                           "x",
                           "-5",
                           "12.",
                           "1e9",
                           "1795476000x",
                           "1795476000.1234567890",
                           "2026-11-23",
                           "2026-11-23T24:00:00Z",
                           "2026-13-01T00:00:00Z",
                           "2026-02-29T00:00:00Z",
                           "2026-11-23T23:20:00Zx",
                           "2026-11-23T23:20:00+1:00",
                           "2026-11-23T23:20:00.1234567890Z",
                           "23/Nov/2026 23:20:00",
                           "Nov 23",
                           "Foo 23 23:20:00",
                           "2026-11/23 23:20:00",
                           "2026-11-23T23:20",
                           "Nov 23 23:20:00 26"}) {
    EXPECT_EQ(ParseLogTime(text, Of2026(), std::nullopt).defect, LogTimeDefect::kNotATime) << text;
  }
}

TEST(LogTime, TimesOutsideTheRangeAreNotRead) {
  for (const char* text : {"1969-12-31T23:59:59Z", "1970-01-01T00:59:59+01:00",
                           "2262-01-01T00:00:00Z", "99999999999999999999", "9999999999999999999",
                           "000000000001795476000", "0001-01-01T00:00:00Z"}) {
    EXPECT_EQ(ParseLogTime(text, LogSource{}, std::nullopt).defect, LogTimeDefect::kOutOfRange)
        << text;
  }
  EXPECT_EQ(ParseLogTime("1970-01-01T00:00:00Z", LogSource{}, std::nullopt).ns, 0);
}

TEST(LogTime, AStatedUnitCountsMoreThanTheMagnitude) {
  LogSource source;
  source.time_unit = LogUnit::kMilliseconds;
  EXPECT_EQ(ParseLogTime("1795476000", source, std::nullopt).ns,
            int64_t{1'795'476'000} * 1'000'000);
}

TEST(LogTime, AZoneIsThatOfTheSourceWhereTheTimeSaysNone) {
  LogSource source;
  source.zone_s = 3600;
  EXPECT_EQ(ParseLogTime("2026-11-24 00:20:00", source, std::nullopt).ns, kNov23);
  EXPECT_EQ(ParseLogTime("2026-11-23 23:20:00Z", source, std::nullopt).ns, kNov23);
}

TEST(LogTime, TheYearThatIsMissingIsTheOneNearest) {
  EXPECT_EQ(ParseLogTime("Nov 23 23:20:00", LogSource{}, std::nullopt).defect,
            LogTimeDefect::kYearMissing);
  const int64_t last_of_2026 = kNov23 + 38 * 86'400 * kSecond;
  const LogTime next = ParseLogTime("Jan  1 00:20:00", Of2026(), last_of_2026);
  EXPECT_EQ(next.ns, last_of_2026 + 3600 * kSecond);
  EXPECT_EQ(ParseLogTime("Dec 31 23:20:00", Of2026(), next.ns).ns, last_of_2026);
}

TEST(LogTime, ZerosAtTheEndAreLeftOutWhereTheFileDoes) {
  const std::string text = "2026-11-23T23:20:00.25Z";
  const LogTime time = ParseLogTime(text, LogSource{}, std::nullopt);
  const auto written = [&](int64_t ns, int least) {
    std::string out;
    AppendLogTime(time, text, kNov23 + ns, 9, least, out);
    return out;
  };
  EXPECT_EQ(written(100, 0), "2026-11-23T23:20:00.0000001Z");
  EXPECT_EQ(written(0, 0), "2026-11-23T23:20:00Z");
  EXPECT_EQ(written(0, 1), "2026-11-23T23:20:00.0Z");
}

TEST(LogDuration, IsExact) {
  const auto took = ParseLogDuration("0.012", LogUnit::kSeconds);
  ASSERT_TRUE(took);
  EXPECT_EQ(took->ns, 12'000'000);
  EXPECT_EQ(took->tick_ns, 1'000'000);
  EXPECT_EQ(ParseLogDuration("7", LogUnit::kMicroseconds)->ns, 7000);
  for (const char* text : {"", "-1", "+1", "x", "1.", "1.0000", "99999999999999999999"}) {
    EXPECT_FALSE(ParseLogDuration(text, LogUnit::kMicroseconds)) << text;
  }
}

}  // namespace
}  // namespace syncline
