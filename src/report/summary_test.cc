#include "report/summary.h"

#include <string>

#include <gmock/gmock.h>
#include <simdjson.h>

namespace syncline {
namespace {

using testing::HasSubstr;
using testing::Not;

Summary TwoClocks() {
  Summary s;
  s.version = "0.1.0";
  s.corrected = true;
  s.reference = "a";
  const Summary::Bound none{0, 0, 0};
  Summary::Clock a{"a", "accurate", "a", "", 10, 0, 9, 1, 0.0, 0, none, none, none, {}};
  const Summary::Bound bound{500'000, 510'000, 574'000};
  const Summary::Bound above{490'000, 300'000, 450'000};
  Summary::Clock b{"b", "accurate", "a",           "",    10,    0,     9,
                   1,   35.0,       1'700'000'000, bound, bound, above, {}};
  b.correction = {{{1795263386700000001}, {1795263385000000003}},
                  {{1795263459502011972}, {1795263457799463991}}};
  s.clocks = {a, b};
  Summary::Pair pair{.a = "a", .b = "b", .quality = "accurate"};
  pair.slope_min = "1.0000349123456789012";
  pair.ab.messages = 3;
  pair.ba.messages = 1;
  pair.ab.before = {3, 0, -5, -3};
  s.pairs = {pair};
  s.messages = {.total = 4, .inverted_before = 3};
  return s;
}

TEST(SummaryJson, KeepsNanosecondsAboveTwoToThe53AndLongSlopes) {
  const std::string text = SummaryToJson(TwoClocks());
  EXPECT_THAT(text, HasSubstr("1795263386700000001"));
  EXPECT_THAT(text, HasSubstr("\"slope_min\": 1.0000349123456789012"));
  EXPECT_THAT(text, HasSubstr("\"slope_max\": null"));
  simdjson::dom::parser parser;
  int64_t global = 0;
  ASSERT_EQ(parser.parse(text).at_pointer("/clocks/1/correction/0/global_ns").get(global),
            simdjson::SUCCESS);
  EXPECT_EQ(global, 1795263385000000003);
}

TEST(SummaryJson, TakesNoNameForADecimalNorLetsTerminalsObeyIt) {
  for (const std::string name : {"\x01number:1", "\"slope_min\": \"1", "\x7F\xC2\x9B\xC2\xA0"}) {
    Summary s = TwoClocks();
    s.clocks[1].name = name;
    const std::string text = SummaryToJson(s);
    for (const char* obeyed : {"\x01", "\x7F", "\xC2\x9B"}) {
      EXPECT_EQ(text.find(obeyed), std::string::npos);
    }
    simdjson::dom::parser parser;
    std::string_view read;
    ASSERT_EQ(parser.parse(text).at_pointer("/clocks/1/name").get(read), simdjson::SUCCESS);
    EXPECT_EQ(read, name);
  }
}

TEST(SummaryText, FindingsSayHowTheySpreadOverInputs) {
  Summary s = TwoClocks();
  s.diagnostics.Count("fragment", Severity::kInfo, 2, "/data/one/a.pcap");
  s.diagnostics.Count("fragment", Severity::kInfo, 1, "/data/two/b.pcap");
  s.diagnostics.Count("no-events", Severity::kWarning, 1, "/data/c.pcap");
  s.diagnostics.Count("no-events", Severity::kWarning, 1, "d: nothing");
  s.diagnostics.Count("partly", Severity::kInfo, 1, "/data/a.pcap");
  s.diagnostics.Count("partly", Severity::kInfo, 1, "/data/b.pcap");
  s.diagnostics.Count("partly", Severity::kInfo, 1);
  const std::string text = SummaryToText(s);
  EXPECT_THAT(text, HasSubstr("3 × fragment (one/a.pcap 2, two/b.pcap 1)\n"));
  EXPECT_THAT(text, HasSubstr("2 × no-events (/data/c.pcap; d: nothing)\n"));
  EXPECT_THAT(text, HasSubstr("3 × partly (/data/a.pcap)\n"));
  EXPECT_THAT(SummaryToJson(s), HasSubstr("\"spread\""));
}

TEST(SummaryText, SaysWhatTheLogicalClockDidWhereItHadWork) {
  Summary s = TwoClocks();
  s.logical.emplace();
  s.logical->events = 20;
  s.logical->collectives.ends = 4;
  EXPECT_THAT(SummaryToText(s), Not(HasSubstr("Logical clock")));
  EXPECT_THAT(SummaryToText(s, {.detail = TextDetail::kAll}),
              HasSubstr("No event had to be moved"));
  s.logical->collectives.violated_before = 1;
  EXPECT_THAT(SummaryToText(s), HasSubstr("Of 4 ends of collectives, 1 came before"));
}

TEST(SummaryText, WhatCollectivesStandForIsCountedApart) {
  Summary s = TwoClocks();
  s.messages.of_collectives = {.total = 2, .inverted_before = 1};
  s.pairs[0].ba = {.messages = 3, .of_collectives = {.total = 2, .inverted_before = 1}};
  const std::string text = SummaryToText(s);
  EXPECT_THAT(text,
              HasSubstr("Of 4 messages, 3 were received before sent; after correction none is. "
                        "Of 2 messages that collectives stand for, 1 was received before sent; "
                        "after correction none is.\n"));
  EXPECT_THAT(text, HasSubstr("messages  inverted  by collectives  of these inverted  "));
  EXPECT_THAT(text, HasSubstr("b → a         1     0 → 0               2              1 → 0  "));
}

TEST(SummaryJson, LeavesOutWhatACheckDoesNotKnow) {
  Summary s = TwoClocks();
  s.corrected = false;
  EXPECT_THAT(SummaryToJson(s), Not(HasSubstr("inverted_after")));
  EXPECT_THAT(SummaryToJson(TwoClocks()), HasSubstr("inverted_after"));
}

TEST(Verdict, SaysWhatWasWrongWhatIsNowAndHowFarToTrustIt) {
  EXPECT_EQ(VerdictText(TwoClocks()),
            "Of 4 messages, 3 were received before sent; after correction none is.\n"
            "Every true time lies within the bounds of its clock, at most 574.0 µs from the "
            "corrected one (b): guaranteed for clocks of constant rates, whatever the network "
            "did.\n");
}

TEST(Verdict, PutsAssumptionsFirst) {
  Summary s = TwoClocks();
  s.bounds_assume = "symmetric minimum delays";
  s.max_drift_ppm = 200;
  EXPECT_THAT(VerdictText(s), HasSubstr("\nAssuming about symmetric paths"));
  EXPECT_THAT(VerdictText(s), HasSubstr("rates within 200 ppm of each other."));
}

TEST(Verdict, SaysWithinWhichLimitsRatesMayDoAsTheyPlease) {
  Summary s = TwoClocks();
  s.max_drift_ppm = 200;
  const auto text = [&](double limit_ppm) {
    s.clocks[1].rate_limit_ppm = limit_ppm;
    return VerdictText(s);
  };
  EXPECT_THAT(text(200), HasSubstr("rates stay within 200 ppm of the reference, whatever"));
  EXPECT_THAT(text(512.3456), HasSubstr("200 ppm of the reference (512.346 ppm: b), whatever"));
  EXPECT_THAT(text(1e6), HasSubstr("200 ppm of the reference (not below half of it: b), whatever"));
  s.max_wander_ppm = 5;
  EXPECT_THAT(text(200), HasSubstr("reference, and within 5 ppm of their own mean, whatever"));
  s.max_drift_ppm.reset();
  EXPECT_THAT(text(1e6),
              HasSubstr("for clocks that never run slower than at half the reference's rate, "
                        "and within 5 ppm of their own mean, whatever"));
  s.max_wander_ppm.reset();
  EXPECT_THAT(text(1e6), HasSubstr("never run slower than at half the reference's rate, whatever"));
}

TEST(Verdict, SaysForHowLongClocksHaveNoBound) {
  Summary s = TwoClocks();
  for (Summary::Bound* bound : {&s.clocks[1].bound, &s.clocks[1].below, &s.clocks[1].above}) {
    bound->worst_ns.reset();
  }
  s.clocks[1].unbounded_share = 0.0125;
  s.clocks[1].worst_of_rest_ns = 700'000;
  EXPECT_THAT(VerdictText(s), AllOf(HasSubstr("at most 700.0 µs from the corrected one (b)"),
                                    HasSubstr(" No such bound holds during 1.25 % of the time "
                                              "of b.\n")));
  EXPECT_THAT(SummaryToText(s), HasSubstr("± 500.0 µs  −510.0 µs/+300.0 µs  unbounded  accurate"));
  for (const char* name : {"c", "d", "e"}) {
    s.clocks.push_back(s.clocks[1]);
    s.clocks.back().name = name;
  }
  s.clocks.back().unbounded_share = 0.5;
  EXPECT_THAT(VerdictText(s), HasSubstr(" during up to 50.0 % of the time of 4 clocks.\n"));
}

TEST(Verdict, NamesClocksWithoutBoundAndUnrelatedOnes) {
  Summary s = TwoClocks();
  s.clocks[1].bound = {};
  EXPECT_THAT(VerdictText(s), HasSubstr("\nNo bound on both sides holds for b.\n"));
  s.clocks.push_back({.name = "c", .quality = "absent", .reference = "c", .events = 1});
  EXPECT_THAT(VerdictText(s), HasSubstr("No message relates c"));
}

TEST(SummaryText, HasARowPerClockAndPerDirection) {
  const std::string text = SummaryToText(TwoClocks());
  EXPECT_THAT(text, HasSubstr("+35.000 ppm"));
  EXPECT_THAT(text, HasSubstr("a → b"));
  EXPECT_THAT(text, HasSubstr("b → a"));
  EXPECT_THAT(text, HasSubstr("3 → 0"));
}

TEST(SummaryText, OfACheckMixesNothingRecordedWithWhatIsCorrected) {
  Summary s = TwoClocks();
  s.corrected = false;
  s.pairs[0].ab.after = {0, 0, 20'000, 30'000};
  EXPECT_THAT(SummaryToText(s),
              HasSubstr("As recorded:\n"
                        "pair   messages  inverted  smallest delay  median delay\n"
                        "a → b         3         3           −5 ns         −3 ns\n"
                        "b → a         1         0               –             –\n"
                        "\n"
                        "With these clocks corrected:\n"
                        "pair   smallest delay  median delay  quality\n"
                        "a → b         20.0 µs       30.0 µs  accurate\n"
                        "b → a               –             –\n"));
}

TEST(SummaryText, FoldsTablesThatAreTooWide) {
  Summary s = TwoClocks();
  s.pairs[0].ba.of_collectives = {1, 0, 0};
  s.messages.of_collectives = {1, 0, 0};
  // 5 + 2 + 8 + 2 + 8 + 2 + 14 + 2 + 17 code points
  const std::string text = SummaryToText(s, {.columns = 60});
  EXPECT_THAT(text, HasSubstr("pair   messages  inverted  by collectives  of these inverted\n"
                              "a → b         3     3 → 0               0              0 → 0\n"));
  EXPECT_THAT(text, HasSubstr("\n\npair   smallest delay  median delay  quality\n"));
  EXPECT_THAT(SummaryToText(s), HasSubstr("  of these inverted  smallest delay  "));
}

TEST(Verdict, SaysWhereTheAssumptionAboutRatesDoesNotHold) {
  Summary s = TwoClocks();
  s.max_drift_ppm = 200;
  s.clocks[1].rate_limit_ppm = 200;
  EXPECT_THAT(VerdictText(s), HasSubstr("within 200 ppm of the reference, whatever"));
  s.steps = {{.clock = "b"}};
  EXPECT_THAT(VerdictText(s),
              HasSubstr("within 200 ppm of the reference before and after 1 step,"));
  s.steps.push_back({.clock = "b"});
  EXPECT_THAT(VerdictText(s), HasSubstr("of the reference between 2 steps, whatever"));
}

TEST(SummaryText, SaysWhatIsTooFastWhereThereAreMinimumDelays) {
  Summary s = TwoClocks();
  EXPECT_THAT(SummaryToText(s), Not(HasSubstr("too fast")));
  s.pairs[0].ba.minimum_delay_ns = 20'000;
  EXPECT_THAT(SummaryToText(s), HasSubstr("  too fast  "));
}

TEST(SummaryText, HasThePairsThatMatterOfMany) {
  Summary s = TwoClocks();
  s.pairs.assign(30, s.pairs[0]);
  for (size_t i = 0; i < 30; ++i) {
    s.pairs[i].b = "b" + std::to_string(i);
    s.pairs[i].ab.messages += i;
  }
  s.pairs[3].ab.after.inverted = 1;
  const std::string text = SummaryToText(s);
  EXPECT_THAT(text, HasSubstr("a → b3 "));
  EXPECT_THAT(text, HasSubstr("a → b29 "));
  EXPECT_THAT(text, Not(HasSubstr("a → b4 ")));
  EXPECT_THAT(text, HasSubstr("\n… and 14 more pairs; --all\n"));
  const std::string all = SummaryToText(s, {.detail = TextDetail::kAll});
  EXPECT_THAT(all, HasSubstr("a → b4 "));
  EXPECT_THAT(all, Not(HasSubstr("more pairs")));
}

TEST(Verdict, SaysThatPathsAreNotSymmetric) {
  Summary s = TwoClocks();
  s.diagnostics.Count("paths-not-symmetric", Severity::kInfo, 200);
  EXPECT_THAT(VerdictText(s), HasSubstr("\nPaths are not symmetric, as --min-delay auto assumes"));
}

TEST(SummaryText, TakesAPairWithoutALineForADefectOnlyWhereCorrectionsRestOnOne) {
  Summary s = TwoClocks();
  s.pairs[0].quality = "approximate";
  s.pairs[0].reason = "no line fits";
  EXPECT_THAT(SummaryToText(s), HasSubstr("  approximate: no line fits\n"));
  s.group_method = "drift-bounded";
  EXPECT_THAT(SummaryToText(s), HasSubstr("  no line fits\n"));
  EXPECT_THAT(SummaryToText(s), Not(HasSubstr("approximate")));
}

TEST(SummaryText, HasTheRatesOfClocksThatHaveSeveral) {
  Summary s = TwoClocks();
  s.extent.first.ns = 1'000'000'000;
  s.clocks[0].rates = {{{1'000'000'000}, {9'000'000'000}, 0}};
  s.clocks[1].rates = {{{1'500'000'000}, {3'500'000'000}, -1.5},
                       {{4'000'000'000}, {9'000'000'000}, 2}};
  EXPECT_THAT(SummaryToText(s), HasSubstr("rate of        from         for       drift\n"
                                          "b        500.000 ms  2.000000 s  −1.500 ppm\n"
                                          "         3.000000 s  5.000000 s  +2.000 ppm\n\n"));
}

TEST(SummaryText, HasTheStretchesFurthestFromTheUsualRateOfMany) {
  Summary s = TwoClocks();
  for (int i = 0; i < 30; ++i)
    s.clocks[1].rates.push_back({{i}, {i + 1}, i == 7 ? 535.0 : 35.0 + i});
  const std::string text = SummaryToText(s);
  EXPECT_THAT(text, HasSubstr("          7 ns  1 ns  +535.000 ppm\n"));
  EXPECT_THAT(text, HasSubstr("  +64.000 ppm\n"));
  EXPECT_THAT(text, HasSubstr("  +35.000 ppm\n"));
  EXPECT_THAT(text, Not(HasSubstr("  +50.000 ppm\n")));
  EXPECT_THAT(text, HasSubstr("\n… and 18 more rates; --all\n"));
}

TEST(SummaryText, TimesAtBothEndsOfTheRangeAreFurtherApartThanCanBeSaid) {
  constexpr GlobalTime kFirst{INT64_MIN};
  constexpr GlobalTime kLast{INT64_MAX};
  Summary s = TwoClocks();
  s.extent = {kFirst, kLast};
  s.clocks[0].rates = {{kFirst, {0}, 0}, {kLast, kLast, 1}};
  EXPECT_THAT(SummaryToText(s),
              HasSubstr("a                         0 ns  ≥ 9223372036.854776 s   0.000 ppm\n"));
  EXPECT_THAT(SummaryToText(s),
              HasSubstr("         ≥ 9223372036.854776 s                   0 ns  +1.000 ppm\n"));
  // The mean of one difference of INT64_MAX, as a double: 2^63.
  s.broadcasts = {
      {"a", "b", 1, {INT64_MAX, INT64_MAX, 0x1p63, 0}, {INT64_MIN, 0, -0x1p63, 0x1p64}}};
  s.corrected = false;
  EXPECT_THAT(SummaryToText(s), HasSubstr("b − a           1  ≥ +9223372036.854776 s       0 ns"));
  s.corrected = true;
  EXPECT_THAT(SummaryToText(s),
              HasSubstr("b − a           1  ≤ −9223372036.854776 s  ≥ 9223372036"));
}

TEST(SummaryText, ShowsBothSidesOfBoundsWhereTheyDifferByMoreThanATenth) {
  Summary s = TwoClocks();
  EXPECT_THAT(SummaryToText(s), HasSubstr("± 500.0 µs  −510.0 µs/+300.0 µs  −574.0 µs/+450.0 µs"));
  s.clocks[1].bound = s.clocks[1].above = {};
  EXPECT_THAT(SummaryToText(s),
              HasSubstr("−500.0 µs/unbounded  −510.0 µs/unbounded  −574.0 µs/unbounded  accurate"));
}

TEST(SummaryJson, HasBothSidesOfBounds) {
  Summary s = TwoClocks();
  s.clocks[1].above = {};
  const std::string text = SummaryToJson(s);
  simdjson::dom::parser parser;
  const auto json = parser.parse(text);
  EXPECT_EQ(json.at_pointer("/clocks/1/bound_ns/worst").get_int64().value(), 574'000);
  EXPECT_EQ(json.at_pointer("/clocks/1/below_ns/mean").get_int64().value(), 510'000);
  EXPECT_TRUE(json.at_pointer("/clocks/1/above_ns/best").is_null());
}

}  // namespace
}  // namespace syncline
