#include "pipeline/compare/assumptions.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

Summary OfConstantRates() {
  Summary summary;
  summary.max_drift_ppm = 200;
  summary.clocks.resize(2);
  summary.clocks[0].name = "a";
  summary.clocks[1].name = "b";
  return summary;
}

Summary OfLimitedRates() {
  Summary summary = OfConstantRates();
  summary.clocks[1].rate_limit_ppm = 200;
  return summary;
}

TEST(Assumptions, AreWhatBoundsRestOn) {
  const auto straight = WithAssumption({}, OfConstantRates());
  EXPECT_EQ(straight.assumes, "clocks of constant rates within 200 ppm of each other");
  EXPECT_TRUE(straight.assumes_constant_rates);
  Summary summary = OfLimitedRates();
  summary.steps.resize(2);
  summary.suspects.resize(1);
  const auto limited = WithAssumption({}, summary);
  EXPECT_EQ(limited.assumes,
            "clocks whose rates stay within 200 ppm of the reference between 2 steps, if 1 message "
            "is wrong");
  EXPECT_FALSE(limited.assumes_constant_rates);
  EXPECT_EQ(limited.contradiction, "");
}

TEST(Assumptions, AreContradictedWhereTheMethodSaysSo) {
  Summary summary = OfLimitedRates();
  summary.diagnostics.Count("messages-contradict", Severity::kError, 1, "a: nothing explains them");
  EXPECT_EQ(WithAssumption({}, summary).contradiction, "a: nothing explains them");
}

TEST(AgainstConstantRates, IsAnyFindingThatTheyDoNotExplain) {
  EXPECT_EQ(AgainstConstantRates(OfConstantRates()), "");
  EXPECT_EQ(AgainstConstantRates(OfLimitedRates()), "");
  Summary summary = OfLimitedRates();
  summary.suspects.resize(2);
  EXPECT_EQ(AgainstConstantRates(summary),
            "no constant rates within 200 ppm fit all messages, unless 2 messages are wrong");
  summary.diagnostics.Count("rate-limit-raised", Severity::kWarning, 1, "b");
  EXPECT_EQ(AgainstConstantRates(summary), "no constant rates within 200 ppm fit all messages");
  summary.diagnostics.Count("clock-stepped", Severity::kInfo, 1, "clock b was set back");
  EXPECT_EQ(AgainstConstantRates(summary), "clock b was set back");
  summary.pairs.push_back({.a = "a", .b = "b", .quality = "approximate"});
  EXPECT_EQ(AgainstConstantRates(summary),
            "no constant rate within 200 ppm fits all messages between a and b");
}

// One method sees what all others that assume the same have overlooked; one that leaves messages
// out may be right.
TEST(Contradictions, OfConstantRatesHoldForAllThatAssumeThem) {
  std::vector<MethodRun> runs(4);
  for (const size_t i : {0U, 1U, 2U}) runs[i].figures.assumes_constant_rates = true;
  runs[1].against_constant_rates = "no line fits";
  runs[2].leaves_nothing_out = false;
  EXPECT_EQ(ContradictionsOf(runs),
            (std::vector<std::string>{"no line fits", "no line fits", "", ""}));
  runs[3].figures.contradiction = "nothing explains them";
  EXPECT_EQ(ContradictionsOf(runs)[3], "nothing explains them");
}

}  // namespace
}  // namespace syncline
