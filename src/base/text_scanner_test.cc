#include "base/text_scanner.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(TextScanner, ReadsDriftsInPartsOf10To12) {
  const struct {
    const char* text;
    int64_t ppt;
  } cases[] = {
      {"20ppm", 20 * kPptPerPpm}, {"-0.5", -kPptPerPpm / 2}, {"3ppb", kPptPerPpm * 3 / 1000}};
  for (const auto& c : cases) {
    TextScanner scan(c.text);
    EXPECT_EQ(scan.Finish(scan.DriftPpt()), c.ppt) << c.text;
  }
}

TEST(TextScanner, ReadsWhatFollowsOneAfterTheOther) {
  TextScanner scan("jump=-5ms@2s+7");
  EXPECT_EQ(scan.Word(), "jump");
  scan.Expect('=');
  EXPECT_EQ(scan.DurationNs(), -5'000'000);
  EXPECT_FALSE(scan.Accept('+'));
  EXPECT_TRUE(scan.Accept('@'));
  EXPECT_EQ(scan.DurationNs(), 2'000'000'000);
  scan.Expect('+');
  EXPECT_EQ(scan.Finish(scan.Number(7)), 7U);
}

TEST(TextScanner, KeepsTheFirstThatIsWrongAndReadsNothingMore) {
  TextScanner scan("3x4");
  EXPECT_EQ(scan.Number(2), 0U);
  EXPECT_TRUE(scan.AtEnd());
  scan.Expect('x');
  EXPECT_EQ(scan.Number(9), 0U);
  const auto result = scan.Finish(0);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message,
            "'3x4': at character 1: expected a number up to 2, found '3x4'");
}

TEST(TextScanner, SharesHaveNoUnit) {
  TextScanner share("0.001");
  EXPECT_EQ(share.Finish(share.SharePpb()), 1'000'000);
  TextScanner percent("1%");
  EXPECT_FALSE(percent.Finish(percent.SharePpb()));
}

}  // namespace
}  // namespace syncline
