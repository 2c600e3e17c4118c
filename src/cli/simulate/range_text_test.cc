#include "cli/simulate/range_text.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(RangeText, ReadsRanges) {
  EXPECT_EQ(*ParseDurationRange("200us:400us"), (Range{200'000, 400'000}));
  EXPECT_EQ(*ParseDurationRange("1ms"), (Range{1'000'000, 1'000'000}));
  EXPECT_EQ(*ParseCountRange("0:8192"), (Range{0, 8192}));
}

TEST(RangeText, RefusesRangesThatEndBeforeTheyBegin) {
  EXPECT_EQ(ParseDurationRange("2ms:1ms").error().message,
            "'2ms:1ms': at character 5: expected an upper limit not below the lower one, found "
            "'1ms'");
  EXPECT_FALSE(ParseDurationRange("-1ms:1ms"));
  EXPECT_FALSE(ParseCountRange("2:1"));
  EXPECT_FALSE(ParseCountRange("18446744073709551616"));
}

TEST(RangeText, ReadsShares) {
  EXPECT_EQ(*ParseShare("0"), 0);
  EXPECT_EQ(*ParseShare("0.001"), 1'000'000);
  EXPECT_EQ(*ParseShare("1"), 1'000'000'000);
  for (const char* wrong : {"1.1", "-0.1", "1%", "", "0.0000000001"}) {
    EXPECT_FALSE(ParseShare(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace syncline
