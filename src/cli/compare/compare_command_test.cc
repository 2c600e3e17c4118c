// `compare` on the shipped captures: its figures are those of `sync`, and what fails is a row.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class CompareCommand : public CommandTest {
 protected:
  std::string TruthOption() const { return " --truth " + Sample("truth.json"); }
  nlohmann::json Compare(const std::string& arguments, int exit_code) {
    return Summary("compare " + arguments, exit_code);
  }
  // Two clocks of which only one sends.
  std::string OneWayTrace() const {
    std::string trace = "clock a 1000000000\nclock b 1000000000\nprocess a a\nprocess b b\n";
    for (int i = 0; i < 20; ++i) {
      trace += fmt::format("{0} a send b m{1}\n{2} b recv a m{1}\n", i * 1'000'000, i,
                           i * 1'000'000 + 500 + i % 3);
    }
    WriteBytes(At("one-way.txt"), trace);
    return At("one-way.txt");
  }
};

nlohmann::json BoundsByClock(const nlohmann::json& clocks) {
  nlohmann::json bounds;
  for (const auto& clock : clocks) {
    bounds[clock["name"].get<std::string>()] = {clock["bound_ns"], clock["quality"],
                                                clock["offset_ns"], clock["drift_ppm"]};
  }
  return bounds;
}

// Every method's figures are those of `sync` for it.
class CompareWithSync : public CompareCommand {
 protected:
  void Check(const std::string& inputs_and_truth) {
    const RunResult run = Syncline("compare " + inputs_and_truth + " -q --json " + At("all.json"));
    ASSERT_THAT(run.exit_code, testing::AnyOf(0, 3)) << run.output;
    const auto comparison = nlohmann::json::parse(ReadBytes(At("all.json")));
    ASSERT_GE(comparison["methods"].size(), 4);
    const std::string how = " --logical none --force --reference '" +
                            comparison["reference"].get<std::string>() + "' -o " + At("out");
    for (const auto& method : comparison["methods"]) {
      if (method["failure"].is_null()) CheckMethod(method, inputs_and_truth + how);
    }
  }

 private:
  void CheckMethod(const nlohmann::json& method, const std::string& arguments) {
    SCOPED_TRACE(method["name"].get<std::string>());
    std::string how = " --group " + method["group"].get<std::string>();
    if (!method["method"].is_null()) how += " --method " + method["method"].get<std::string>();
    const auto s = Summary("sync " + arguments + how, method["weak"].get<bool>() ? 3 : 0);
    EXPECT_EQ(method["inverted"], s["messages"]["inverted_after"]);
    EXPECT_EQ(method["too_fast"], s["messages"]["too_fast_after"]);
    EXPECT_EQ(BoundsByClock(method["clocks"]), BoundsByClock(s["clocks"]));
    EXPECT_EQ(method["truth"]["max_error_ns"], s["truth"]["max_error_ns"]);
    EXPECT_EQ(method["truth"]["events"], s["truth"]["events"]);
    EXPECT_EQ(method["truth"]["outside_bound"], s["truth"]["outside_bound"]);
    const double rms = s["truth"]["rms_error_ns"];
    EXPECT_NEAR(method["truth"]["rms_error_ns"].get<double>(), rms, rms * 1e-9);
  }
};

TEST_F(CompareWithSync, HasTheSameFiguresOfCaptures) { Check(Samples() + TruthOption()); }

TEST_F(CompareWithSync, HasTheSameFiguresOfTextsAndArchives) {
  for (const auto& [format, trace] :
       {std::pair("text", "trace.txt"), std::pair("otf2", "trace/traces.otf2")}) {
    SCOPED_TRACE(format);
    const RunResult run =
        Syncline(fmt::format("simulate ring --processes 4 --steps 50 --clock '*:offset=~1ms' "
                             "--clock '*:drift=~50ppm' --format {} -f -q -o {}",
                             format, At("ring")));
    if (run.exit_code == 2) continue;  // built without libotf2
    ASSERT_EQ(run.exit_code, 0) << run.output;
    Check(At("ring/") + trace + " --min-delay 100 --truth " + At("ring/truth.json"));
  }
}

TEST_F(CompareCommand, ChoosesTheReferenceThatSyncChooses) {
  EXPECT_EQ(Compare(Samples() + " --methods joint", 3)["reference"],
            Summary("sync " + Samples() + " --group tree-error -o " + At("out"), 3)["reference"]);
  EXPECT_EQ(Compare(Samples() + " --reference c", 3)["reference"], "c");
}

// The least-delay line leaves the fastest messages no delay: of 20, 7 have 0, 7 have 1 and 6 have
// 2 ns.
TEST_F(CompareCommand, GivesTheResidualAsRootMeanSquareOfCorrectedDelays) {
  const auto comparison = Compare(OneWayTrace() + " --methods tree-error/widest", 3);
  EXPECT_NEAR(comparison["methods"][0]["residual_ns"].get<double>(),
              std::sqrt((7 * 1 + 6 * 4) / 20.0), 1e-9);
}

// Two clocks, messages every 10 ms both ways that take 1 ms; b runs fast by 100 ppm for a second.
std::string SlewedTrace() {
  std::string trace = "clock a 1000000000\nclock b 1000000000\nprocess a a\nprocess b b\n";
  const auto at_b = [](int64_t t) {
    return t + std::clamp<int64_t>(t - 1'000'000'000, 0, 1'000'000'000) / 10'000;
  };
  for (int64_t i = 0; i < 300; ++i) {
    const int64_t t = i * 10'000'000;
    trace += fmt::format("{} a send b {}\n{} b recv a {}\n", t, i, at_b(t + 10'000), i);
    trace +=
        fmt::format("{} b send a {}\n{} a recv b {}\n", at_b(t + 5'000'000), i, t + 5'010'000, i);
  }
  return trace;
}

TEST_F(CompareCommand, RanksWhatAssumesTheSameAndIsNotContradicted) {
  WriteBytes(At("slewed.txt"), SlewedTrace());
  const auto slewed = Compare(At("slewed.txt"), 0);
  ASSERT_EQ(slewed["assumptions"].size(), 2);
  EXPECT_EQ(slewed["assumptions"][0]["assumes"],
            "clocks whose rates stay within 200 ppm of the reference");
  EXPECT_EQ(slewed["best"]["name"], "drift-bounded");
  EXPECT_EQ(slewed["assumptions"][1]["contradiction"],
            "no constant rate within 200 ppm fits all messages between a and b");
  EXPECT_TRUE(slewed["assumptions"][1]["best"].is_null());
  const auto straight = Compare(Samples(), 3);
  ASSERT_EQ(straight["assumptions"].size(), 2);
  EXPECT_EQ(straight["assumptions"][0]["best"]["name"], "drift-bounded");
  EXPECT_EQ(straight["assumptions"][1]["best"]["name"], "tree-error/widest");
  EXPECT_TRUE(straight["assumptions"][1]["contradiction"].is_null());
}

TEST_F(CompareCommand, SaysThatNothingCanBeCompared) {
  WriteBytes(At("slewed.txt"), SlewedTrace());
  const auto comparison = Compare(At("slewed.txt") + " --methods tree-error,joint", 3);
  EXPECT_TRUE(comparison["best"].is_null());
  const RunResult run = Syncline("compare " + At("slewed.txt") + " --methods tree-error,joint");
  EXPECT_THAT(run.output, HasSubstr("\nNo method's figures can be compared: messages contradict "));
}

TEST_F(CompareCommand, RunsOnlyTheMethodsAskedFor) {
  const auto comparison = Compare(Samples() + " --methods joint,bisector", 3);
  std::vector<std::string> names;
  for (const auto& method : comparison["methods"]) names.push_back(method["name"]);
  EXPECT_THAT(names, testing::ElementsAre("tree-error/bisector", "joint"));
}

TEST_F(CompareCommand, ShowsMethodsThatFindNothingAndTheReason) {
  WriteBytes(At("alone.txt"), "clock a 1000000000\nprocess a a\n5 a mark x\n");
  const RunResult run = Syncline("compare " + At("alone.txt"));
  EXPECT_EQ(run.exit_code, 4) << run.output;
  EXPECT_THAT(run.output, HasSubstr("no correction"));
  EXPECT_THAT(run.output, HasSubstr("all methods: there is only one clock"));
}

TEST_F(CompareCommand, SaysOnStandardErrorWhyNoMethodFindsACorrection) {
  WriteBytes(At("alone.txt"), "clock a 1000000000\nprocess a a\n5 a mark x\n");
  for (const char* how : {" -q", " >/dev/null"}) {
    const RunResult run = Syncline("compare " + At("alone.txt") + how);
    EXPECT_EQ(run.exit_code, 4);
    EXPECT_THAT(run.output, StartsWith("syncline: no method finds a correction: drift-bounded: "
                                       "there is only one clock"));
  }
}

TEST_F(CompareCommand, SaysWhichClockNothingRelatesToTheOthers) {
  const std::string path = OneWayTrace();
  WriteBytes(path, ReadBytes(path) + "clock c 1000000000\nprocess c c\n5 c mark x\n");
  const RunResult run = Syncline("compare " + path);
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.output, HasSubstr("all methods: 1 × unrelated-clock (c)"));
  EXPECT_THAT(run.output, HasSubstr("0 of 1 clock"));
}

TEST_F(CompareCommand, ReadsACaptureFromStandardInput) {
  const auto made = [&](const std::string& command) {
    const RunResult run = Shell(command + " --methods closure --json - -q");
    EXPECT_EQ(run.exit_code, 0) << run.output;
    return nlohmann::json::parse(run.output);
  };
  const std::string compare = SYNCLINE_PROGRAM " compare " + Sample("b.pcap");
  const auto from_file = made(compare + " " + Sample("a.pcap"));
  const auto from_pipe = made("cat " + Sample("a.pcap") + " | " + compare + " a=-");
  EXPECT_EQ(from_pipe["messages"], from_file["messages"]);
  EXPECT_EQ(from_pipe["methods"][0]["clocks"], from_file["methods"][0]["clocks"]);
}

TEST_F(CompareCommand, ListsMethodsWithoutTraces) {
  const RunResult run = Syncline("compare --list");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.output, StartsWith("method "));
  EXPECT_THAT(run.output, HasSubstr("\ntree-error/widest "));
}

TEST_F(CompareCommand, RefusesWrongUsage) {
  const struct {
    std::string arguments;
    const char* message;
  } cases[] = {{"", "needs INPUT"},
               {Samples() + " --methods widset", "no method called \"widset\""},
               {Samples() + " --reference e", "no clock called \"e\""},
               {Samples() + " --group joint", "--group"},
               {Samples() + " --max-drift-ppm -1", "--max-drift-ppm"},
               {Samples() + " --methods joint,widest --assume constant-rate",
                "none of --methods uses --assume"},
               {Samples() + " --methods widest --max-suspects 0", "uses --max-suspects"},
               {Samples() + " --confidence 0.9", "--confidence"},
               {Samples() + " --bounds 9", "--bounds"},
               {"- --truth " + Sample("truth.json") + " </dev/null", "standard input"},
               {Samples() + " --json " + Sample("a.pcap") + " --force", "never overwritten"}};
  for (const auto& c : cases) {
    const RunResult run = Syncline("compare " + c.arguments);
    EXPECT_EQ(run.exit_code, 1) << run.output;
    EXPECT_THAT(run.output, HasSubstr(c.message));
  }
  EXPECT_EQ(Syncline("compare " + At("missing.pcap")).exit_code, 2);
}

TEST_F(CompareCommand, DrawsEveryPairAndClock) {
  const auto comparison = Compare(Samples() + TruthOption() + " --plots " + At("plots"), 3);
  ASSERT_EQ(comparison["reference"], "b");
  // Pairs: a-b a-c a-d b-c b-d c-d. Clocks beside the reference: a c d, each with its error.
  EXPECT_EQ(comparison["plots"].size(), 6 + 3 + 3);
  for (const std::string path : comparison["plots"]) {
    const std::string svg = ReadBytes(path);
    EXPECT_LT(svg.size(), 100'000) << path;
    EXPECT_THAT(svg, StartsWith("<svg ")) << path;
    EXPECT_THAT(svg, testing::EndsWith("</svg>\n")) << path;
    EXPECT_THAT(svg, Not(HasSubstr("nan"))) << path;
    EXPECT_THAT(svg, HasSubstr(">joint</text>")) << path;
  }
  for (const char* name : {"corridor-a-b", "bounds-c", "error-d"}) {
    EXPECT_TRUE(fs::exists(folder_ / "plots" / (std::string(name) + ".svg"))) << name;
  }
}

// 18 clocks in a row: 17 pairs.
TEST_F(CompareCommand, DrawsTheLargestOfManyAndCountsTheOthers) {
  constexpr int kClocks = 18;
  std::string trace;
  for (int i = 0; i < kClocks; ++i) {
    trace += fmt::format("clock c{0} 1000000000\nprocess c{0} c{0}\n", i);
  }
  int message = 0;
  for (int i = 0; i + 1 < kClocks; ++i) {
    for (const auto& [from, to] : {std::pair(i, i + 1), std::pair(i + 1, i)}) {
      const int64_t at = int64_t{1'000'000} * message;
      trace += fmt::format("{} c{} send c{} m{}\n", at, from, to, message);
      trace += fmt::format("{} c{} recv c{} m{}\n", at + 1000, to, from, message++);
    }
  }
  WriteBytes(At("row.txt"), trace);
  const auto comparison = Compare(
      At("row.txt") + " --methods tree-error/widest --reference c5 --plots " + At("plots"), 0);
  EXPECT_EQ(DiagnosticCount(comparison, "plots-left-out"), (17 - 16) + (18 - 16));
  EXPECT_EQ(comparison["plots"].size(), 16 + 16 - 1);  // the reference has no bounds
}

TEST_F(CompareCommand, JsonFollowsItsSchema) {
  if (Shell("python3 -c 'import jsonschema'").exit_code != 0) GTEST_SKIP() << "no jsonschema";
  WriteBytes(At("alone.txt"), "clock a 1000000000\nprocess a a\n5 a mark x\n");
  ASSERT_FALSE(Compare(Samples() + TruthOption(), 3).is_null());
  fs::rename(At("summary.json"), At("samples.json"));
  ASSERT_FALSE(Compare(At("alone.txt"), 4).is_null());
  const RunResult check =
      Shell("python3 -B " + std::string(SYNCLINE_SOURCE_DIR) + "/tools/check_summary.py " +
            At("samples.json") + " " + At("summary.json"));
  EXPECT_EQ(check.exit_code, 0) << check.output;
}

TEST_F(CompareCommand, PlotsAreWellFormed) {
  if (!HasTool("python3")) GTEST_SKIP() << "there is no python3";
  ASSERT_EQ(Syncline("compare " + Samples() + TruthOption() + " --plots " + At("plots")).exit_code,
            3);
  const RunResult parse = Shell(
      "python3 -c 'import sys, xml.dom.minidom\n"
      "for name in sys.argv[1:]: xml.dom.minidom.parse(name)' " +
      At("plots") + "/*.svg");
  EXPECT_EQ(parse.exit_code, 0) << parse.output;
}

TEST_F(CompareCommand, ReplacesPlotsOnlyWhenForced) {
  const std::string arguments = "compare " + Samples() + " --methods joint --plots " + At("plots");
  EXPECT_EQ(Syncline(arguments).exit_code, 3);
  const RunResult again = Syncline(arguments);
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.output, HasSubstr("already exists"));
  EXPECT_EQ(Syncline(arguments + " --force").exit_code, 3);
}

TEST_F(CompareCommand, ReadsTextFromStandardInput) {
  const RunResult run = Shell("cat " + OneWayTrace() + " | " + SYNCLINE_PROGRAM + " compare -");
  EXPECT_EQ(run.exit_code, 3) << run.output;
  EXPECT_THAT(run.output, HasSubstr("incomplete, messages in one direction only"));
}

}  // namespace
}  // namespace syncline
