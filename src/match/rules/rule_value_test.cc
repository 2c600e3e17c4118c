#include "match/rules/rule_value.h"

#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

using std::string_view_literals::operator""sv;

std::pair<uint64_t, uint64_t> HashOf(const RuleValue& value) {
  KeyHash hash;
  AddValue(hash, value);
  return {hash.First(), hash.Second()};
}

// Every value equals those of its row and no other, and so do the hashes.
const std::vector<std::vector<RuleValue>> kRows = {
    {std::monostate()},
    {uint64_t{0}, int64_t{0}, 0.0, -0.0, "0"sv},
    {uint64_t{7}, int64_t{7}, 7.0, "7"sv},
    {int64_t{-7}, -7.0, "-7"sv},
    {"07"sv},
    {"+7"sv},
    {"-0"sv},
    {"7 "sv},
    {""sv},
    {"-"sv},
    {7.5},
    {"7.5"sv},
    {uint64_t{std::numeric_limits<uint64_t>::max()}, "18446744073709551615"sv},
    {int64_t{-1}},
    {"18446744073709551616"sv},
    {0x1p64},
    {int64_t{std::numeric_limits<int64_t>::min()}, -0x1p63, "-9223372036854775808"sv},
    {std::numeric_limits<double>::infinity()},
    {"udp"sv},
    {"udp\0"sv},
};

TEST(RuleValue, EqualNumbersAreEqualHoweverTheyAreStored) {
  for (size_t i = 0; i < kRows.size(); ++i) {
    for (size_t j = 0; j < kRows.size(); ++j) {
      for (const RuleValue& x : kRows[i]) {
        for (const RuleValue& y : kRows[j]) {
          EXPECT_EQ(AreEqual(x, y), i == j) << ShowValue(x) << " and " << ShowValue(y);
          EXPECT_EQ(HashOf(x) == HashOf(y), i == j) << ShowValue(x) << " and " << ShowValue(y);
        }
      }
    }
  }
}

TEST(RuleValue, IsShownAsPeopleWriteIt) {
  EXPECT_EQ(ShowValue(uint64_t{7}), "7");
  EXPECT_EQ(ShowValue(int64_t{-7}), "-7");
  EXPECT_EQ(ShowValue(2.5), "2.5");
  EXPECT_EQ(ShowValue("udp"sv), "\"udp\"");
  EXPECT_EQ(ShowValue({}), "nothing");
}

}  // namespace
}  // namespace syncline
