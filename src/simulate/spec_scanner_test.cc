#include "simulate/spec_scanner.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(SpecScanner, ReadsDurationsExactly) {
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

TEST(SpecScanner, ReadsDriftsInPartsOf10To12) {
  EXPECT_EQ(*ParseDrift("20ppm"), 20 * kPptPerPpm);
  EXPECT_EQ(*ParseDrift("-0.5"), -kPptPerPpm / 2);
  EXPECT_EQ(*ParseDrift("3ppb"), 3 * kPptPerPpm / 1000);
}

TEST(SpecScanner, ReadsRanges) {
  EXPECT_EQ(*ParseDurationRange("200us:400us"), (Range{200'000, 400'000}));
  EXPECT_EQ(*ParseDurationRange("1ms"), (Range{1'000'000, 1'000'000}));
  EXPECT_EQ(*ParseCountRange("0:8192"), (Range{0, 8192}));
}

TEST(SpecScanner, SaysWhichCharacterIsWrong) {
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
}

TEST(SpecScanner, RefusesRangesThatEndBeforeTheyBegin) {
  EXPECT_EQ(ParseDurationRange("2ms:1ms").error().message,
            "'2ms:1ms': at character 5: expected an upper limit not below the lower one, found "
            "'1ms'");
  EXPECT_FALSE(ParseCountRange("2:1"));
  EXPECT_FALSE(ParseCountRange("18446744073709551616"));
}

TEST(SpecScanner, ReadsShares) {
  EXPECT_EQ(*ParseShare("0"), 0);
  EXPECT_EQ(*ParseShare("0.001"), 1'000'000);
  EXPECT_EQ(*ParseShare("1"), 1'000'000'000);
  for (const char* wrong : {"1.1", "-0.1", "1%", "", "0.0000000001"}) {
    EXPECT_FALSE(ParseShare(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace syncline
