// syncline-mpi writes what syncline writes, byte for byte, on any number of processes.
#include <algorithm>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

using testing::HasSubstr;
using testing::Not;

// But for what tells of this run: seconds, bytes of memory.
std::string WithoutMeasurements(const std::string& text) {
  static const std::regex kMeasured("\"([a-z]+_s|peak_bytes)\": [^,\n]*");
  return std::regex_replace(text, kMeasured, "");
}

class DistributedCommand : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    if (!HasTool("mpirun")) GTEST_SKIP() << "needs mpirun";
  }

  // What syncline-mpi does and says; not what mpirun says of exit codes.
  static RunResult OnProcesses(int processes, const std::string& arguments,
                               const std::string& variables = "") {
    RunResult run =
        Shell(fmt::format("env {} timeout -k 5 60 mpirun --allow-run-as-root --oversubscribe "
                          "--bind-to none -n {} {} {}",
                          variables, processes, SYNCLINE_MPI_PROGRAM, arguments));
    const size_t end = run.output.find("-----");
    if (end != std::string::npos) run.output.resize(end);
    return run;
  }

  static std::string Ring() {
    return SYNCLINE_SOURCE_DIR "/src/read/otf2/testdata/ring/eztrace_log.otf2";
  }
  std::string Simulated(const std::string& options) const {
    const RunResult run =
        Syncline(fmt::format("simulate {} --format otf2 --start 10s -qfo {}", options, At("sim")));
    EXPECT_EQ(run.exit_code, 0) << run.output;
    return At("sim/trace/traces.otf2");
  }

  // The same command, once by one process and once by several: the same text, exit code and files.
  void ExpectSame(int processes, const std::string& command, int exit_code) const {
    const std::string out = command.starts_with("sync") ? " -fo " + At("out") : "";
    fs::remove_all(At("out"));
    const RunResult alone = Syncline(command + out);
    EXPECT_EQ(alone.exit_code, exit_code) << alone.output;
    fs::remove_all(At("alone"));
    if (!out.empty()) fs::rename(At("out"), At("alone"));
    const RunResult shared = OnProcesses(processes, command + out);
    EXPECT_EQ(shared.exit_code, alone.exit_code);
    EXPECT_EQ(shared.output, alone.output);
    if (!out.empty()) ExpectSameFiles();
  }

 private:
  void ExpectSameFiles() const {
    EXPECT_EQ(Files("out"), Files("alone"));
    for (const std::string& file : Files("alone")) {
      const std::string shared = ReadBytes(At("out/" + file));
      const std::string alone = ReadBytes(At("alone/" + file));
      EXPECT_TRUE(shared == alone || WithoutMeasurements(shared) == WithoutMeasurements(alone))
          << file;
    }
  }
  std::vector<std::string> Files(const std::string& folder) const {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(At(folder))) {
      if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), At(folder)));
    }
    std::sort(files.begin(), files.end());
    return files;
  }
};

TEST_F(DistributedCommand, WritesWhatOneProcessWritesOnAnyNumberOfThem) {
  for (const int processes : {1, 2, 3, 7, 16}) {
    SCOPED_TRACE(processes);
    ExpectSame(processes, "sync --accept-weakness " + Ring(), 0);
  }
}

TEST_F(DistributedCommand, DoesSoWithCollectivesJumpsAndTheLogicalClock) {
  const std::string archive = Simulated(
      "grid --grid 8x8 --steps 20 --collectives 3 --clock '*:offset=~1ms+drift=~50ppm' "
      "--clock '3:jump=-5ms@10.02s'");
  for (const std::string options :
       {"", "--logical none", "--write metadata", "--group tree-error", "--clock-per location"}) {
    ExpectSame(5, fmt::format("sync {} {}", archive, options), 0);
  }
  for (const std::string command : {"check", "concurrency"}) {
    ExpectSame(3, command + " " + archive, 0);
  }
}

TEST_F(DistributedCommand, DoesSoWhateverClocksDo) {
  const std::string models[] = {
      "--clock '*:offset=~1ms+walk=5ppm/1s'",
      "--clock '*:offset=~1ms' --clock '3:jump=8ms@10.02s' --clock '7:jump=-5ms@10.03s' "
      "--clock '12:jump=20ms@10.04s'",
      "--clock '*:drift=~50ppm+hz=1000000'",
      "--clock '*:drift=~50ppm' --clock '5:drift=900ppm'",
  };
  for (const std::string& clocks : models) {
    SCOPED_TRACE(clocks);
    const std::string archive = Simulated("grid --grid 4x5 --steps 120 --collectives 20 " + clocks);
    for (const std::string command :
         {"check ", "check --min-delay auto ", "sync --logical none "}) {
      ExpectSame(4, command + archive, 0);
    }
  }
}

TEST_F(DistributedCommand, TakesSeveralInputsOfWhichOnlyArchivesAreDealtOut) {
  const std::string archive = Simulated("random --processes 9 --steps 40");
  ExpectSame(4, fmt::format("check --accept-weakness {} {} {}", archive, Ring(), Samples()), 0);
}

TEST_F(DistributedCommand, RandomTracesOnARandomNumberOfProcesses) {
  for (uint32_t seed = 1; seed <= 6; ++seed) {
    std::mt19937 random(seed);
    const auto drawn = [&](int from, int to) {
      return std::uniform_int_distribution<int>(from, to)(random);
    };
    const std::string archive =
        Simulated(fmt::format("random --processes {} --steps {} --collectives {} --seed {} --clock "
                              "'*:offset=~{}us+walk=0.1ppm/1s'",
                              drawn(2, 30), drawn(1, 60), drawn(1, 9), seed, drawn(1, 900)));
    const int processes = drawn(1, 9);
    SCOPED_TRACE(fmt::format("seed {}, {} processes", seed, processes));
    ExpectSame(processes, "check --accept-weakness " + archive, 0);
    ExpectSame(processes, "sync --accept-weakness " + archive, 0);
  }
}

TEST_F(DistributedCommand, ADamagedLocationIsNamedWithTheProcessThatReadIt) {
  const std::string archive = Simulated("random --processes 12 --steps 200");
  for (const auto& entry : fs::directory_iterator(At("sim/trace/traces"))) {
    if (entry.path().filename() == "7.evt") WriteBytes(entry.path(), "no chunk header at all");
  }
  const RunResult run = OnProcesses(4, fmt::format("sync {} -o {}", archive, At("out")));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.output, HasSubstr("traces/7.evt: cannot be opened"));
  EXPECT_THAT(run.output, testing::ContainsRegex("\\(process [1-3] of 4 on "));
  EXPECT_FALSE(fs::exists(At("out/syncline.json")));
}

TEST_F(DistributedCommand, WhatIsWrongIsSaidOnce) {
  const std::vector<std::string> commands = {"sync --no-such-option", "check " + At("missing.otf2"),
                                             "check " + Ring() + " " + At("missing.otf2")};
  for (const std::string& command : commands) {
    const RunResult alone = Syncline(command);
    const RunResult shared = OnProcesses(3, command);
    EXPECT_EQ(shared.exit_code, alone.exit_code) << command;
    EXPECT_EQ(shared.output, alone.output) << command;
  }
}

TEST_F(DistributedCommand, EndsWhenOneOfThemIsKilled) {
  // The last one is killed by the shell that would have become it.
  const RunResult run = Shell(fmt::format(
      "timeout -k 5 10 mpirun --allow-run-as-root --oversubscribe -n 2 {0} check {1} : -n 1 "
      "sh -c 'kill -9 $$' {0}",
      SYNCLINE_MPI_PROGRAM, Ring()));
  EXPECT_EQ(run.exit_code, 137);
  EXPECT_THAT(run.output, Not(HasSubstr("messages")));
}

TEST_F(DistributedCommand, TellsWhatEachProcessCostWhenAsked) {
  const RunResult run = OnProcesses(3, "check -q " + Ring(), "SYNCLINE_MPI_COST=1");
  for (const int process : {0, 1, 2}) {
    EXPECT_THAT(run.output,
                testing::ContainsRegex(fmt::format(
                    "syncline: process {} of 3 on .*: sent [0-9]+ bytes in [0-9]+ messages, peak "
                    "memory [0-9]+ bytes",
                    process)));
  }
}

}  // namespace
}  // namespace syncline
