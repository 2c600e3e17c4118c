// `syncline concurrency` on CTF traces, whose messages say which events are sends and receives.
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/command_test_util.h"
#include "read/ctf/testing/tiny_trace.h"

namespace syncline {
namespace {

class CtfConcurrency : public CommandTest {
 protected:
  // a computes 1000, asks b, and computes 1000 with the answer; b computes 2000 for it, and 500
  // afterwards. a's clock is a second ahead.
  void SetUp() override {
    CommandTest::SetUp();
    constexpr uint64_t kSecond = 1'000'000'000;
    const TinyTrace a{.hostname = "a",
                      .streams = {{{.events = {{kSecond, 0},
                                               {kSecond + 1000, 1, "s"},
                                               {kSecond + 5000, 2, "r"},
                                               {kSecond + 6000, 0}}}}}};
    const TinyTrace b{
        .hostname = "b",
        .streams = {{{.events = {{0, 0}, {2000, 1, "r"}, {4000, 2, "s"}, {4500, 0}}}}}};
    TinyTraceWriter(a).Write(At("a"));
    TinyTraceWriter(b).Write(At("b"));
  }
  nlohmann::json Measure(const std::string& waits, int exit_code) {
    return Summary(
        fmt::format("concurrency {} {} --waits {} {}", At("a"), At("b"), waits, kTinyRule),
        exit_code);
  }
};

TEST_F(CtfConcurrency, WaitsAreThoseBeforeReceives) {
  const auto json = Measure("receives", 0);
  EXPECT_EQ(json["processes"][0]["computed_ns"], 1000 + 1000);
  EXPECT_EQ(json["processes"][0]["delayed_ns"], 5000 - 1000);
  EXPECT_EQ(json["processes"][1]["computed_ns"], 2000 + 500);
  EXPECT_EQ(json["processes"][1]["delayed_ns"], 2000);
  const auto& c = json["computation"];
  const double weight = 2000 + 2500;
  const double volume = 6000 + 4500;
  const double height = 1000 + 2000 + 1000;
  EXPECT_EQ(c["height_ns"], height);
  EXPECT_DOUBLE_EQ(c["alpha"], (weight - height) / (volume - height));
  EXPECT_EQ(c["messages"], 2);
}

TEST_F(CtfConcurrency, AnswersAreAwaitedByWhoAsked) {
  const auto json = Measure("replies", 0);
  EXPECT_EQ(json["processes"][0]["delayed_ns"], 5000 - 1000);
  EXPECT_EQ(json["processes"][1]["delayed_ns"], 0);
}

TEST_F(CtfConcurrency, NoWaitsAreRecorded) {
  EXPECT_EQ(DiagnosticCount(Measure("recorded", 3), "waits-not-recorded"), 1U);
}

TEST_F(CtfConcurrency, FilterNamesTheCommandThatCorrectsSuchTraces) {
  const RunResult run = Syncline("filter " + At("a") + " " + At("out"));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.output, testing::HasSubstr("syncline sync"));
}

}  // namespace
}  // namespace syncline
