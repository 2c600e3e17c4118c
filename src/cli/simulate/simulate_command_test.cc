// The command simulate as a user calls it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

class SimulateCommand : public CommandTest {};

TEST_F(SimulateCommand, WritesATraceAndItsTruthThatSyncAccepts) {
  const RunResult made = Syncline(
      "simulate grid --steps 40 --clock '*:drift=~50ppm' --clock '3:offset=1ms' -o " + At("sim"));
  ASSERT_EQ(made.exit_code, 0) << made.output;
  const RunResult synced = Syncline("sync " + At("sim/trace.txt") + " --truth " +
                                    At("sim/truth.json") + " -o " + At("out"));
  // 3: other methods than this test's may be needed to leave no message inverted.
  EXPECT_TRUE(synced.exit_code == 0 || synced.exit_code == 3) << synced.output;
  const auto summary = nlohmann::json::parse(ReadBytes(At("out/syncline.json")));
  // Every one of the 20 processes sends to each neighbour in each of the 40 steps.
  EXPECT_EQ(summary["messages"]["total"], 2 * (2 * 4 * 5 - 4 - 5) * 40);
  EXPECT_EQ(summary["truth"]["outside_bound"], 0);
}

// 0.1 % of the messages of a run that would otherwise be without any contradiction.
TEST_F(SimulateCommand, WrongMatchesAreFoundAsSuspects) {
  const RunResult made = Syncline(
      "simulate random --steps 3000 --route 0:300us --wrong-matches 0.001 --clock '*:drift=~50ppm' "
      "-o " +
      At("sim"));
  ASSERT_EQ(made.exit_code, 0) << made.output;
  const RunResult checked = Syncline("check --json - " + At("sim/trace.txt") + " 2>/dev/null");
  ASSERT_EQ(checked.exit_code, 3) << checked.output;
  const auto summary = nlohmann::json::parse(checked.output);
  EXPECT_EQ(summary["messages"]["total"], 8 / 2 * 3000);
  EXPECT_GT(summary["suspects"].size(), 0U);
  EXPECT_LE(summary["suspects"].size(), 30U);
}

TEST_F(SimulateCommand, GivesTheSameBytesForTheSameSeedOnly) {
  const auto trace = [&](const std::string& seed) {
    const RunResult made = Syncline(
        "simulate random --force --collectives 3 --clock '*:walk=1ppm/1ms' "
        "--seed " +
        seed + " -o " + At("sim"));
    EXPECT_EQ(made.exit_code, 0) << made.output;
    return ReadBytes(At("sim/trace.txt")) + ReadBytes(At("sim/truth.json"));
  };
  const std::string first = trace("18446744073709551615");
  EXPECT_EQ(trace("18446744073709551615"), first);
  EXPECT_NE(trace("1"), first);
}

TEST_F(SimulateCommand, NeverReplacesAnOutputUnasked) {
  ASSERT_EQ(Syncline("simulate two -o " + At("sim")).exit_code, 0);
  const std::string before = ReadBytes(At("sim/trace.txt"));
  EXPECT_EQ(Syncline("simulate two --seed 2 --bytes 7 -o " + At("sim")).exit_code, 1);
  EXPECT_EQ(ReadBytes(At("sim/trace.txt")), before);
  EXPECT_EQ(Syncline("simulate two --seed 2 --bytes 7 --force -o " + At("sim")).exit_code, 0);
  EXPECT_NE(ReadBytes(At("sim/trace.txt")), before);
}

TEST_F(SimulateCommand, NeedsAFolder) {
  const RunResult run = Syncline("simulate two -o -");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.output, testing::HasSubstr("-o needs a folder, not standard output"));
  EXPECT_FALSE(fs::exists("-"));
  EXPECT_EQ(Syncline("simulate two -o " + At("sim.gz")).exit_code, 1);
  EXPECT_FALSE(fs::exists(At("sim.gz")));
}

TEST_F(SimulateCommand, LeavesNothingBehindWhenItFails) {
  const RunResult run =
      Syncline("simulate ring --steps 10 --compute 200000h:300000h -o " + At("sim"));
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.output.find("passes 2^62 ns"), std::string::npos) << run.output;
  EXPECT_FALSE(fs::exists(At("sim")));
}

TEST_F(SimulateCommand, NamesTheOptionAndTheCharacterThatIsWrong) {
  const struct {
    const char* arguments;
    const char* message;
  } cases[] = {
      {"grid --clock 3:ofset=1ms",
       "--clock: '3:ofset=1ms': at character 3: expected offset, drift"},
      {"grid --delay 5mz", "--delay: '5mz': at character 2: expected the unit"},
      {"grid --grid 3by4", "--grid: '3by4': at character 2: expected 'x', found 'by4'"},
      {"grid --processes -3", "--processes: '-3': at character 1: expected a number"},
      {"two --grid 2x2", "the scenario two knows no --grid"},
      {"grid --steps 3 --events 4", "--steps and --events exclude each other"},
      {"ring --wrong-matches 2", "--wrong-matches: '2': at character 1: expected a share from 0"},
      {"ring --format otf2 --wrong-matches 0.1", "MPI messages have no numbers"},
      {"ring --steps 9223372036854775807", "at most 1000000000 --steps"},
      {"ring --events 9223372036854775807", "100000000000 --events"},
      {"circle", "SCENARIO"},
  };
  for (const auto& c : cases) {
    const RunResult run = Syncline("simulate -o " + At("sim") + " " + c.arguments);
    EXPECT_EQ(run.exit_code, 1) << c.arguments;
    EXPECT_NE(run.output.find(c.message), std::string::npos) << run.output;
    EXPECT_FALSE(fs::exists(At("sim"))) << c.arguments;
  }
}

TEST_F(SimulateCommand, TakesOptionsFromAFile) {
  WriteBytes(At("options"), "steps = 3\nclock = [\"0:offset=1s\", \"1:offset=2s\"]\n");
  const RunResult run = Syncline("simulate two --config " + At("options") + " -o " + At("sim"));
  ASSERT_EQ(run.exit_code, 0) << run.output;
  const std::string trace = ReadBytes(At("sim/trace.txt"));
  EXPECT_NE(trace.find("\n1000000000 0 send 1 0 1024\n"), std::string::npos);
  // Two seconds ahead, and the scenario's own millisecond behind.
  EXPECT_NE(trace.find("\n1999000000 1 send 0 0 1024\n"), std::string::npos);
}

TEST_F(SimulateCommand, TellsTheTruthOfClocksThatStepBack) {
  const RunResult run = Syncline("simulate two --clock 1:jump=-1s@5s -o " + At("sim"));
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_NE(
      ReadBytes(At("sim/truth.json")).find("[4999499999, 4999999999], [3999500000, 5000000000]"),
      std::string::npos)
      << ReadBytes(At("sim/truth.json"));
}

// Eight ranks on four hosts for ten minutes: transfers of each to the next, and collectives of all
// and of two groups, of every kind that NCCL has.
TEST_F(SimulateCommand, ProfilesOfRanksAreCorrectedWithinTheirBounds) {
  const RunResult made = Syncline(
      "simulate ring --format chrome --steps 1500 --compute 380ms:420ms --collectives 2 "
      "--group-size 4 --start 400000h --clock '2-3:offset=1.7s+drift=35ppm' "
      "--clock '4-5:offset=-420ms+drift=-12ppm' --clock '6-7:offset=95ms+drift=120ppm' -o " +
      At("sim"));
  ASSERT_EQ(made.exit_code, 0) << made.output;
  std::string ranks = " --reference c0 --truth " + At("sim/truth.json");
  for (int r = 0; r < 8; ++r)
    ranks += fmt::format(" c{}={}", r / 2 * 2, At(fmt::format("sim/c{}.json", r)));
  // Collectives are told by their ids, or without these by groups and numbers; transfers by order.
  for (const bool has_ids : {true, false}) {
    for (int r = 0; r < 8 && !has_ids; ++r) {
      const std::string path = At(fmt::format("sim/c{}.json", r));
      std::string text = ReadBytes(path);
      for (size_t at = 0; (at = text.find("Comms", at)) != std::string::npos;) text[at] = 'c';
      WriteBytes(path, text);
    }
    const auto s = Summary("sync --force -o " + At("out") + ranks, 3);
    EXPECT_EQ(s["messages"]["total"], 8 * 1500);
    EXPECT_EQ(s["messages"]["inverted_after"], 0);
    EXPECT_EQ(DiagnosticCount(s, "unmatched-collective"), 0);
    EXPECT_EQ(DiagnosticCount(s, "operations-matched-by-order"), 8 * 1500);
    EXPECT_GT(s["logical"]["collectives"]["ends"].get<int>(), 4 * 750);
    EXPECT_EQ(s["truth"]["outside_bound"], 0);
    EXPECT_LT(s["truth"]["max_error_ns"].get<int64_t>(), 20'000);
    EXPECT_NEAR(ByName(s["clocks"], "c6")["drift_ppm"].get<double>(), 120, 0.1);
  }
}

class SimulateOtf2 : public SimulateCommand {
 protected:
  void SetUp() override {
    SimulateCommand::SetUp();
    if (Syncline("simulate --help").output.find("otf2 is not in this build") != std::string::npos) {
      GTEST_SKIP() << "built without OTF2";
    }
  }
  static uint64_t Lines(const std::string& text, const std::string& start) {
    uint64_t lines = 0;
    for (size_t at = 0; (at = text.find("\n" + start + " ", at)) != std::string::npos; ++at)
      ++lines;
    return lines;
  }
};

TEST_F(SimulateOtf2, WritesAnArchiveThatOtf2PrintReads) {
  const RunResult made = Syncline(
      "simulate grid --grid 2x3 --steps 12 --collectives 1 --start 1h --clock '*:offset=~1s' "
      "--format otf2 -o " +
      At("sim"));
  ASSERT_EQ(made.exit_code, 0) << made.output;
  EXPECT_TRUE(fs::exists(At("sim/truth.json")));
  if (!HasTool("otf2-print")) GTEST_SKIP() << "otf2-print is not installed";
  const RunResult events = Shell("otf2-print " + At("sim/trace/traces.otf2"));
  EXPECT_EQ(events.exit_code, 0);
  EXPECT_EQ(events.output.find("warning"), std::string::npos) << events.output;
  constexpr uint64_t kMessages = 2 * (2 * 2 * 3 - 2 - 3) * 12;
  constexpr uint64_t kCollectives = 6 * 12;
  EXPECT_EQ(Lines(events.output, "MPI_SEND"), kMessages);
  EXPECT_EQ(Lines(events.output, "MPI_RECV"), kMessages);
  EXPECT_EQ(Lines(events.output, "MPI_COLLECTIVE_BEGIN"), kCollectives);
  EXPECT_EQ(Lines(events.output, "MPI_COLLECTIVE_END"), kCollectives);
  // Border and interior, and every call.
  const uint64_t regions = 2 * 6 * 12 + 2 * kMessages + kCollectives;
  EXPECT_EQ(Lines(events.output, "ENTER"), regions);
  EXPECT_EQ(Lines(events.output, "LEAVE"), regions);
}

TEST_F(SimulateOtf2, ReplacesAnArchiveOnlyWhenAsked) {
  const std::string arguments = "simulate ring --steps 2 --format otf2 -o " + At("sim");
  EXPECT_EQ(Syncline(arguments).exit_code, 0);
  EXPECT_EQ(Syncline(arguments).exit_code, 1);
  EXPECT_EQ(Syncline(arguments + " --force").exit_code, 0);
  for (const char* foreign : {"sim/trace/notes.txt", "sim/trace/traces/notes.txt"}) {
    WriteBytes(At(foreign), "mine");
    EXPECT_EQ(Syncline(arguments + " --force").exit_code, 1) << foreign;
    EXPECT_EQ(ReadBytes(At(foreign)), "mine");
    fs::remove(At(foreign));
  }
  fs::remove_all(At("sim/trace"));
  fs::create_directories(At("sim/trace/something else"));
  EXPECT_EQ(Syncline(arguments + " --force").exit_code, 1);
  EXPECT_TRUE(fs::exists(At("sim/trace/something else")));
}

TEST_F(SimulateOtf2, EndedByASignalItLeavesNothing) {
  const RunResult run =
      Shell("timeout --signal=INT --preserve-status 0.3 " + std::string(SYNCLINE_PROGRAM) +
            " simulate random --steps 1000000 --format otf2 -o " + At("sim"));
  EXPECT_NE(run.exit_code, 0) << run.output;
  EXPECT_FALSE(fs::exists(At("sim")));
}

TEST_F(SimulateOtf2, RefusesTimesThatOtf2CannotHold) {
  const struct {
    const char* clock;
    const char* message;
  } cases[] = {{"0:offset=-1ms", "clock c0 shows -1000000 ns, and OTF2 knows no negative times"},
               {"1:jump=-50ms@60ms", "clock c1 steps back, which OTF2 cannot hold"}};
  for (const auto& c : cases) {
    const RunResult run =
        Syncline("simulate ring --format otf2 -o " + At("sim") + " --clock " + c.clock);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_NE(run.output.find(c.message), std::string::npos) << run.output;
    EXPECT_FALSE(fs::exists(At("sim")));
  }
}

}  // namespace
}  // namespace syncline
