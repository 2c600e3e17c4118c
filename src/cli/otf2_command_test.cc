// The whole program on OTF2 archives that eztrace recorded, and on damaged ones.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

using testing::HasSubstr;

class Otf2Command : public CommandTest {
 protected:
  static std::string Ring() {
    return std::string(SYNCLINE_SOURCE_DIR) + "/src/read/otf2/testdata/ring";
  }
  static std::string Anchor(const std::string& folder) { return folder + "/eztrace_log.otf2"; }
  std::string Out() const { return At("out"); }
  // A copy of the sample that may be damaged.
  std::string Copy() const {
    std::string copy = At("ring");
    fs::copy(Ring(), copy, fs::copy_options::recursive);
    fs::permissions(copy, fs::perms::owner_all);
    return copy;
  }
  static std::vector<fs::path> EventFiles(const std::string& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder + "/eztrace_log")) {
      if (entry.path().extension() == ".evt") files.push_back(entry.path());
    }
    return files;
  }
  // The time column of what otf2-print shows must not decrease: it merges locations by time and
  // would otherwise warn.
  static void ExpectReadable(const std::string& folder) {
    if (!HasTool("otf2-print")) return;
    const RunResult run = Shell("otf2-print " + Anchor(folder) + " 2>/dev/null");
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_THAT(run.output, HasSubstr("MPI_SEND"));
  }
};

TEST_F(Otf2Command, AnotherReaderFindsNoInvertedMessageInWhatItWrites) {
  if (Shell("/usr/bin/python3 -c 'import otf2'").exit_code != 0) {
    GTEST_SKIP() << "python3-otf2 is not installed";
  }
  const auto counted = [](const std::string& anchor) {
    return Shell("/usr/bin/python3 " SYNCLINE_SOURCE_DIR "/src/cli/testdata/count_inverted.py " +
                 anchor)
        .output;
  };
  Syncline(
      "simulate ring --processes 4 --steps 20 --format otf2 --start 1s --clock "
      "'*:offset=~1ms+drift=~50ppm' -o " +
      At("sim"));
  const std::string recorded = At("sim/trace/traces.otf2");
  EXPECT_EQ(counted(recorded), "80 messages, 30 inverted\n");
  for (const std::string write : {"metadata", "events"}) {
    EXPECT_EQ(
        Syncline(fmt::format("sync {} --write {} -o {}", recorded, write, At(write))).exit_code, 0);
    EXPECT_EQ(counted(At(write + "/traces.otf2")), "80 messages, 0 inverted\n") << write;
  }
}

TEST_F(Otf2Command, CorrectsByDefinitionsAloneAndLeavesNoContradiction) {
  const auto s = Summary("sync " + Anchor(Ring()) + " -o " + Out(), 3);
  EXPECT_EQ(s["messages"]["total"], 30);
  EXPECT_EQ(s["messages"]["inverted_before"], 20);
  EXPECT_EQ(s["messages"]["inverted_after"], 0);
  EXPECT_EQ(s["logical"]["collectives"]["ends"], 60);
  EXPECT_EQ(s["logical"]["collectives"]["violated_after"], 0);
  // Receives of eztrace's MPI_Irecv never complete: what they received is in doubt.
  EXPECT_EQ(DiagnosticCount(s, "ambiguous-message"), 30U);
  for (const fs::path& file : EventFiles(Ring())) {
    EXPECT_TRUE(ReadBytes(file) == ReadBytes(Out() + "/eztrace_log/" + file.filename().string()))
        << file;
  }
  ExpectReadable(Out());
  const auto again = Summary("check " + Anchor(Out()), 3);
  EXPECT_EQ(again["messages"]["inverted_before"], 0);
}

TEST_F(Otf2Command, AnArchiveAppearsTogetherWithTheSummaryOrNotAtAll) {
  if (!fs::is_character_file("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  for (const std::string command :
       {"sync {0} --write metadata -o {1}", "sync {0} --write events -o {1}", "filter {0} {1}",
        "filter {0} {1} --write events"}) {
    // The last of the outputs cannot be written.
    const std::string run = fmt::format(fmt::runtime(command), Anchor(Ring()), Out());
    EXPECT_EQ(Syncline(run + " -f --json /dev/full").exit_code, 2) << command;
    EXPECT_FALSE(fs::exists(Out())) << command;
  }
  ASSERT_EQ(Syncline("sync " + Anchor(Ring()) + " -o " + Out()).exit_code, 3);
  const std::string before = ReadBytes(Anchor(Out()));
  const std::string summary = ReadBytes(Out() + "/syncline.json");
  EXPECT_EQ(Syncline("sync " + Anchor(Ring()) + " -f -o " + Out() + " --json /dev/full").exit_code,
            2);
  EXPECT_EQ(ReadBytes(Anchor(Out())), before);
  EXPECT_EQ(ReadBytes(Out() + "/syncline.json"), summary);
}

// libotf2 itself calls it a success.
TEST_F(Otf2Command, AnEventFileThatMayNotGrowIsAnError) {
  const std::string simulate = "simulate ring --processes 2 --steps 9000 --format otf2 -q -o ";
  ASSERT_EQ(Syncline(simulate + At("sim")).exit_code, 0);
  ASSERT_GT(fs::file_size(At("sim/trace/traces/0.evt")), 200u * 1024);
  for (const std::string& command :
       {"sync " + At("sim/trace/traces.otf2") + " --write events -q -o " + Out(),
        simulate + Out()}) {
    const RunResult run = Shell("ulimit -f 100; " + std::string(SYNCLINE_PROGRAM) + " " + command);
    EXPECT_EQ(run.exit_code, 2) << run.output;
    EXPECT_THAT(run.output, testing::HasSubstr("File is too large"));
    EXPECT_FALSE(fs::exists(Out())) << command;
  }
}

TEST_F(Otf2Command, AReportHoldsTheNamesOfRegionsAndEveryEvent) {
  ASSERT_EQ(Syncline("simulate ring --processes 3 --steps 5 --format otf2 --detail calls -q -o " +
                     At("sim"))
                .exit_code,
            0);
  const auto s = Summary(
      fmt::format("sync {} -q -o {} --report {}", At("sim/trace/traces.otf2"), Out(), At("r.html")),
      0);
  const std::string html = ReadBytes(At("r.html"));
  const std::string open = "<script id=\"meta\" type=\"application/json\">";
  const size_t from = html.find(open) + open.size();
  const auto trace =
      nlohmann::json::parse(html.substr(from, html.find("</script>", from) - from))["trace"];
  for (const char* name : {"MPI_Send", "MPI_Recv"}) {
    EXPECT_THAT(trace["names"].get<std::vector<std::string>>(), testing::Contains(name));
  }
  uint64_t events = 0;
  for (const auto& process : trace["processes"]) events += process["events"].get<uint64_t>();
  EXPECT_EQ(events, s["inputs"][0]["events"]);
}

TEST_F(Otf2Command, WritesTheSameTimesIntoEvents) {
  ASSERT_EQ(Syncline("sync " + Anchor(Ring()) + " -o " + Out()).exit_code, 3);
  ASSERT_EQ(
      Syncline("sync " + Anchor(Ring()) + " -o " + At("events") + " --write events").exit_code, 3);
  ExpectReadable(At("events"));
  if (!HasTool("otf2-print")) GTEST_SKIP() << "otf2-print is not installed";
  const auto print = [](const std::string& folder) {
    return Shell("otf2-print " + Anchor(folder) + " 2>/dev/null | grep -v otf2 ").output;
  };
  EXPECT_EQ(print(Out()), print(At("events")));
}

TEST_F(Otf2Command, TakesAFolderAndNamesClocksPerNodeOrLocation) {
  const auto s = Summary("check " + Ring() + " --clock-per location", 3);
  EXPECT_EQ(s["clocks"].size(), 3U);
  EXPECT_EQ(s["inputs"][0]["format"], "otf2");
  // All ranks ran on one host: nothing to compare.
  const RunResult run = Syncline("check " + Ring() + " --clock-per node");
  EXPECT_EQ(run.exit_code, 4) << run.output;
  EXPECT_THAT(run.output, HasSubstr("only one clock"));
}

TEST_F(Otf2Command, SaysWhatIsWrongWithADamagedArchive) {
  const std::string copy = Copy();
  const fs::path events = EventFiles(copy)[0];
  fs::resize_file(events, fs::file_size(events) / 2);
  RunResult run = Syncline("sync " + Anchor(copy) + " -o " + Out());
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.output, HasSubstr(events.filename().string()));
  EXPECT_FALSE(fs::exists(Anchor(Out())));

  fs::remove(copy + "/eztrace_log.def");
  run = Syncline("check " + Anchor(copy));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.output, HasSubstr("eztrace_log"));

  WriteBytes(Anchor(copy), ReadBytes(Anchor(copy)).substr(0, 9));
  EXPECT_EQ(Syncline("check " + Anchor(copy)).exit_code, 2);
}

TEST_F(Otf2Command, FiltersAnArchiveByItsOrderAlone) {
  const auto s = Summary("filter " + Anchor(Ring()) + " " + Out(), 3);
  EXPECT_EQ(s["messages"]["inverted_before"], 20);
  EXPECT_EQ(s["messages"]["inverted_after"], 0);
  EXPECT_TRUE(fs::exists(Out() + "/syncline.json"));
  ExpectReadable(Out());
  EXPECT_EQ(Syncline("filter " + Anchor(Ring())).exit_code, 1);
  for (const std::string option : {"--reverse", "--horizon inf", "--order process"}) {
    EXPECT_EQ(Syncline("filter " + Anchor(Ring()) + " " + At("o") + " " + option).exit_code, 1);
  }
}

TEST_F(Otf2Command, FilterCountsDelaysOfClocksThatTheArchiveLacks) {
  const std::string delays = At("delays.txt");
  WriteBytes(delays, "nowhere elsewhere 100\n");
  const auto s = Summary("filter " + Anchor(Ring()) + " " + Out() + " --min-delay " + delays, 3);
  EXPECT_EQ(DiagnosticCount(s, "unknown-delay-clock"), 2U);
  EXPECT_EQ(s["messages"]["inverted_after"], 0);
}

TEST_F(Otf2Command, RefusesWhatMakesNoSense) {
  EXPECT_EQ(
      Syncline("sync " + Anchor(Ring()) + " -o " + Out() + " --merge " + At("m.pcapng")).exit_code,
      1);
  EXPECT_EQ(Syncline("sync " + Samples() + " -o " + Out() + " --write metadata").exit_code, 1);
  EXPECT_EQ(Syncline("sync name=" + Anchor(Ring()) + " -o " + Out()).exit_code, 1);
  const std::string copy = Copy();
  const RunResult run = Syncline("sync " + Anchor(copy) + " -o " + copy + " --force");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.output, HasSubstr("inputs are never overwritten"));
}

// Where pairs may exchange nothing, and for a member that receives nothing.
TEST_F(Otf2Command, NobodyWaitsInCollectivesForWhatMayNotCome) {
  std::string trace =
      "clock a 1000000000\nclock b 1000000000\nprocess A a\nprocess B b\ngroup g A B\n";
  for (int i = 0; i < 4; ++i) {
    trace +=
        fmt::format("{} A send B {}\n{} B recv A {}\n{} B send A {}\n{} A recv B {}\n", i * 100,
                    2 * i, i * 100 + 20, 2 * i, i * 100 + 50, 2 * i + 1, i * 100 + 70, 2 * i + 1);
  }
  int64_t time = 1000;
  for (const std::string kind : {"alltoallv", "alltoallw", "reduce_scatter"}) {
    const int b_receives = kind == "reduce_scatter" ? 8 : 4;
    trace += fmt::format(
        "{1} A collective {0} g {0} begin 8\n{2} A collective {0} g {0} end 0\n"
        "{3} B collective {0} g {0} begin 8\n{4} B collective {0} g {0} end {5}\n",
        kind, time, time + 10, time + 50'000, time + 50'010, b_receives);
    time += 100'000;
  }
  WriteBytes(At("t.txt"), trace);
  const RunResult run =
      Syncline("convert " + At("t.txt") + " --recorded --to otf2 -o " + At("archive"));
  ASSERT_EQ(run.exit_code, 0) << run.output;
  const std::string inputs[] = {At("t.txt"), At("archive")};
  for (const std::string& input : inputs) {
    const auto s = Summary("sync " + input + " --force --reference a -o " + Out(), 0);
    EXPECT_EQ(s["logical"]["events_moved"], 0) << input;
    EXPECT_EQ(s["logical"]["collectives"]["ends"], 1) << input;
  }
}

// A large archive of four ranks, where it is at hand.
class FullArchive : public Otf2Command {
 protected:
  void SetUp() override {
    Otf2Command::SetUp();
    if (!fs::exists(fs::path(SYNCLINE_DATA_DIR) / "otf2")) GTEST_SKIP() << "no large data";
  }
  static std::string Data() { return std::string(SYNCLINE_DATA_DIR) + "/otf2"; }
};

TEST_F(FullArchive, TwoStagesLeaveNoContradictionAndATrueErrorBelowTwoMicroseconds) {
  const auto s = Summary("sync " + Anchor(Data() + "/halo") + " -o " + Out() + " --truth " +
                             Data() + "/halo_truth.json",
                         0);
  EXPECT_EQ(s["messages"]["total"], 20'000);
  EXPECT_EQ(s["messages"]["inverted_before"], 7134);
  EXPECT_EQ(s["messages"]["inverted_after"], 0);
  EXPECT_EQ(s["logical"]["collectives"]["ends"], 1128);
  EXPECT_EQ(s["logical"]["collectives"]["violated_after"], 0);
  EXPECT_LT(s["truth"]["rms_error_ns"].get<double>(), 2000);
  EXPECT_EQ(s["truth"]["outside_bound"], 0);
  EXPECT_LT(s["intervals"]["mean_change"].get<double>(), 1e-4);
  EXPECT_FALSE(s["intervals"]["largest"].is_null());
  for (const fs::path& file : EventFiles(Data() + "/halo")) {
    EXPECT_TRUE(ReadBytes(file) == ReadBytes(Out() + "/eztrace_log/" + file.filename().string()));
  }
}

TEST_F(FullArchive, TheLogicalClockAloneLeavesNoContradiction) {
  const auto s = Summary("filter " + Anchor(Data() + "/halo") + " " + Out(), 0);
  EXPECT_EQ(s["messages"]["inverted_before"], 7134);
  EXPECT_EQ(s["messages"]["inverted_after"], 0);
  EXPECT_EQ(s["logical"]["collectives"]["violated_before"], 632);
  EXPECT_EQ(s["logical"]["collectives"]["violated_after"], 0);
  const auto again = Summary("filter " + Anchor(Out()) + " " + At("again"), 0);
  EXPECT_EQ(again["messages"]["inverted_before"], 0);
  EXPECT_EQ(again["logical"]["events_moved"], 0);
}

TEST_F(FullArchive, ACorrectedArchiveIsReadAsCorrected) {
  const auto s = Summary("check " + Anchor(Data() + "/halo_true"), 0);
  EXPECT_EQ(s["messages"]["inverted_before"], 0);
  EXPECT_EQ(s["messages"]["total"], 20'000);
}

}  // namespace
}  // namespace syncline
