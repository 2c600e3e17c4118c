#include "match/rules/rule_binding.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

std::vector<Rule> Parse(const std::string& text) {
  auto rules = ParseRules(text, "t");
  EXPECT_TRUE(rules.has_value());
  return rules ? rules->rules : std::vector<Rule>();
}

RuleBinding Bind(const std::vector<Rule>& rules, std::string_view event,
                 std::vector<std::string_view> fields, Diagnostics& diagnostics) {
  return BindRules(
      rules, event,
      [&](std::string_view field) {
        return std::find(fields.begin(), fields.end(), field) != fields.end();
      },
      diagnostics);
}

TEST(BindRules, IsEmptyForEventsThatNoRuleNames) {
  const auto rules = Parse("s(k) -> r(k)");
  Diagnostics diagnostics;
  EXPECT_TRUE(Bind(rules, "other", {"k"}, diagnostics).empty());
  EXPECT_TRUE(diagnostics.all().empty());
}

TEST(BindRules, AsksForEachFieldOnce) {
  const auto rules = Parse(
      "s(k, l) size n where l == 1 -> r(k, l)\n"
      "s(l, m) to k => t(l, m)");
  Diagnostics diagnostics;
  const RuleBinding binding = Bind(rules, "s", {"k", "l", "m", "n"}, diagnostics);
  EXPECT_THAT(binding.fields(), ElementsAre("k", "l", "n", "m"));
  ASSERT_THAT(binding.sides(), SizeIs(2));
  EXPECT_THAT(binding.sides()[0].keys, ElementsAre(0, 1));
  EXPECT_EQ(binding.sides()[0].size, 2);
  EXPECT_EQ(binding.sides()[1].rule, 1);
  EXPECT_THAT(binding.sides()[1].keys, ElementsAre(1, 3));
  EXPECT_EQ(binding.sides()[1].peer, 0);
}

TEST(BindRules, AnEventMayBeBothSides) {
  const auto rules = Parse("m(k) where out == 1 -> m(k) where out == 0");
  Diagnostics diagnostics;
  const RuleBinding binding = Bind(rules, "m", {"k", "out"}, diagnostics);
  ASSERT_THAT(binding.sides(), SizeIs(2));
  const std::vector<RuleValue> values = {uint64_t{5}, uint64_t{1}};
  EXPECT_TRUE(RuleBinding::Fulfils(binding.sides()[0], values));
  EXPECT_FALSE(RuleBinding::Fulfils(binding.sides()[1], values));
}

TEST(BindRules, AnAbsentFieldIsUnequalToEverything) {
  const auto rules = Parse("s(k) where a != 1 -> r(k) where a == 1");
  Diagnostics diagnostics;
  const std::vector<RuleValue> values = {uint64_t{5}, {}};
  EXPECT_TRUE(RuleBinding::Fulfils(Bind(rules, "s", {"k", "a"}, diagnostics).sides()[0], values));
  EXPECT_FALSE(RuleBinding::Fulfils(Bind(rules, "r", {"k", "a"}, diagnostics).sides()[0], values));
}

TEST(BindRules, CountsMissingFields) {
  const auto rules = Parse("s(k, idd) -> r(k, id)");
  Diagnostics diagnostics;
  const RuleBinding binding = Bind(rules, "s", {"k", "id"}, diagnostics);
  EXPECT_TRUE(binding.empty());
  ASSERT_THAT(binding.missing(), SizeIs(1));
  EXPECT_EQ(binding.missing()[0].text, "s has no field 'idd'");
  const Diagnostic& found = diagnostics.all().at("rule-field-missing");
  EXPECT_EQ(found.severity, Severity::kWarning);
  EXPECT_EQ(found.count, 1);
  EXPECT_EQ(found.example, "t:1: s has no field 'idd'");
}

TEST(BindRules, ExpectsNoFieldsOfEventsThatAPatternHappensToName) {
  const auto rules = Parse("*(k) -> r(k)");
  Diagnostics diagnostics;
  EXPECT_TRUE(Bind(rules, "other", {}, diagnostics).empty());
  EXPECT_EQ(diagnostics.all().at("rule-field-missing").severity, Severity::kInfo);
}

TEST(RuleBinding, GivesTheSizeOfTheSideThatTheEventIs) {
  const auto rules = Parse("m(k) size a where out == 1 -> m(k) size b where out == 0");
  Diagnostics diagnostics;
  const RuleBinding binding = Bind(rules, "m", {"k", "a", "b", "out"}, diagnostics);
  ASSERT_THAT(binding.fields(), ElementsAre("k", "a", "out", "b"));
  const auto size = [&](RuleValue a, RuleValue out, RuleValue b) {
    return binding.Size(std::vector<RuleValue>{uint64_t{5}, a, out, b});
  };
  EXPECT_EQ(size(uint64_t{100}, int64_t{1}, uint64_t{200}), 100);
  EXPECT_EQ(size(uint64_t{100}, int64_t{0}, int64_t{200}), 200);
  EXPECT_EQ(size(int64_t{-1}, int64_t{1}, uint64_t{200}), 0);
  EXPECT_EQ(size(std::string_view("text"), int64_t{1}, uint64_t{200}), 0);
}

}  // namespace
}  // namespace syncline
