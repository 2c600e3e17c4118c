#include "base/pattern.h"

#include <gmock/gmock.h>

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> Groups(std::string_view pattern, std::string_view text) {
  const auto compiled = Pattern::Compile(pattern);
  if (!compiled) return {compiled.error().message};
  std::vector<std::string_view> groups(compiled->names().size());
  if (!compiled->Find(text, groups)) return {"no match"};
  return {groups.begin(), groups.end()};
}

TEST(Pattern, NamedGroupsComeInOrder) {
  EXPECT_THAT(Groups(R"((?P<b>\d+)(x)(?<a>\w*))", "..12xyz"), ElementsAre("12", "yz"));
  EXPECT_THAT(Groups("a|(?P<n>b)", "a"), ElementsAre(""));
  EXPECT_THAT(Groups("^b", "ab"), ElementsAre("no match"));
}

TEST(Pattern, BytesNeedNotBeUtf8) {
  using namespace std::string_literals;
  EXPECT_THAT(Groups("x(?P<n>.*)y", "x\0\xff\xc3y"s), ElementsAre("\0\xff\xc3"s));
}

TEST(Pattern, OtherParenthesesStay) {
  EXPECT_THAT(Groups(R"(\(?<(?<n>\d)>[(?<])", "<7>("), ElementsAre("7"));
}

TEST(Pattern, WhatCannotBeMatchedInLinearTimeIsRefused) {
  EXPECT_THAT(Groups("(?<=a)b", "ab"), ElementsAre(HasSubstr("is no regular expression")));
  EXPECT_THAT(Groups(R"((a)\1)", "aa"), ElementsAre(HasSubstr("is no regular expression")));
  EXPECT_THAT(Groups("(", ""), ElementsAre(HasSubstr("missing )")));
}

}  // namespace
}  // namespace syncline
