// The whole program on the captures that the shipped sample was cut from, where they are at hand.
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

class FullCaptures : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    if (!fs::exists(fs::path(SYNCLINE_DATA_DIR) / "captures")) GTEST_SKIP() << "no large data";
  }
  std::string Out() const { return At("out"); }
  static std::string All(const std::string& kind) {
    std::string inputs;
    for (const char* host : {"a", "b", "c", "d"}) {
      inputs += std::string(" ") + SYNCLINE_DATA_DIR + "/captures/" + kind + "/" + host + ".pcap";
    }
    return inputs;
  }
  static std::string TruthOf(const std::string& kind) {
    return std::string(SYNCLINE_DATA_DIR) + "/captures/" + kind + "/truth.json";
  }
};

TEST_F(FullCaptures, LinearClocksAreCorrectedWithinTheirBounds) {
  const RunResult run =
      Syncline("sync " + All("linear") + " -o " + Out() + " --truth " + TruthOf("linear"));
  ASSERT_TRUE(run.exit_code == 0 || run.exit_code == 3) << run.output;
  const auto s = nlohmann::json::parse(ReadBytes(folder_ / "out" / "syncline.json"));
  EXPECT_EQ(s["messages"]["inverted_before"], 8533);
  EXPECT_EQ(s["messages"]["inverted_after"], 0);
  EXPECT_EQ(s["messages"]["total"], 16'441);
  EXPECT_EQ(s["truth"]["events"], 31'622);
  EXPECT_EQ(s["truth"]["outside_bound"], 0);
  const auto truth = nlohmann::json::parse(ReadBytes(TruthOf("linear")));
  for (const auto& clock : s["clocks"]) {
    EXPECT_NEAR(clock["drift_ppm"].get<double>(),
                TrueDriftPpm(truth, clock["name"], s["reference"]), 0.3)
        << clock["name"];
  }
}

TEST_F(FullCaptures, DriftsAreRightWhicheverClockIsTheReference) {
  const auto truth = nlohmann::json::parse(ReadBytes(TruthOf("linear")));
  for (const char* reference : {"a", "b", "c", "d"}) {
    // Some trees leave messages inverted between clocks that are not neighbours: exit code 3.
    const RunResult run = Syncline("check " + All("linear") + " --reference " + reference +
                                   " --quiet --json " + folder_.string() + "/check.json --force");
    ASSERT_TRUE(run.exit_code == 0 || run.exit_code == 3) << run.output;
    const auto s = nlohmann::json::parse(ReadBytes(folder_ / "check.json"));
    for (const auto& clock : s["clocks"]) {
      EXPECT_NEAR(clock["drift_ppm"].get<double>(), TrueDriftPpm(truth, clock["name"], reference),
                  0.3)
          << clock["name"] << " against " << reference;
    }
  }
}

TEST_F(FullCaptures, JointLeavesNothingInvertedWhicheverClockIsTheReference) {
  const auto truth = nlohmann::json::parse(ReadBytes(TruthOf("linear")));
  for (const char* reference : {"a", "b", "c", "d"}) {
    const RunResult run = Syncline("sync " + All("linear") + " -o " + Out() +
                                   " --group joint --logical none --truth " + TruthOf("linear") +
                                   " --quiet --force --reference " + reference);
    ASSERT_TRUE(run.exit_code == 0 || run.exit_code == 3) << run.output;
    const auto s = nlohmann::json::parse(ReadBytes(folder_ / "out" / "syncline.json"));
    EXPECT_EQ(s["group"], "joint");
    EXPECT_EQ(s["messages"]["inverted_after"], 0);
    EXPECT_EQ(s["truth"]["outside_bound"], 0);
    EXPECT_EQ(DiagnosticCount(s, "no-joint-solution"), 0U);
    for (const auto& clock : s["clocks"]) {
      EXPECT_EQ(clock["quality"], "accurate");
      EXPECT_NEAR(clock["drift_ppm"].get<double>(), TrueDriftPpm(truth, clock["name"], reference),
                  0.3)
          << clock["name"] << " against " << reference;
    }
  }
}

TEST_F(FullCaptures, JointLeavesASlewedClockToTheTreeAndSaysSo) {
  const auto s = Summary("check " + All("slew") + " --group joint", 3);
  EXPECT_EQ(DiagnosticCount(s, "no-joint-solution"), 1U);
  EXPECT_EQ(ByName(s["clocks"], "b")["quality"], "approximate");
  // 1200 of 16 441 messages contradict: these are no wrong matches.
  EXPECT_EQ(s["suspects"].size(), 0U);
}

TEST_F(FullCaptures, BoundsAreListedWhereAskedForAndHoldTheCorrection) {
  EXPECT_FALSE(Summary("check " + All("linear"), 0)["clocks"][0].contains("bounds"));
  const auto s = Summary("check " + All("linear") + " --reference b --bounds 7", 0);
  for (const auto& clock : s["clocks"]) {
    ASSERT_EQ(clock["bounds"].size(), 7U);
    EXPECT_EQ(clock["bounds"][0]["local"], clock["correction"][0]["local"]);
    EXPECT_EQ(clock["bounds"][6]["local"], clock["correction"][1]["local"]);
    EXPECT_LE(clock["bounds"][0]["lower_ns"], clock["correction"][0]["global_ns"]);
    EXPECT_GE(clock["bounds"][0]["upper_ns"], clock["correction"][0]["global_ns"]);
  }
}

TEST_F(FullCaptures, TreesCallASlewedClockApproximateAndClaimNoBound) {
  const auto s = Summary(
      "sync " + All("slew") + " --group tree-error -o " + Out() + " --truth " + TruthOf("slew"), 3);
  const auto b = ByName(s["clocks"], "b");
  EXPECT_EQ(b["quality"], "approximate");
  EXPECT_TRUE(b["bound_ns"]["worst"].is_null());
  EXPECT_EQ(ByName(s["clocks"], "a")["quality"], "accurate");
  EXPECT_EQ(ByName(s["clocks"], "c")["quality"], "accurate");
  EXPECT_EQ(s["truth"]["outside_bound"], 0);
  EXPECT_GE(DiagnosticCount(s, "pair-without-admissible-line"), 2U);
}

TEST_F(FullCaptures, TheLogicalClockPutsTheSlewedClockInOrder) {
  const std::string arguments = "sync " + All("slew") + " --group tree-error -o " + Out() +
                                " --force --truth " + TruthOf("slew");
  const auto linear = Summary(arguments + " --logical none", 3);
  EXPECT_GT(linear["messages"]["inverted_after"].get<int>(), 1000);
  EXPECT_FALSE(linear.contains("logical"));
  for (const char* logical : {"simple", "controlled"}) {
    const auto s = Summary(arguments + " --force --logical " + logical, 3);
    EXPECT_EQ(s["messages"]["inverted_after"], 0) << logical;
    EXPECT_EQ(s["truth"]["outside_bound"], 0) << logical;
    EXPECT_GT(ByName(s["clocks"], "b")["logical"]["events_moved"].get<int>(), 0) << logical;
  }
}

TEST_F(FullCaptures, TheLogicalClockStaysOutWhereNothingContradicts) {
  const auto s = Summary("sync " + All("linear") + " -o " + Out(), 0);
  EXPECT_FALSE(s.contains("logical"));
  for (const auto& clock : s["clocks"]) EXPECT_EQ(clock["logical"]["events_moved"], 0);
}

}  // namespace
}  // namespace syncline
