#include "match/rules/rule_value.h"

#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

RuleValue Text(std::string_view text) { return text; }

std::pair<uint64_t, uint64_t> HashOf(const RuleValue& value) {
  KeyHash hash;
  AddValue(hash, value);
  return {hash.First(), hash.Second()};
}

// Every value equals those of its row and no other, and so do the hashes.
const std::vector<std::vector<RuleValue>> kRows = {
    {std::monostate()},
    {uint64_t{0}, int64_t{0}, 0.0, -0.0, Text("0")},
    {uint64_t{7}, int64_t{7}, 7.0, Text("7")},
    {int64_t{-7}, -7.0, Text("-7")},
    {Text("07")},
    {Text("+7")},
    {Text("-0")},
    {Text("7 ")},
    {Text("")},
    {Text("-")},
    {7.5},
    {Text("7.5")},
    {uint64_t{std::numeric_limits<uint64_t>::max()}, Text("18446744073709551615")},
    {int64_t{-1}},
    {Text("18446744073709551616")},
    {0x1p64},
    {int64_t{std::numeric_limits<int64_t>::min()}, -0x1p63, Text("-9223372036854775808")},
    {std::numeric_limits<double>::infinity()},
    {Text("udp")},
    {std::string_view("udp\0", 4)},
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
  EXPECT_EQ(ShowValue(Text("udp")), "\"udp\"");
  EXPECT_EQ(ShowValue({}), "nothing");
}

}  // namespace
}  // namespace syncline
