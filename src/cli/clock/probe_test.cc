#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/clock/clock_command.h"

namespace syncline {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int64_t kStart = 1'750'000'000'000'000'000;

// A host 1.7 s ahead at the same rate: one exchange of 30 µs there, 5 µs at the host, 10 µs back.
ProbedHost Answering() {
  const std::vector<ClockExchange> burst = {{.t1_ns = kStart,
                                             .t2_ns = kStart + 1'700'030'000,
                                             .t3_ns = kStart + 1'700'035'000,
                                             .t4_ns = kStart + 45'000,
                                             .number = 1}};
  HostEstimate estimate(0);
  estimate.Add(burst);
  ProbedHost host = {.name = "web", .address = "192.0.2.1:24240", .figures = FiguresOf(burst)};
  host.estimate = estimate.At(burst.back().t4_ns);
  host.counts = {.asked = 2, .answered = 1, .unanswered = 1};
  host.by_kernel = {1, 1, 0, 1};
  host.bursts.push_back({burst.back().t4_ns, host.figures, host.estimate});
  return host;
}

ProbedHost Silent() { return {.name = "db", .counts = {.asked = 2, .unanswered = 2}}; }

TEST(ProbeText, SaysOffsetsWithTheirBounds) {
  const ProbeResult result = {.own = "local", .max_drift_ppm = 0, .hosts = {Answering()}};
  EXPECT_TRUE(result.Weaknesses().empty());
  const std::string text = ProbeText(result);
  // The middle of what is left open, (30 − 10) / 2 µs after 1.7 s, and half the round trip.
  EXPECT_THAT(text, HasSubstr("+1.700010 s  20.0 µs  0.000 ppm"));
  EXPECT_THAT(text,
              HasSubstr("guaranteed for clocks that gain or lose at most 0 ppm on each other"));
  EXPECT_THAT(text, HasSubstr("1 questions leaving, 1 arriving, 0 answers leaving, 1 arriving"));
  EXPECT_THAT(text, Not(HasSubstr("ignored")));
  EXPECT_THAT(BurstText(result.hosts[0]), HasSubstr("web  least trip 40.0 µs  offset +1.700010 s"));
}

TEST(ProbeText, ClaimsNothingWhereNobodyAnswered) {
  ProbeResult result = {.own = "local", .hosts = {Silent()}};
  EXPECT_FALSE(result.HasExchanges());
  EXPECT_EQ(result.Weaknesses(), std::vector<std::string>{"db did not answer"});
  EXPECT_THAT(ProbeText(result), Not(HasSubstr("guaranteed for")));
  result = {.is_broadcast = true};
  EXPECT_EQ(result.Weaknesses(), std::vector<std::string>{"nobody answered"});
}

TEST(ProbeText, NamesHostsThatTellWrongTimes) {
  ProbedHost absurd = Silent();
  absurd.figures = {.exchanges = 2, .contradictory = 2};
  ProbedHost backward = Answering();
  backward.figures.departed_early = 1;
  const ProbeResult result = {.own = "local", .hosts = {absurd, backward}};
  EXPECT_THAT(
      result.Weaknesses(),
      testing::ElementsAre(
          "db answered 2 times, with times that no clock shows: nothing follows",
          "web: 1 of 1 answers left before their questions arrived, by its own clock: it was set, "
          "or tells wrong times"));
}

TEST(ProbeText, SaysWhatWasIgnored) {
  ProbedHost host = Answering();
  host.counts.malformed = 3;
  host.counts.contradictory_stamps = 4;
  const std::string text = ProbeText({.own = "local", .hosts = {host}});
  EXPECT_THAT(text, HasSubstr("web: ignored 3 malformed"));
  EXPECT_THAT(text, HasSubstr("web: 4 stamps by the kernels contradicted"));
}

TEST(ProbeText, SaysWhatContradictsTheLimitOfRates) {
  ProbedHost host = Answering();
  using Kind = Contradiction::Kind;
  host.contradictions = {{.kind = Kind::kSet,
                          .from_ns = kStart,
                          .to_ns = kStart + 1'500'000'000,
                          .change_low_ns = 49'990'000,
                          .change_high_ns = 50'010'000,
                          .drift_ppm = 33'000},
                         {.kind = Kind::kTooFast,
                          .from_ns = kStart,
                          .to_ns = kStart + 1'000'000'000,
                          .change_high_ns = -10'000,
                          .drift_ppm = -512},
                         {.kind = Kind::kPeerSetBack, .change_high_ns = -2'000'000'000},
                         {.kind = Kind::kOwnSetBack, .from_ns = kStart}};
  host.contradictions_seen = 7;
  host.estimate->max_drift_ppm = 1024;
  ProbeResult result = {.own = "local", .max_drift_ppm = 200, .hosts = {host}};
  // 1 750 000 000 s after 1970.
  EXPECT_EQ(result.Weaknesses(),
            (std::vector<std::string>{
                "web was set against local, by about +50.000 ms ± 10.0 µs, between 2025-06-15 "
                "15:06:40.000 UTC and 2025-06-15 15:06:41.500 UTC; its bounds begin anew",
                "web ran at least 512.000 ppm slow against local between 2025-06-15 15:06:40.000 "
                "UTC and 2025-06-15 15:06:41.000 UTC, or was set; its bounds begin anew",
                "web was set, by at least −2.000000 s, between 1970-01-01 00:00:00.000 UTC and "
                "1970-01-01 00:00:00.000 UTC; its bounds begin anew",
                "web: local was set back at 2025-06-15 15:06:40.000 UTC; its bounds begin anew",
                "web: 3 more such"}));
  EXPECT_THAT(ProbeText(result), HasSubstr("weakness: web was set against local"));
  EXPECT_THAT(ProbeText(result), HasSubstr("web: up to 1024.000 ppm instead, since it was seen"));
  const auto json = nlohmann::json::parse(ProbeJson(result))["hosts"][0]["contradictions"];
  EXPECT_EQ(json["count"], 7);
  EXPECT_EQ(json["first"][0]["kind"], "set");
  EXPECT_EQ(json["first"][0]["change_low_ns"], 49'990'000);
  EXPECT_TRUE(json["first"][2]["drift_ppm"].is_null());
}

TEST(ProbeText, SaysBothDistancesWhereTheGuessIsNotInTheMiddle) {
  ProbedHost host = Answering();
  host.estimate->bounds->below_ns = 5'000;
  host.estimate->bounds->above_ns = 35'000;
  EXPECT_THAT(ProbeText({.own = "local", .hosts = {host}}), HasSubstr("−5.0 µs/+35.0 µs"));
  host.bursts.back().estimate = host.estimate;
  EXPECT_THAT(BurstText(host), HasSubstr("offset +1.700010 s −5.0 µs/+35.0 µs  drift"));
}

TEST(ProbeJson, HoldsIntegersAsTheyAre) {
  const ProbeResult result = {
      .own = "local", .max_drift_ppm = 200, .hosts = {Answering(), Silent()}};
  const auto json = nlohmann::json::parse(ProbeJson(result));
  const auto& host = json["hosts"][0];
  EXPECT_EQ(host["estimate"]["at_ns"], kStart + 45'000);
  EXPECT_EQ(host["estimate"]["offset_ns"], 1'700'010'000);
  EXPECT_EQ(host["estimate"]["bounds"]["offset_low_ns"], 1'700'000'000 - 10'000);
  EXPECT_EQ(host["estimate"]["bounds"]["offset_high_ns"], 1'700'000'000 + 30'000);
  EXPECT_EQ(host["estimate"]["bounds"]["below_ns"], 20'000);
  EXPECT_EQ(host["estimate"]["bounds"]["above_ns"], 20'000);
  EXPECT_EQ(host["estimate"]["since_ns"], kStart);
  EXPECT_EQ(host["contradictions"]["count"], 0);
  EXPECT_EQ(host["exchanges"]["least_trip_ns"], 30'000 + 10'000);
  EXPECT_EQ(host["kernel_stamps"]["t3"], 0);
  EXPECT_EQ(host["packets"]["unanswered"], 1);
  EXPECT_TRUE(host["reception"].is_null());
  const auto& silent = json["hosts"][1];
  EXPECT_TRUE(silent["estimate"].is_null());
  EXPECT_TRUE(silent["exchanges"]["least_trip_ns"].is_null());
  EXPECT_EQ(json["weaknesses"].size(), 1);
  EXPECT_TRUE(json["broadcasts"].is_null());
}

}  // namespace
}  // namespace syncline
