#include "base/duration_text.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(DurationText, ReadsDurationsExactly) {
  const struct {
    const char* text;
    int64_t ns;
  } cases[] = {{"0", 0},
               {"250", 250},
               {"1.5ms", 1'500'000},
               {"250us", 250'000},
               {"250µs", 250'000},
               {"0.000001ms", 1},
               {"2min", 120'000'000'000},
               {"1h", 3'600'000'000'000},
               {"1.25s", 1'250'000'000}};
  for (const auto& c : cases) {
    const auto value = ParseDuration(c.text);
    ASSERT_TRUE(value) << c.text << ": " << value.error().message;
    EXPECT_EQ(*value, c.ns) << c.text;
  }
}

TEST(DurationText, ANumberAloneCountsWhatTheOptionSays) {
  EXPECT_EQ(ParseDuration("2.5", 1'000'000), 2'500'000);
  EXPECT_EQ(ParseDuration("2.5us", 1'000'000), 2'500);
  EXPECT_EQ(ParseSeconds("0.01"), 10'000'000);
  EXPECT_EQ(ParseSeconds("1e-3"), 1'000'000);
  EXPECT_EQ(ParseSeconds("10min"), 600'000'000'000);
}

TEST(DurationText, SaysWhichCharacterIsWrong) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"", "'': at character 1: expected a duration, found the end"},
      {"ms", "'ms': at character 1: expected a duration, found 'ms'"},
      {"5mz", "'5mz': at character 2: expected the unit ns, us, µs, ms, s, min or h, found 'mz'"},
      {"0.5ns",
       "'0.5ns': at character 1: expected a whole number of the smallest unit, found "
       "'0.5ns'"},
      {"1ms,", "'1ms,': at character 4: expected the end, found ','"},
      {"-1", "'-1': at character 1: expected a duration of 0 or more, found '-1'"},
      {"99999999999h",
       "'99999999999h': at character 1: expected a duration within ±2^61 of the "
       "smallest unit, found '99999999999h'"},
      {"123456789012345678901",
       "'123456789012345678901': at character 1: expected a number of at most 20 digits, found "
       "'123456789012345678901'"},
  };
  for (const auto& c : cases) {
    const auto value = ParseDuration(c.text);
    ASSERT_FALSE(value) << c.text;
    EXPECT_EQ(value.error().message, c.message);
    EXPECT_EQ(value.error().code, ErrorCode::kUsage);
  }
  for (const char* wrong : {"nan", "inf", "-1e-3", "1e30"}) EXPECT_FALSE(ParseSeconds(wrong));
}

}  // namespace
}  // namespace syncline
