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

TEST(RuleValue, ANumberOfJsonIsTheSameHoweverItIsWritten) {
  const std::pair<std::string_view, RuleValue> kNumbers[] = {
      {"7", uint64_t{7}},
      {"7.0", uint64_t{7}},
      {"70.0e-1", uint64_t{7}},
      {"0.7E+1", uint64_t{7}},
      {"-7.00", int64_t{-7}},
      {"-0.0", uint64_t{0}},
      {"0e99999", uint64_t{0}},
      {"1e19", uint64_t{10'000'000'000'000'000'000U}},
      {"9007199254740993.0", uint64_t{9'007'199'254'740'993}},
      {"7.5", Text("7.5")},
      {"1e20", Text("1e20")},
      {"-1e19", Text("-1e19")},
      {"7e-1", Text("7e-1")},
      {"1e99999999999", Text("1e99999999999")},
      {"true", Text("true")},
      {"false", Text("false")},
  };
  for (const auto& [text, value] : kNumbers) {
    EXPECT_TRUE(AreEqual(ValueOfJsonNumber(text), value)) << text;
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
