#include "cli/clock/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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
  EXPECT_THAT(text, HasSubstr("guaranteed for clocks of constant rates within 0 ppm"));
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

TEST(ProbeText, SaysWhatWasIgnored) {
  ProbedHost host = Answering();
  host.counts.malformed = 3;
  host.counts.contradictory_stamps = 4;
  const std::string text = ProbeText({.own = "local", .hosts = {host}});
  EXPECT_THAT(text, HasSubstr("web: ignored 3 malformed"));
  EXPECT_THAT(text, HasSubstr("web: 4 stamps by the kernels contradicted"));
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
