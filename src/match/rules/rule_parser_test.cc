#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/glob.h"
#include "match/rules/rule.h"

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Rule One(const std::string& text) {
  auto rules = ParseRules(text, "test.rules");
  EXPECT_TRUE(rules.has_value()) << (rules ? "" : rules.error().ToString());
  if (!rules || rules->rules.size() != 1) return {};
  return rules->rules.front();
}

TEST(RuleParser, TakesEventNamesAndKeysInOrder) {
  const Rule rule = One("msg:send(id, src, dst, proto) -> msg:recv(id, src, dst, proto)");
  EXPECT_EQ(rule.kind, RuleKind::kMessage);
  EXPECT_EQ(rule.send.event, "msg:send");
  EXPECT_THAT(rule.send.keys, ElementsAre("id", "src", "dst", "proto"));
  EXPECT_EQ(rule.receive.event, "msg:recv");
  EXPECT_THAT(rule.receive.keys, ElementsAre("id", "src", "dst", "proto"));
  EXPECT_EQ(rule.text, "msg:send(id, src, dst, proto) -> msg:recv(id, src, dst, proto)");
  EXPECT_EQ(rule.place, "test.rules:1");
}

TEST(RuleParser, NeedsNoBlanks) {
  const Rule rule = One("a:b-c(x)->d(y)");
  EXPECT_EQ(rule.send.event, "a:b-c");
  EXPECT_EQ(rule.receive.event, "d");
  EXPECT_THAT(rule.receive.keys, ElementsAre("y"));
}

TEST(RuleParser, ArrowTellsTheKind) {
  EXPECT_EQ(One("s(k) -> r(k)").kind, RuleKind::kMessage);
  EXPECT_EQ(One("s(k) => r(k)").kind, RuleKind::kBroadcast);
  EXPECT_EQ(One("s(k) <-> r(k)").kind, RuleKind::kExchange);
}

TEST(RuleParser, FieldsOfOtherNamesPairByPlace) {
  const Rule rule = One("s(seq, to_host) -> r(number, host)");
  EXPECT_THAT(rule.send.keys, ElementsAre("seq", "to_host"));
  EXPECT_THAT(rule.receive.keys, ElementsAre("number", "host"));
}

TEST(RuleParser, LabelledFieldsPairByLabelWhereverTheyStand) {
  const Rule by_field = One("s(id=seq, src) -> r(host, id)");
  EXPECT_THAT(by_field.send.keys, ElementsAre("seq", "src"));
  EXPECT_THAT(by_field.receive.keys, ElementsAre("id", "host"));
  const Rule by_label = One("s(src, k=seq) -> r(k=number, host)");
  EXPECT_THAT(by_label.send.keys, ElementsAre("seq", "src"));
  EXPECT_THAT(by_label.receive.keys, ElementsAre("number", "host"));
}

TEST(RuleParser, ClausesComeInAnyOrder) {
  const Rule rule =
      One("s(id) size len to peer where dir == \"out\" and kind != -3 -> "
          "r(id) where ok == 0x1F from peer");
  EXPECT_EQ(rule.send.size, "len");
  EXPECT_EQ(rule.send.peer, "peer");
  ASSERT_THAT(rule.send.conditions, SizeIs(2));
  EXPECT_EQ(rule.send.conditions[0].field, "dir");
  EXPECT_EQ(rule.send.conditions[0].comparison, RuleComparison::kEqual);
  EXPECT_EQ(rule.send.conditions[0].value, OwnedRuleValue("out"));
  EXPECT_EQ(rule.send.conditions[1].comparison, RuleComparison::kNotEqual);
  EXPECT_EQ(rule.send.conditions[1].value, OwnedRuleValue(int64_t{-3}));
  EXPECT_EQ(rule.receive.peer, "peer");
  EXPECT_EQ(rule.receive.size, std::nullopt);
  ASSERT_THAT(rule.receive.conditions, SizeIs(1));
  EXPECT_EQ(rule.receive.conditions[0].value, OwnedRuleValue(uint64_t{31}));
}

TEST(RuleParser, QuotedNamesMayHoldAnything) {
  const Rule rule = One(R"("my event, \"sent\""("a field") -> r(x))");
  EXPECT_EQ(rule.send.event, "my event, \"sent\"");
  EXPECT_THAT(rule.send.keys, ElementsAre("a field"));
}

TEST(RuleParser, CommentsAndBlankLinesAreSkipped) {
  const auto rules = ParseRules(
      "# all of it\n"
      "\n"
      "  s(k) -> r(k)   # the first\r\n"
      "\t\n"
      "t(k) => u(k)",
      "x");
  ASSERT_TRUE(rules.has_value());
  ASSERT_THAT(rules->rules, SizeIs(2));
  EXPECT_EQ(rules->rules[0].text, "s(k) -> r(k)");
  EXPECT_EQ(rules->rules[0].place, "x:3");
  EXPECT_EQ(rules->rules[1].place, "x:5");
}

TEST(RuleParser, AFileWithoutRulesIsEmpty) {
  const auto rules = ParseRules("# nothing\n", "x");
  ASSERT_TRUE(rules.has_value());
  EXPECT_THAT(rules->rules, IsEmpty());
}

struct Wrong {
  std::string text;
  std::string error;
};
class RuleErrors : public testing::TestWithParam<Wrong> {};

TEST_P(RuleErrors, NameTheColumnAndWhatWasExpected) {
  const auto rules = ParseRules(GetParam().text, "f");
  ASSERT_FALSE(rules.has_value());
  EXPECT_EQ(rules.error().code, ErrorCode::kUsage);
  EXPECT_EQ(rules.error().ToString(), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, RuleErrors,
    testing::Values(
        Wrong{"msg:send", "f:1:9: expected '(' and the fields of the key, but the rule ends here"},
        Wrong{"\n -> r(k)", "f:2:2: expected the name of a send event, found '->'"},
        Wrong{"s() -> r(k)", "f:1:3: expected a field, found ')'"},
        Wrong{"s(\"\") -> r(k)", "f:1:3: expected a field, found ''"},
        Wrong{"s(k,) -> r(k)", "f:1:5: expected a field, found ')'"},
        Wrong{"s(k l) -> r(k)", "f:1:5: expected ',' or ')' after a field, found 'l'"},
        Wrong{"s(k=) -> r(k)", "f:1:5: expected a field after '=', found ')'"},
        Wrong{"s(k) r(k)", "f:1:6: expected an arrow, 'size', 'to' or 'where', found 'r'"},
        Wrong{"s(k) = r(k)",
              "f:1:6: expected '->', '=>' (many receives) or '<->' (request and reply), found '='"},
        Wrong{"s(k)",
              "f:1:5: expected '->', '=>' (many receives) or '<->' (request and reply), "
              "but the rule ends here"},
        Wrong{"s(k) ->", "f:1:8: expected the name of a receive event, but the rule ends here"},
        Wrong{"s(k) -> r(k) r",
              "f:1:14: expected the end of the rule, 'size', 'from' or 'where', found 'r'"},
        Wrong{"s(k) -> r(k) -> t(k)", "f:1:14: expected the end of the rule, found '->'"},
        Wrong{"s(k) -> r(k, l)",
              "f:1:4: expected as many fields on both sides: 1 in the send "
              "event, 2 in the receive event"},
        Wrong{"s(id=k) -> r(k)", "f:1:3: the receive event has no key called 'id'"},
        Wrong{"s(k) -> r(id=k)", "f:1:11: the send event has no key called 'id'"},
        Wrong{"s(k) from x -> r(k)",
              "f:1:6: 'from' belongs to a receive event; a send event has 'to'"},
        Wrong{"s(k) -> r(k) to x",
              "f:1:14: 'to' belongs to a send event; a receive event has 'from'"},
        Wrong{"s(k) size a size b -> r(k)", "f:1:13: a second 'size'"},
        Wrong{"s(k) size -> r(k)", "f:1:11: expected a field after 'size', found '->'"},
        Wrong{"s(k) where a = 1 -> r(k)", "f:1:14: expected '==', '!=' or '~', found '='"},
        Wrong{"s(k) where a == out -> r(k)",
              "f:1:17: expected a number or a text in quotes, found 'out'"},
        Wrong{"s(k) where a == 99999999999999999999 -> r(k)",
              "f:1:17: expected a number or a text in quotes, found '99999999999999999999'"},
        Wrong{"s(k) where a == 1 where b == 2 -> r(k)",
              "f:1:19: a second 'where'; further conditions follow 'and'"},
        Wrong{"s(\"k) -> r(k)", "f:1:3: missing '\"' at the end of a text"},
        Wrong{"s(k) -> r(k;)", "f:1:12: unexpected ';'"},
        Wrong{std::string("s(k) \x01 r(k)"), "f:1:6: unexpected control character"}));

TEST(RuleParser, TooManyRulesAreAnError) {
  std::string text;
  for (size_t i = 0; i <= kMaxRules; ++i) text += fmt::format("s{0}(k) -> r{0}(k)\n", i);
  const auto rules = ParseRules(text, "f");
  ASSERT_FALSE(rules.has_value());
  EXPECT_EQ(rules.error().ToString(), "f: more than 1000 rules");
}

TEST(GatherRules, TakesTextsThenFiles) {
  const std::string file = testing::TempDir() + "gather.rules";
  FILE* const out = fopen(file.c_str(), "w");
  fputs("c(k) -> d(k)\n", out);
  fclose(out);
  const auto rules = GatherRules({"a(k) -> b(k)"}, {file});
  ASSERT_TRUE(rules.has_value());
  ASSERT_THAT(rules->rules, SizeIs(2));
  EXPECT_EQ(rules->rules[0].place, "--match:1");
  EXPECT_EQ(rules->rules[1].place, file + ":1");
}

TEST(GatherRules, RefusesATextWithoutRule) {
  const auto rules = GatherRules({"# nothing"}, {});
  ASSERT_FALSE(rules.has_value());
  EXPECT_EQ(rules.error().ToString(),
            "--match: no rule; expected SEND_EVENT(KEYS) -> RECV_EVENT(KEYS)");
}

TEST(GatherRules, NamesAFileThatIsNotThere) {
  const auto rules = GatherRules({}, {"/nowhere/x.rules"});
  ASSERT_FALSE(rules.has_value());
  EXPECT_EQ(rules.error().code, ErrorCode::kUnreadable);
  EXPECT_THAT(rules.error().ToString(), HasSubstr("/nowhere/x.rules"));
}

TEST(MatchesGlob, StarStandsForAnyRun) {
  EXPECT_TRUE(MatchesGlob("msg:send", "msg:send"));
  EXPECT_FALSE(MatchesGlob("msg:send", "msg:sends"));
  EXPECT_TRUE(MatchesGlob("*:send", "msg:send"));
  EXPECT_TRUE(MatchesGlob("ros2:*publish", "ros2:rmw_publish"));
  EXPECT_TRUE(MatchesGlob("a*b*c", "abXbc"));
  EXPECT_FALSE(MatchesGlob("a*b*c", "abXb"));
  EXPECT_TRUE(MatchesGlob("*", ""));
  EXPECT_FALSE(MatchesGlob("", "x"));
}

}  // namespace
}  // namespace syncline
