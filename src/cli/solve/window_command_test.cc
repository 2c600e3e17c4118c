// Corrections by windows, and clocks that were set, through the whole program.
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

using Windows = CommandTest;

// Messages of two clocks every 2 s both ways for 40 min; after 20 min b is set 50 ms ahead.
std::string TextWithAStep() {
  std::string text = "clock a 1000000000\nclock b 1000000000\nprocess A a\nprocess B b\n";
  const auto at_b = [](int64_t t) { return t + (t > 1'200'000'000'000 ? 50'000'000 : 0); };
  for (int64_t i = 0; i < 1200; ++i) {
    const int64_t t = i * 2'000'000'000;
    const int64_t back = t + 1'000'000'000;
    text += fmt::format("{} A send B {}\n{} B recv A {}\n", t, i, at_b(t + 100'000), i);
    text += fmt::format("{} B send A {}\n{} A recv B {}\n", at_b(back), i, back + 100'000, i);
  }
  return text;
}

TEST_F(Windows, StepIsNamedWithTimeAndSize) {
  WriteBytes(At("in.txt"), TextWithAStep());
  for (const std::string window : {"", " --window 4min"}) {
    SCOPED_TRACE(window);
    const auto s = Summary("check " + At("in.txt") + " --reference a" + window, 3);
    EXPECT_EQ(DiagnosticCount(s, "clock-stepped"), 1U);
    // The guess is tilted by the step itself, so its middles are a microsecond off.
    EXPECT_THAT(s["diagnostics"].dump(),
                testing::AnyOf(testing::HasSubstr("b: +50.00"), testing::HasSubstr("b: +49.99")));
  }
}

TEST_F(Windows, CorrectionsBendAtBordersAndSayWhatBoundsAssume) {
  WriteBytes(At("in.txt"), TextWithAStep());
  const auto s = Summary("check " + At("in.txt") + " --reference a --window 4min", 3);
  EXPECT_EQ(s["group"], "joint-piecewise");
  EXPECT_TRUE(s["rate_error_ppm"].is_number());
  EXPECT_TRUE(s["rate_limit_ppm"].is_null());
  EXPECT_GE(ByName(s["clocks"], "b")["correction"].size(), 10U);
}

}  // namespace
}  // namespace syncline
