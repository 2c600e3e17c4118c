#include "report/comparison.h"

#include <gmock/gmock.h>
#include <simdjson.h>

namespace syncline {
namespace {

using testing::HasSubstr;
using testing::Not;

Comparison::Clock BoundedClock(const std::string& name, int64_t best, int64_t mean, int64_t worst) {
  return {.name = name, .quality = "accurate", .reference = "a", .bound = {best, mean, worst}};
}

Comparison::Method Found(const std::string& name) {
  Comparison::Method method{.name = name, .group = name, .needs = "messages"};
  method.assumes = "clocks of constant rates";
  method.assumes_constant_rates = true;
  method.clocks = {BoundedClock("a", 0, 0, 0), BoundedClock("b", 100, 200, 400),
                   BoundedClock("c", 50, 301, 900)};
  method.clocks.push_back({.name = "d",
                           .quality = "incomplete",
                           .reference = "a",
                           .reason = "messages in one direction only"});
  method.residual_ns = 1500;
  method.estimate_s = 0.002;
  method.memory_bytes = 4096;
  return method;
}

Comparison TwoMethods() {
  Comparison comparison{.version = "0.1.0", .reference = "a"};
  comparison.clocks = 4;
  comparison.messages = {.total = 9, .inverted_before = 3};
  comparison.methods = {Found("first"), {.name = "second", .failure = "no broadcasts"}};
  return comparison;
}

TEST(Comparison, BoundsAreThoseOfBoundedClocksBesideTheReference) {
  const Summary::Bound bound = Found("first").Bound();
  EXPECT_EQ(bound.best_ns, 50);
  EXPECT_EQ(bound.mean_ns, (200 + 301 + 1) / 2);
  EXPECT_EQ(bound.worst_ns, 900);
  EXPECT_EQ(Found("first").AccurateClocks(), 2);
  EXPECT_EQ(Found("first").CorrectedClocks(), 3);
}

TEST(ComparisonText, ShowsFailuresAsRowsWithTheirReason) {
  const std::string text = ComparisonToText(TwoMethods());
  EXPECT_EQ(
      text,
      "Of 9 messages, 3 were received before sent.\n"
      "4 clocks by 2 methods, all relative to a.\n"
      "\n"
      "method  inverted  ± mean   worst  residual      time  memory  accurate       ± assumes\n"
      "first          0  251 ns  900 ns    1.5 µs  2.000 ms   4 KiB  2 of 3 clocks  constant "
      "rates\n"
      "second         –       –       –         –         –       –  –              no correction\n"
      "\n"
      "first: d: incomplete, messages in one direction only\n"
      "second: no broadcasts\n"
      "\n"
      "For clocks of constant rates: first gives the most: it leaves no message inverted, 2 of 3 "
      "clocks are accurate, with bounds, ± 251 ns on average.\n");
}

TEST(ComparisonText, HasColumnsForErrorsAndBroadcastsOnlyWhereThereAreSome) {
  Comparison comparison = TwoMethods();
  EXPECT_THAT(ComparisonToText(comparison), Not(HasSubstr("error")));
  comparison.methods[0].truth = Summary::Truth{70'000, 40'000.4, 12, 1};
  comparison.methods[0].broadcast_ns = 300;
  const std::string text = ComparisonToText(comparison);
  EXPECT_THAT(text, HasSubstr("broadcasts  largest error  RMS error  outside ±"));
  EXPECT_THAT(text, HasSubstr("300 ns        70.0 µs    40.0 µs          1"));
}

TEST(ComparisonText, CountsWhatIsTooFastWhereThereAreMinimumDelays) {
  Comparison comparison = TwoMethods();
  comparison.bounds_assume = "given minimum delays";
  EXPECT_THAT(ComparisonToText(comparison), HasSubstr("  inverted  too fast  ± mean"));
}

TEST(ComparisonText, SaysOnceWhatHoldsForAllMethods) {
  Comparison comparison = TwoMethods();
  comparison.methods[1] = Found("second");
  EXPECT_THAT(ComparisonToText(comparison),
              HasSubstr("\nall methods: d: incomplete, messages in one direction only\n"));
}

// Of methods that all assume the same.
std::optional<BestMethod> OnlyBest(const Comparison& comparison) {
  const auto shared = RankByAssumption(comparison);
  EXPECT_EQ(shared.size(), 1U);
  return shared.empty() ? std::nullopt : shared.front().best;
}

TEST(BestMethod, IsTheOneThatGuaranteesMost) {
  struct Case {
    const char* what;
    void (*worsen)(Comparison::Method&);
  };
  for (const auto& [what, worsen] :
       {Case{"weakness", [](Comparison::Method& m) { m.is_weak = true; }},
        Case{"inverted", [](Comparison::Method& m) { m.inverted = 1; }},
        Case{"too fast", [](Comparison::Method& m) { m.too_fast = 1; }},
        Case{"accurate", [](Comparison::Method& m) { m.clocks[1].quality = "approximate"; }},
        Case{"bound", [](Comparison::Method& m) { *m.clocks[1].bound.mean_ns += 2; }}}) {
    Comparison comparison = TwoMethods();
    comparison.methods[1] = Found("second");
    worsen(comparison.methods[0]);
    const auto best = OnlyBest(comparison);
    ASSERT_TRUE(best) << what;
    EXPECT_EQ(best->name, "second") << what;
    EXPECT_TRUE(best->as_good.empty()) << what;
  }
}

TEST(BestMethod, NamesAllThatAreAsGoodAndWhy) {
  Comparison comparison = TwoMethods();
  comparison.methods.push_back(Found("third"));
  comparison.methods[2].residual_ns = 1;  // says nothing about clocks
  const auto best = OnlyBest(comparison);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->name, "first");
  EXPECT_EQ(best->as_good, std::vector<std::string>{"third"});
  EXPECT_EQ(best->reason,
            "it leaves no message inverted, 2 of 3 clocks are accurate, with the "
            "narrowest bounds of all such methods, ± 251 ns on average");
}

TEST(BestMethod, IsNoneWhereNothingIsFound) {
  Comparison comparison = TwoMethods();
  comparison.methods.erase(comparison.methods.begin());
  EXPECT_TRUE(RankByAssumption(comparison).empty());
}

// The third has the narrowest bounds, and the strongest assumption.
Comparison DifferentAssumptions() {
  Comparison comparison = TwoMethods();
  comparison.methods[1] = Found("second");
  comparison.methods.push_back(Found("third"));
  comparison.methods[1].assumes = "clocks of limited rates";
  comparison.methods[1].assumes_constant_rates = false;
  comparison.methods[1].clocks[1].bound.mean_ns = 2000;
  comparison.methods[2].clocks[1].bound.mean_ns = 2;
  return comparison;
}

TEST(SharedAssumptions, AreRankedApartAndTheWeakestComesFirst) {
  const auto shared = RankByAssumption(DifferentAssumptions());
  ASSERT_EQ(shared.size(), 2U);
  EXPECT_EQ(shared[0].assumes, "clocks of limited rates");
  EXPECT_EQ(shared[0].best->name, "second");
  EXPECT_THAT(shared[0].best->reason, HasSubstr("with bounds, ± 1.2 µs on average"));
  EXPECT_EQ(shared[1].methods, (std::vector<std::string>{"first", "third"}));
  EXPECT_EQ(shared[1].best->name, "third");
  const std::string text = ComparisonToText(DifferentAssumptions());
  EXPECT_THAT(text, HasSubstr("\nFor clocks of limited rates: second gives the most: "));
  EXPECT_THAT(text, HasSubstr("\nFor clocks of constant rates: third gives the most: "));
  EXPECT_THAT(text, HasSubstr("\nFigures of different assumptions do not compare: "));
  EXPECT_THAT(ComparisonToJson(DifferentAssumptions()), HasSubstr("\"name\": \"second\",\n"));
}

TEST(SharedAssumptions, HaveNoBestWhereTheyAreContradicted) {
  Comparison comparison = DifferentAssumptions();
  for (const size_t i : {0U, 2U}) comparison.methods[i].contradiction = "no line fits";
  auto shared = RankByAssumption(comparison);
  ASSERT_EQ(shared.size(), 2U);
  EXPECT_EQ(shared[0].best->name, "second");
  EXPECT_FALSE(shared[1].best);
  std::string text = ComparisonToText(comparison);
  EXPECT_THAT(text, HasSubstr("  constant rates: contradicted\n"));
  EXPECT_THAT(text, HasSubstr("For clocks of constant rates: not compared, for no line fits; the ± "
                              "of first, third is no guarantee.\n"));
  EXPECT_THAT(text, Not(HasSubstr("can be compared")));
  comparison.methods[1].contradiction = "nothing explains the messages";
  text = ComparisonToText(comparison);
  EXPECT_THAT(text, HasSubstr("\nNo method's figures can be compared: "));
  EXPECT_THAT(ComparisonToJson(comparison), HasSubstr("\"best\": null,\n \"plots"));
}

TEST(ComparisonJson, HasNoFiguresOfAMethodThatFailed) {
  const std::string text = ComparisonToJson(TwoMethods());
  simdjson::dom::parser parser;
  const auto json = parser.parse(text);
  std::string_view failure;
  ASSERT_EQ(json.at_pointer("/methods/1/failure").get(failure), simdjson::SUCCESS);
  EXPECT_EQ(failure, "no broadcasts");
  EXPECT_NE(json.at_pointer("/methods/1/inverted").error(), simdjson::SUCCESS);
  EXPECT_TRUE(json.at_pointer("/methods/0/failure").is_null());
  EXPECT_EQ(json.at_pointer("/methods/0/bound_ns/worst").get_int64().value(), 900);
}

}  // namespace
}  // namespace syncline
