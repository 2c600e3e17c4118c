#include "read/chrome/decimal_time.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

struct ParseCase {
  const char* text;
  int64_t ns;
  int decimals;
  bool is_finer = false;
};

TEST(DecimalTime, MicrosecondsBecomeWholeNanosecondsDigitByDigit) {
  constexpr ParseCase kCases[] = {
      {"0", 0, 0},
      {"12", 12'000, 0},
      {"007.50", 7'500, 2},
      {"12345678901234.567", 12'345'678'901'234'567, 3},
      {"123456789012345.6780", 123'456'789'012'345'678, 3},
      {"1694128204432419.184", 1'694'128'204'432'419'184, 3},
      {"1694128204432419.18", 1'694'128'204'432'419'180, 2},
      {"-0.5", -500, 1},
      {"1.2345", 1'234, 3, true},
      {"-1.2345", -1'235, 3, true},  // down
      {"1.2340000", 1'234, 3},
      {"1.5e3", 1'500'000, 0},
      {"15E-1", 1'500, 3},
      {"1e-3", 1, 3},
      {"0e99999", 0, 0},
      {"0.00000000000000000000000000000000000000000000001", 0, 3, true},
  };
  for (const ParseCase& c : kCases) {
    const auto parsed = ParseMicroseconds(c.text);
    ASSERT_TRUE(parsed) << c.text;
    EXPECT_EQ(parsed->ns, c.ns) << c.text;
    EXPECT_EQ(parsed->decimals, c.decimals) << c.text;
    EXPECT_EQ(parsed->is_finer, c.is_finer) << c.text;
  }
}

TEST(DecimalTime, WhatIsNoNumberOrTooLargeIsNone) {
  for (const char* text : {"", "-", ".", "1.", ".5", "1.2.3", "1..2", "1.2.", "1e", "e5", "1e99",
                           "--1", "+1", "12a", "null", "NaN", "2305843009213694",
                           "99999999999999999999999999999999999999999999", "1e99999999999"}) {
    EXPECT_FALSE(ParseMicroseconds(text)) << text;
  }
}

TEST(DecimalTime, TimesAreWrittenWithTheDecimalsAskedFor) {
  const auto written = [](int64_t ns, int decimals) {
    std::string text;
    AppendMicroseconds(ns, decimals, text);
    return text;
  };
  EXPECT_EQ(written(1'694'128'204'432'419'184, 3), "1694128204432419.184");
  EXPECT_EQ(written(5'000, 3), "5.000");
  EXPECT_EQ(written(5'000, 0), "5");
  EXPECT_EQ(written(5'120, 2), "5.12");
  EXPECT_EQ(written(-1, 3), "-0.001");
  EXPECT_EQ(written(-1'500, 1), "-1.5");
}

}  // namespace
}  // namespace syncline
