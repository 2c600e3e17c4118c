// The group methods that need messages per interval, or broadcasts, as a user runs them.
#include <algorithm>
#include <filesystem>
#include <random>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

class GroupCommand : public CommandTest {
 protected:
  static std::string Data(const std::string& name) {
    return std::string(SYNCLINE_DATA_DIR) + "/captures/" + name;
  }
  static bool HasData() {
    return !std::string(SYNCLINE_DATA_DIR).empty() && fs::exists(Data("slew/truth.json"));
  }
  nlohmann::json Sync(const std::string& set, const std::string& group, int exit_code) {
    std::string captures;
    for (const char* host : {"a", "b", "c", "d"}) {
      captures += fmt::format("{}/{}.pcap ", Data(set), host);
    }
    return Summary(fmt::format("sync {}-o {} --force --reference a --logical none --truth "
                               "{}/truth.json --group {}",
                               captures, At("out"), Data(set), group),
                   exit_code);
  }
};

// Of hosts a, b, c and d: 62 s, smallest delays 279 to 1222 µs, b slewed by 2.5 ms in `slew`.
TEST_F(GroupCommand, RecordedHostsAreRightToWhatEachMethodCanTell) {
  if (!HasData()) GTEST_SKIP() << "no recorded data";
  const struct {
    const char* set;
    const char* group;
    double max_ns;
    double rms_ns;
    uint64_t most_inverted;
    int exit_code;
  } cases[] = {
      // d answers about ten messages in all, so single intervals place it badly.
      {"linear", "closure", 220e3, 110e3, 0, 0},
      {"linear", "piecewise", 550e3, 120e3, 0, 0},
      // A switch passes broadcasts on to one host up to 349 µs later than to another.
      {"linear", "broadcast", 500e3, 190e3, 50, 3},
      // One line for b cannot follow the slew.
      {"slew", "closure", 1400e3, 420e3, 1500, 3},
      {"slew", "piecewise", 600e3, 120e3, 0, 3},
      {"slew", "broadcast", 1800e3, 500e3, 3000, 3},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(fmt::format("{}, {}", c.set, c.group));
    const auto s = Sync(c.set, c.group, c.exit_code);
    EXPECT_EQ(s["group"], c.group);
    EXPECT_LE(s["truth"]["max_error_ns"].get<double>(), c.max_ns);
    EXPECT_LE(s["truth"]["rms_error_ns"].get<double>(), c.rms_ns);
    EXPECT_EQ(s["truth"]["outside_bound"], 0);
    EXPECT_LE(s["messages"]["inverted_after"].get<uint64_t>(), c.most_inverted);
    const bool is_slewed = std::string(c.set) == "slew";
    EXPECT_EQ(ByName(s["clocks"], "b")["quality"], is_slewed ? "approximate" : "accurate");
    EXPECT_EQ(ByName(s["clocks"], "b")["bound_ns"]["worst"].is_null(), is_slewed);
  }
}

// Also one that nothing relates to the others, and one of the smaller group.
TEST_F(GroupCommand, TheReferenceIsTheClockThatIsNamed) {
  const auto exchange = [](const std::string& p, const std::string& q) {
    return fmt::format(
        "1000 {0} send {1} 1\n1900 {1} recv {0} 1\n2000 {1} send {0} 2\n"
        "2100 {0} recv {1} 2\n",
        p, q);
  };
  std::string trace;
  for (const char* name : {"a", "b", "e", "c", "d", "f"}) {
    trace += fmt::format("clock {0} 1000000000\nprocess {0} {0}\n", name);
  }
  WriteBytes(At("trace.txt"), trace + "1 f mark alone\n" + exchange("a", "b") + exchange("c", "d") +
                                  "3000 e send b 1\n3500 b recv e 1\n");
  for (const char* group : {"drift-bounded", "joint", "tree-error", "piecewise", "broadcast"}) {
    for (const char* reference : {"c", "f"}) {
      SCOPED_TRACE(fmt::format("{}, {}", group, reference));
      const auto s = Summary(
          fmt::format("check {} --group {} --reference {}", At("trace.txt"), group, reference), 3);
      EXPECT_EQ(s["reference"], reference);
      EXPECT_EQ(ByName(s["clocks"], reference)["offset_ns"], 0);
      EXPECT_EQ(DiagnosticCount(s, "unrelated-clock"), *reference == 'c' ? 4U : 5U);
    }
  }
}

TEST_F(GroupCommand, FormerOptionsAreRefusedInOneLineWithTheNameOfTheirSuccessor) {
  WriteBytes(At("trace.txt"), "clock a 1\nprocess a a\n");
  for (const char* former : {"--group joint-piecewise", "--window 10min"}) {
    for (const char* command : {"check", "sync -o out", "convert --to csv -o out"}) {
      SCOPED_TRACE(fmt::format("{} {}", command, former));
      const RunResult run = Syncline(fmt::format("{} {} {}", command, At("trace.txt"), former));
      EXPECT_EQ(run.exit_code, 1);
      EXPECT_THAT(run.output, testing::HasSubstr("--group drift-bounded"));
      EXPECT_EQ(std::count(run.output.begin(), run.output.end(), '\n'), 1) << run.output;
    }
  }
}

// Clock b runs 90 ppm fast, messages take no time, and all readings are rounded down.
TEST_F(GroupCommand, StraightLinesAllowForTicksOfANanosecond) {
  WriteBytes(At("trace.txt"),
             "clock a 1000000000\nclock b 1000000000\nprocess p a\nprocess q b\n"
             "1000 p send q 1\n1000 q recv p 1\n1001 q send p 2\n1001 p recv q 2\n"
             "6000 p send q 3\n6000 q recv p 3\n6001 q send p 4\n6001 p recv q 4\n"
             "1000090000 q mark end\n");
  for (const char* method : {"--assume constant-rate", "--group joint", "--group tree-error"}) {
    SCOPED_TRACE(method);
    const RunResult run = Syncline(
        fmt::format("convert {} --reference a {} --quiet --to csv -o -", At("trace.txt"), method));
    ASSERT_EQ(run.exit_code, 0) << run.output;
    const size_t from = run.output.rfind(',', run.output.rfind(',') - 1) + 1;
    int64_t lower = 0, upper = 0;
    char comma = 0;
    std::istringstream(run.output.substr(from)) >> lower >> comma >> upper;
    EXPECT_LE(lower, 1'000'000'000);
    EXPECT_GE(upper, 1'000'000'000);
  }
}

TEST_F(GroupCommand, LimitsOfRatesAreChecked) {
  WriteBytes(At("trace.txt"), "clock a 1\nprocess a a\n");
  for (const char* wrong :
       {"--max-slew-ppm 100", "--max-slew-ppm nan", "--max-slew-ppm=-1", "--max-wander-ppm x",
        "--max-wander-ppm=-0.5", "--max-drift-ppm 2000 --max-slew-ppm 1000",
        "--max-drift-ppm inf --max-slew-ppm 1000", "--assume nothing"}) {
    SCOPED_TRACE(wrong);
    EXPECT_EQ(Syncline(fmt::format("check {} {}", At("trace.txt"), wrong)).exit_code, 1);
  }
  for (const char* right :
       {"--max-slew-ppm 200", "--max-drift-ppm 2000", "--max-slew-ppm inf", "--max-wander-ppm 0",
        "--max-drift-ppm inf", "--assume constant-rate", "--group drift-bounded"}) {
    SCOPED_TRACE(right);
    // One clock alone cannot be compared with another.
    EXPECT_EQ(Syncline(fmt::format("check {} {}", At("trace.txt"), right)).exit_code, 4);
  }
}

// Rates are those of the clock by the reference.
TEST_F(GroupCommand, ClocksAtTheLimitOfRatesAreAcceptedOnBothSides) {
  for (const char* faster : {"200ppm", "-200ppm"}) {
    SCOPED_TRACE(faster);
    const RunResult made = Syncline(
        fmt::format("simulate two --steps 3 --period 100s --faster {} --delay 1us -f -o {}", faster,
                    At("sim")));
    ASSERT_EQ(made.exit_code, 0) << made.output;
    const nlohmann::json s =
        Summary(fmt::format("check {} --reference c0", At("sim/trace.txt")), 0);
    EXPECT_NEAR(s["clocks"][1]["rate_limit_ppm"].get<double>(), 200, 0.001);
  }
}

TEST_F(GroupCommand, AnyRateEndsAtAHalfWhichTheTextSays) {
  ASSERT_EQ(Syncline("simulate two -f -o " + At("sim")).exit_code, 0);
  EXPECT_THAT(Syncline("check --max-drift-ppm inf " + At("sim/trace.txt")).output,
              testing::HasSubstr("guaranteed for clocks that never run slower than at half the "
                                 "reference's rate, whatever the network did"));
}

TEST_F(GroupCommand, LimitsOfRatesEndAtAHalf) {
  WriteBytes(At("trace.txt"), "clock a 1\nprocess a a\n");
  for (const char* option : {"--max-drift-ppm", "--max-slew-ppm", "--max-wander-ppm"}) {
    SCOPED_TRACE(option);
    const std::string check = fmt::format("check {} {} ", At("trace.txt"), option);
    EXPECT_EQ(Syncline(check + "500000").exit_code, 4);
    for (const char* beyond : {"500000.1", "1000000", "1e9"}) {
      const RunResult run = Syncline(check + beyond);
      EXPECT_EQ(run.exit_code, 1);
      EXPECT_THAT(run.output, testing::HasSubstr(fmt::format(
                                  "{}: expected a number from 0 to 500000 or inf", option)));
    }
  }
}

TEST_F(GroupCommand, RefusesOptionsThatTheGroupDoesNotUse) {
  WriteBytes(At("trace.txt"), "clock a 1\nprocess a a\n");
  const struct {
    std::string arguments;
    const char* message;
  } cases[] = {
      {"--group joint --max-slew-ppm 500", "--group joint does not use --max-slew-ppm"},
      {"--group tree-hops --max-wander-ppm inf", "--group tree-hops does not use --max-wander-ppm"},
      {"--group closure --assume bounded-drift", "--group closure does not use --assume"},
      {"--method widest --assume constant-rate", "--group tree-error does not use --assume"},
      {"--group broadcast --max-suspects 0.005", "--group broadcast does not use --max-suspects"},
      {"--group drift-bounded --method widest", "--group drift-bounded does not use --method"},
      {"--group joint --method bisector", "--group joint does not use --method"},
      {"--confidence 0.9", "--confidence is of --method regression"},
      {"--group tree-error --method robust --confidence 0.95",
       "--confidence is of --method regression"},
  };
  for (const auto& c : cases) {
    for (const char* command : {"check", "sync -o out", "convert --to csv -o out"}) {
      const RunResult run =
          Syncline(fmt::format("{} {} {}", command, At("trace.txt"), c.arguments));
      SCOPED_TRACE(run.output);
      EXPECT_EQ(run.exit_code, 1);
      EXPECT_THAT(run.output, testing::HasSubstr(c.message));
      EXPECT_EQ(std::count(run.output.begin(), run.output.end(), '\n'), 1);
    }
  }
  for (const char* used : {"--group joint --max-suspects 0", "--group tree-hops --method robust",
                           "--method regression --confidence 0.9",
                           "--max-slew-ppm 500 --max-wander-ppm 1 --assume constant-rate"}) {
    EXPECT_EQ(Syncline(fmt::format("check {} {}", At("trace.txt"), used)).exit_code, 4) << used;
  }
}

// b goes 100 ppm too fast from the middle on, which exchanges of 10 µs tell.
TEST_F(GroupCommand, AConstantRateThatMessagesContradictIsSaid) {
  std::string trace = "clock a 1000000000\nclock b 1000000000\nprocess p a\nprocess q b\n";
  for (int i = 0; i < 200; ++i) {
    const int64_t sent = int64_t{i} * 10'000'000;
    const int64_t behind = i < 100 ? 0 : (i - 100) * 1'000;
    trace += fmt::format("{0} p send q {4}\n{1} q recv p {4}\n{2} q send p {4}\n{3} p recv q {4}\n",
                         sent, sent + 5'000 + behind, sent + 6'000 + behind, sent + 11'000, i);
  }
  WriteBytes(At("bent.txt"), trace);
  const std::string check = "check " + At("bent.txt");
  EXPECT_EQ(Syncline(check).exit_code, 0);
  const RunResult run = Syncline(check + " --assume constant-rate");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.output, testing::HasSubstr("constant-rate-contradicted"));
}

TEST_F(GroupCommand, OptionsOfAConfigurationFileAreAsExplicit) {
  WriteBytes(At("trace.txt"), "clock a 1\nprocess a a\n");
  WriteBytes(At("config"), "max-wander-ppm = 1\n");
  const std::string check = fmt::format("check {} --config {}", At("trace.txt"), At("config"));
  EXPECT_EQ(Syncline(check).exit_code, 4);
  const RunResult run = Syncline(check + " --group joint");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.output, testing::HasSubstr("--group joint does not use --max-wander-ppm"));
}

TEST_F(GroupCommand, SaysHowTimeWasCut) {
  if (!HasData()) GTEST_SKIP() << "no recorded data";
  const auto s = Sync("slew", "piecewise", 3);
  EXPECT_EQ(DiagnosticCount(s, "intervals-cut-finer"), 3u);  // 8, 16 and 32 had no solution
  EXPECT_GT(DiagnosticCount(s, "interval-limits-supplied"), 0u);
  EXPECT_EQ(DiagnosticCount(s, "no-interval-solution"), 0u);
  EXPECT_EQ(ByName(s["clocks"], "b")["correction"].size(), 64u * 2 + 1);
}

std::string Declarations() {
  std::string trace;
  for (const char* name : {"a", "b", "c"}) {
    trace += fmt::format("clock {0} 1000000000\nprocess {0} {0}\n", name);
  }
  return trace;
}

TEST_F(GroupCommand, ContradictionsAtEveryLengthKeepTheTreeAndAreNamed) {
  std::string trace = Declarations();
  // Around a circle every message seems to arrive 1 ms before it was sent.
  for (int64_t i = 1; i < 9; ++i) {
    const int64_t at = i * 1'000'000'000;
    for (const char* fields : {"b recv a", "c recv b", "a recv c"}) {
      trace += fmt::format("{} {} m{}\n", at - 1'000'000, fields, i);
    }
    for (const char* fields : {"a send b", "b send c", "c send a"}) {
      trace += fmt::format("{} {} m{}\n", at, fields, i);
    }
  }
  WriteBytes(At("trace.txt"), trace);
  for (const char* group : {"closure", "piecewise"}) {
    SCOPED_TRACE(group);
    const auto s = Summary(fmt::format("check {} --group {}", At("trace.txt"), group), 3);
    EXPECT_EQ(DiagnosticCount(s, "no-interval-solution"), 1u);
  }
}

TEST_F(GroupCommand, BroadcastsSetTheirReceiversTogether) {
  std::string trace = Declarations();
  // c broadcasts; b is 5 ms ahead of a, and both receive 1 ms after the sending, within 10 µs.
  std::mt19937_64 random(1);
  for (int64_t i = 0; i < 200; ++i) {
    const int64_t at = 1'000'000'000 + i * 50'000'000;
    const auto late = [&] { return at + 1'000'000 + static_cast<int64_t>(random() % 10'000); };
    trace += fmt::format("{} c bcast m{}\n", at, i);
    trace += fmt::format("{} a recv c m{}\n", late(), i);
    trace += fmt::format("{} b recv c m{}\n", late() + 5'000'000, i);
  }
  WriteBytes(At("trace.txt"), trace);
  const auto s =
      Summary(fmt::format("check {} --group broadcast --reference a", At("trace.txt")), 3);
  EXPECT_EQ(DiagnosticCount(s, "broadcasts-used"), 200u);
  EXPECT_NEAR(ByName(s["clocks"], "b")["offset_ns"].get<double>(), 5e6, 1'500);
  EXPECT_NE(ByName(s["clocks"], "b")["quality"], "accurate");
  EXPECT_TRUE(ByName(s["clocks"], "b")["bound_ns"]["worst"].is_null());
}

TEST_F(GroupCommand, WithoutBroadcastsMessagesServeAndItIsSaid) {
  std::string trace = Declarations();
  for (int64_t i = 0; i < 20; ++i) {
    const int64_t at = i * 1'000'000'000;
    trace += fmt::format("{} a send b x{}\n{} b recv a x{}\n", at, i, at + 1000, i);
    trace += fmt::format("{} b send a y{}\n{} a recv b y{}\n", at + 2000, i, at + 3000, i);
  }
  WriteBytes(At("trace.txt"), trace);
  const auto s = Summary(fmt::format("check {} --group broadcast", At("trace.txt")), 3);
  EXPECT_EQ(DiagnosticCount(s, "no-broadcast-solution"), 1u);
  EXPECT_EQ(ByName(s["clocks"], "b")["quality"], "accurate");
}

}  // namespace
}  // namespace syncline
