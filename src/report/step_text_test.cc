#include "report/step_text.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kMs = 1'000'000;
constexpr int64_t kDay = 86'400 * kSecond;
// 2026-11-21 00:00:00 UTC: 20 778 days.
constexpr int64_t kMidnight = 20'778 * kDay;

Summary Of(int64_t first_ns, int64_t last_ns) {
  Summary summary;
  summary.reference = "a";
  summary.extent = {{first_ns}, {last_ns}};
  return summary;
}

constexpr int64_t kNoon = kMidnight + 12 * 3'600 * kSecond;

constexpr int64_t kAfter = kNoon + 191 * kSecond + 200 * kMs;
constexpr int64_t kBefore = kNoon + 199 * kSecond + 410 * kMs;

std::string Said(int64_t ahead_ns, std::optional<int64_t> least, std::optional<int64_t> most) {
  return StepText(Of(kNoon, kNoon + 3'600 * kSecond),
                  {"b", ahead_ns, kAfter, kBefore, 0, 0, least, most});
}

TEST(StepText, SaysWhatWasDoneAndWhen) {
  const std::string when = " between 12:03:11.20 and 12:03:19.41";
  EXPECT_EQ(Said(-2'503'000, -2'510'000, -2'490'000), "clock b was set back by 2.503 ms" + when);
  EXPECT_EQ(Said(2'503'000, 2'252'700, 2'753'300), "clock b was set ahead by 2.503 ms" + when);
}

TEST(StepText, TellsTheAmountAsWellAsItIsKnown) {
  const std::string when = " between 12:03:11.20 and 12:03:19.41";
  EXPECT_EQ(Said(2'503'000, 2'252'700, 2'753'301),
            "clock b was set ahead by 2.253 ms to 2.753 ms" + when);
  EXPECT_EQ(Said(-kSecond, -2 * kSecond, -kMs),
            "clock b was set back by 1.000 ms to 2.000000 s" + when);
  EXPECT_EQ(Said(5, -kMs, 2 * kMs),
            "clock b was set back by up to 1.000 ms or ahead by up to 2.000 ms" + when);
  EXPECT_EQ(Said(-2'503'000, {}, {}), "clock b was set back by about 2.503 ms" + when);
}

TEST(StepText, HasTheDigitsThatTellTheInstantsApart) {
  const Summary hour = Of(kNoon, kNoon + kSecond);
  EXPECT_EQ(StepText(hour, {"b", -kMs, kNoon + 1'234'567, kNoon + 1'234'999}),
            "clock b was set back by about 1.000 ms between 12:00:00.0012345 and 12:00:00.0012349");
  EXPECT_EQ(
      StepText(hour, {"b", -kMs, kNoon, kNoon}),
      "clock b was set back by about 1.000 ms between 12:00:00.000000000 and 12:00:00.000000000");
}

TEST(StepText, HasTheDateWhereTheTraceIsLongerThanADay) {
  const Summary days = Of(kNoon, kNoon + kDay + 1);
  EXPECT_EQ(
      StepText(days, {"b", -kSecond, kMidnight + kDay - kSecond, kMidnight + 100 * kDay}),
      "clock b was set back by about 1.000000 s between 2026-11-21 23:59:59.00 and 2027-03-01 "
      "00:00:00.00");
  // The 29th of February.
  EXPECT_NE(StepText(days, {"b", -kSecond, 19'782 * kDay, 19'783 * kDay})
                .find("between 2024-02-29 00:00:00.00 and 2024-03-01 00"),
            std::string::npos);
}

TEST(StepText, CountsFromTheFirstEventWhereTheReferenceIsNoTimeOfDay) {
  const Summary boot = Of(500 * kSecond, 900 * kSecond);
  EXPECT_EQ(
      StepText(boot, {"b", -kSecond, 501 * kSecond + 250 * kMs, 502 * kSecond}),
      "clock b was set back by about 1.000000 s between 1.25 s and 2.00 s after a's first event");
  EXPECT_NE(StepText(boot, {"b", -kSecond, 499 * kSecond, 502 * kSecond}).find("between −1.00 s"),
            std::string::npos);
}

TEST(StepText, HoldsAtTheEndsOfTheRange) {
  for (const int64_t first : {INT64_MIN, int64_t{0}, kNoon}) {
    const Summary any = Of(first, INT64_MAX);
    for (const int64_t t : {INT64_MIN, int64_t{-1}, INT64_MAX}) {
      EXPECT_FALSE(StepText(any, {"b", INT64_MIN, t, INT64_MAX}).empty());
    }
  }
}

TEST(StepSentences, AreALineEachUpToAMost) {
  Summary summary = Of(kNoon, kNoon + kSecond);
  EXPECT_EQ(StepSentences(summary), "");
  summary.steps.push_back({"b", -kMs, kNoon, kNoon + kSecond});
  EXPECT_EQ(StepSentences(summary),
            "Clock b was set back by about 1.000 ms between 12:00:00.00 and 12:00:01.00.\n");
  summary.steps.resize(110, summary.steps[0]);
  EXPECT_TRUE(StepSentences(summary).ends_with("\n… and 100 more\n"));
}

}  // namespace
}  // namespace syncline
