// The command clock characterize as a user calls it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

using testing::HasSubstr;

class CharacterizeCommand : public CommandTest {};

TEST_F(CharacterizeCommand, MeasuresEveryClockOfThisMachine) {
  for (const std::string source :
       {"counter", "monotonic", "monotonic-raw", "realtime", "gettimeofday"}) {
    const RunResult run =
        Syncline("clock characterize --duration 0.1 --interval 0.002 --force --source " + source +
                 " --json " + At("clock.json"));
    if (source == "counter" && run.exit_code == 2) continue;  // programs cannot read it here
    // 3: a busy machine says so.
    ASSERT_TRUE(run.exit_code == 0 || run.exit_code == 3) << run.output;
    const auto json = nlohmann::json::parse(ReadBytes(At("clock.json")));
    EXPECT_EQ(json["measurements"]["wanted"], 51);
    EXPECT_EQ(json["weaknesses"].empty(), run.exit_code == 0);
    EXPECT_GT(json["resolution"]["least_step_ns"], 0);
    EXPECT_EQ(json["cost"]["messages"], 0);
    EXPECT_EQ(json["frequency"].is_null(), source != "counter");
  }
}

TEST_F(CharacterizeCommand, DrawsAndTakesOptionsFromAFile) {
  WriteBytes(At("options"), "duration = 0.05\nsource = \"monotonic\"\nplot = \"" + At("p.svg") +
                                "\"\njson = \"-\"\n");
  const RunResult run = Syncline("clock characterize --config " + At("options"));
  ASSERT_TRUE(run.exit_code == 0 || run.exit_code == 3) << run.output;
  const auto json = nlohmann::json::parse(run.output);
  EXPECT_EQ(json["clock"], "CLOCK_MONOTONIC");
  if (json["character"].is_null()) GTEST_SKIP() << "the machine is too busy to measure anything";
  EXPECT_THAT(ReadBytes(At("p.svg")), HasSubstr("CLOCK_MONOTONIC against CLOCK_REALTIME"));
}

TEST_F(CharacterizeCommand, WrongUseIsRefused) {
  struct Case {
    const char* arguments;
    const char* said;
  };
  for (const Case& c :
       {Case{"--duration 0", "--duration: expected a number"},
        Case{"--interval nan", "--interval: expected"},
        Case{"--duration 1 --interval 1", "2 measurements; 3 to"},
        Case{"--duration 1000 --interval 0.0001", "10000001 measurements"},
        Case{"--source sun", "--source"}, Case{"--against counter", "--against"},
        Case{"--peer a --source counter", "excludes"}, Case{"--key a", "--peer"},
        Case{"--peer localhost --exchanges 0", "--exchanges"}, Case{"surplus", "surplus"}}) {
    const RunResult run = Syncline(std::string("clock characterize ") + c.arguments);
    EXPECT_EQ(run.exit_code, 1) << c.arguments << run.output;
    EXPECT_THAT(run.output, HasSubstr(c.said)) << c.arguments;
  }
  EXPECT_THAT(Syncline("clock characterize --help").output, HasSubstr("--interval"));
}

TEST_F(CharacterizeCommand, APeerThatDoesNotAnswerIsAnErrorAndLeavesNothing) {
  const RunResult run = Syncline(
      "clock characterize --peer 127.0.0.1:9 --duration 0.1 --interval 0.05 --plot " + At("p.svg"));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.output, HasSubstr("127.0.0.1:9 does not answer"));
  EXPECT_FALSE(fs::exists(At("p.svg")));
}

TEST_F(CharacterizeCommand, EndedByASignalItLeavesNothing) {
  for (const char* signal : {"TERM", "INT", "HUP"}) {
    const RunResult run =
        Shell("mkdir -p " + At("outputs") + " && cd " + At("outputs") +
              " && timeout --signal=" + signal + " --preserve-status 0.5 " + SYNCLINE_PROGRAM +
              " clock characterize --source monotonic --duration 60 --plot p.svg --json j.json");
    EXPECT_NE(run.exit_code, 0) << run.output;
    EXPECT_TRUE(fs::is_empty(At("outputs"))) << signal;
  }
}

TEST_F(CharacterizeCommand, ExistingOutputsAreNotReplacedUnasked) {
  WriteBytes(At("p.svg"), "mine");
  const std::string short_run = "clock characterize --source monotonic --duration 0.03 ";
  EXPECT_EQ(Syncline(short_run + "--plot " + At("p.svg")).exit_code, 1);
  EXPECT_EQ(ReadBytes(At("p.svg")), "mine");
}

}  // namespace
}  // namespace syncline
