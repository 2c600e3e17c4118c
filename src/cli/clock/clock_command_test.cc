// The command clock as a user calls it, and the stamps of the example program as others read them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

using testing::HasSubstr;

class ClockCommand : public CommandTest {};

TEST_F(ClockCommand, CalibrateMeasuresThisMachine) {
  const RunResult run = Syncline("clock calibrate --time 0.1 --json " + At("clock.json"));
  // 3: a busy or weak machine says so.
  ASSERT_TRUE(run.exit_code == 0 || run.exit_code == 3) << run.output;
  EXPECT_EQ(run.exit_code == 3, run.output.find("\nweakness: ") != std::string::npos);
  EXPECT_THAT(run.output, HasSubstr("gettimeofday"));
  const auto json = nlohmann::json::parse(ReadBytes(At("clock.json")));
  const auto& best = json["frequency"]["best"];
  EXPECT_LE(best["low_hz"], best["hz"]);
  EXPECT_LE(best["hz"], best["high_hz"]);
  EXPECT_GE(best["elapsed_ns"], 100'000'000);
  EXPECT_EQ(json["weaknesses"].empty(), run.exit_code == 0);
}

TEST_F(ClockCommand, CalibrateOfTheReferenceItselfIsExactAndOptionsMayComeFromAFile) {
  WriteBytes(At("options"), "time = 0.001\ncounter = \"system\"\njson = \"-\"\n");
  const RunResult run = Syncline("clock calibrate --config " + At("options"));
  const auto json = nlohmann::json::parse(run.output);
  EXPECT_EQ(json["counter"]["name"], "CLOCK_MONOTONIC_RAW");
  EXPECT_EQ(json["frequency"]["best"]["hz"], 1'000'000'000);
  EXPECT_EQ(json["frequency"]["best"]["bound_ppb"], 0);
}

TEST_F(ClockCommand, WrongUseIsRefused) {
  struct Case {
    const char* arguments;
    const char* said;
  };
  for (const Case& c :
       {Case{"clock", "subcommand is required"},
        Case{"clock calibrate --time 0", "--time: expected a number of seconds, or"},
        Case{"clock calibrate --time 5us", "from 0.001 to 3600 s, not \"5us\""},
        Case{"clock calibrate --time nan", "--time: expected"},
        Case{"clock calibrate --bound-ppm x", "--bound-ppm: expected"},
        Case{"clock calibrate --reference sun", "--reference"},
        Case{"clock calibrate surplus", "surplus"}}) {
    const RunResult run = Syncline(c.arguments);
    EXPECT_EQ(run.exit_code, 1) << c.arguments;
    EXPECT_THAT(run.output, HasSubstr(c.said));
  }
  EXPECT_THAT(Syncline("clock --help").output, HasSubstr("calibrate"));
  EXPECT_THAT(Syncline("clock calibrate --help").output, HasSubstr("--bound-ppm"));
}

TEST_F(ClockCommand, ExistingOutputIsNotReplacedUnasked) {
  WriteBytes(At("clock.json"), "mine");
  EXPECT_EQ(Syncline("clock calibrate --time 0.001 --json " + At("clock.json")).exit_code, 1);
  EXPECT_EQ(ReadBytes(At("clock.json")), "mine");
  EXPECT_EQ(Syncline("clock calibrate --time 1ms --json /dev/full").exit_code, 2);
}

// What was measured stays where it cannot be shown.
TEST_F(ClockCommand, AFullStandardOutputCostsNoFile) {
  if (!fs::is_character_file("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  for (const std::string& command :
       {std::string("calibrate --time 1ms"), std::string("characterize --duration 0.05"),
        "probe 127.0.0.1:9 -n 1 --bursts 1 --log " + At("log.txt")}) {
    const RunResult run =
        Syncline("clock " + command + " -f --json " + At("figures.json") + " 2>&1 >/dev/full");
    EXPECT_EQ(run.exit_code, 2) << command;
    EXPECT_THAT(run.output, HasSubstr("standard output: ")) << command;
    EXPECT_TRUE(fs::remove(At("figures.json"))) << command;
  }
  EXPECT_TRUE(fs::exists(At("log.txt")));
}

// Both processes run on this machine, so their system clocks, which their stamps follow, agree.
TEST_F(ClockCommand, StampsOfTwoProcessesAreSynchronizedWithinTheirBound) {
  const RunResult made = Shell(std::string(SYNCLINE_STAMP_EXAMPLE) + " " + folder_.string());
  ASSERT_EQ(made.exit_code, 0) << made.output;
  const std::string inputs = At("asker.txt") + " " + At("answerer.txt");
  const auto summary = Summary("sync " + inputs + " --reference asker -o " + At("out"), 0);
  // Two bursts of 100 exchanges, and 200 requests with their answers.
  EXPECT_EQ(summary["messages"]["total"], 2 * 2 * 100 + 2 * 200);
  EXPECT_EQ(summary["messages"]["unmatched_sends"], 0);
  EXPECT_EQ(summary["messages"]["inverted_after"], 0);
  for (const auto& clock : summary["clocks"]) {
    // Where a process was interrupted between its clock's two readings, both may be wrong by more
    // than the messages allow; 50 µs leave room for that.
    EXPECT_LE(std::abs(clock["offset_ns"].get<int64_t>()),
              clock["bound_ns"]["worst"].get<int64_t>() + 50'000);
  }
  EXPECT_EQ(Syncline("check " + inputs).exit_code, 0);
  EXPECT_THAT(Syncline("concurrency " + inputs).output, HasSubstr("asker for answerer"));
}

}  // namespace
}  // namespace syncline
