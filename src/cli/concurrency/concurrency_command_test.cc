// `syncline concurrency` on whole traces; what the measures are is tested in src/measure.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

using testing::HasSubstr;

// Clock b is of 1 MHz and hours behind: only durations count. 0 computes 10 µs, tells 1, computes
// 20 more; 1 computes 4, waits 8, computes 8.
constexpr const char* kRelay =
    "clock a 1000000000\nclock b 1000000\nprocess 0 a\nprocess 1 b the other\n"
    "7000000 0 mark start\n"
    "7010000 0 send 1 m\n"
    "7030000 0 mark end\n"
    "50 1 mark start\n"
    "54 1 block\n"
    "62 1 recv 0 m\n"
    "70 1 mark end\n";

class ConcurrencyCommand : public CommandTest {
 protected:
  nlohmann::json Measures(const std::string& arguments, int exit_code) {
    return Summary("concurrency " + arguments, exit_code);
  }
  std::string Trace(const std::string& text) {
    WriteBytes(At("trace.txt"), text);
    return At("trace.txt");
  }
};

TEST_F(ConcurrencyCommand, NamesInTheTableAreNoFormulasWhereAskedAndObeyedByNoTerminal) {
  const std::string command =
      "concurrency " +
      Trace(
          "clock a 1000000000\nclock b 1000000000\nprocess =1+1 a\nprocess q\xC2\x9B b\n"
          "0 =1+1 send q\xC2\x9B 1\n50 q\xC2\x9B recv =1+1 1\n") +
      " --waits receives -q";
  EXPECT_THAT(Syncline(command + " --csv -").output, HasSubstr("\n=1+1,"));
  const RunResult quoted = Syncline(command + " --csv - --quote-formulas");
  EXPECT_THAT(quoted.output, HasSubstr("\n'=1+1,0,send,"));
  EXPECT_THAT(quoted.output, HasSubstr(",'=1+1,"));  // as a sender
  EXPECT_THAT(quoted.output, HasSubstr("\nq\\xc2\\x9b,0,"));
  EXPECT_EQ(Syncline(command + " --quote-formulas").exit_code, 1);
}

TEST_F(ConcurrencyCommand, MeasuresDurationsOnEachClock) {
  const auto json = Measures(Trace(kRelay), 0);
  const auto& c = json["computation"];
  EXPECT_EQ(c["weight_ns"], 30'000 + 12'000);
  EXPECT_EQ(c["volume_ns"], 42'000 + 8'000);
  EXPECT_DOUBLE_EQ(c["alpha"], (42.0 - 30) / (50 - 30));
  EXPECT_EQ(c["charron_bost"]["consistent_cuts"], 2 + 1);
  const auto delivery = json["regions"][0];
  EXPECT_EQ(delivery["process"], "1");
  EXPECT_EQ(delivery["event"], 2);
  EXPECT_EQ(delivery["end_ns"], 62'000);
  EXPECT_DOUBLE_EQ(delivery["alpha"], (14.0 - 10) / (22 - 10));
  EXPECT_EQ(json["processes"][1]["label"], "the other");
}

TEST_F(ConcurrencyCommand, ProcessesMayHaveFilesOfTheirOwn) {
  const std::string head = "clock a 1000000000\nprocess 0 a\nprocess 1 a\n";
  // The receiver's file comes first.
  WriteBytes(At("1.txt"), head + "1 1 mark x\n2 1 block\n5 1 recv 0 m\n6 1 send 0 r\n7 1 mark x\n");
  WriteBytes(At("2.txt"), head + "1 0 mark x\n4 0 send 1 m\n4 0 block\n9 0 recv 1 r\n");
  const auto json = Measures(At("1.txt") + " " + At("2.txt"), 0);
  EXPECT_EQ(json["computation"]["messages"], 2);
  EXPECT_EQ(json["computation"]["weight_ns"], (4 - 1) + (2 - 1) + (7 - 5));
  EXPECT_EQ(json["computation"]["volume_ns"], (9 - 1) + (7 - 1));
}

TEST_F(ConcurrencyCommand, ATraceWithoutProcessesHasNothingToMeasure) {
  WriteBytes(At("t.txt"), "clock a 100\n");
  for (const std::string& options : {std::string(), " --report " + At("page.html")}) {
    const RunResult run = Syncline("concurrency " + At("t.txt") + options);
    EXPECT_EQ(run.exit_code, 3) << run.output;
    EXPECT_THAT(run.output, testing::HasSubstr(" of 0 processes with 0 messages"));
    EXPECT_THAT(run.output, testing::HasSubstr("warning: 1 × no-events"));
  }
}

TEST_F(ConcurrencyCommand, CollectivesWaitForTheirMembers) {
  const auto json = Measures(Trace("clock a 1000000000\nprocess p a\nprocess q a\ngroup g p q\n"
                                   "0 p mark x\n0 q mark x\n"
                                   "10 p collective barrier g 1 begin\n"
                                   "30 q collective barrier g 1 begin\n"
                                   "40 p collective barrier g 1 end\n"
                                   "40 q collective barrier g 1 end\n"),
                             0);
  EXPECT_EQ(json["computation"]["collective_ends"], 2);
  EXPECT_EQ(json["computation"]["weight_ns"], 10 + 30);
  EXPECT_EQ(json["computation"]["volume_ns"], 40 + 40);
  EXPECT_EQ(json["waited_for"][0]["process"], "p");
  EXPECT_EQ(json["waited_for"][0]["delayed_ns"], 40 - 10);
  EXPECT_TRUE(json["waited_for"][0]["sender"].is_null());
}

TEST_F(ConcurrencyCommand, SpeedsScaleProcesses) {
  WriteBytes(At("speeds"), "# of the benchmark\n1 0.5\n\n");
  const auto json = Measures(Trace(kRelay) + " --speeds " + At("speeds"), 0);
  EXPECT_EQ(json["computation"]["weight_ns"], 30'000 + 12'000 / 2);
  EXPECT_DOUBLE_EQ(json["computation"]["speed"], 1 + 0.5);
}

struct BadSpeeds {
  const char* text;
  const char* message;
};

TEST_F(ConcurrencyCommand, BadSpeedsAreRefused) {
  const BadSpeeds cases[] = {{"1\n", ":1:1: expected PROCESS SPEED"},
                             {"\n1 fast\n", ":2:1: expected PROCESS SPEED"},
                             {"1 0.5 0.5\n", "expected PROCESS SPEED"},
                             {"1 0\n", "above 0 and at most 1"},
                             {"1 nan\n", "above 0 and at most 1"},
                             {"1 1.5\n", "above 0 and at most 1"},
                             {"2 0.5\n", "no process '2'"},
                             {"1 0.5\n1 0.5\n", ":2:1: process '1' already has a speed"}};
  for (const BadSpeeds& c : cases) {
    WriteBytes(At("speeds"), c.text);
    const RunResult run = Syncline("concurrency " + Trace(kRelay) + " --speeds " + At("speeds"));
    EXPECT_EQ(run.exit_code, 2) << c.text;
    EXPECT_THAT(run.output, HasSubstr(c.message));
  }
}

TEST_F(ConcurrencyCommand, WaitsFollowTheRule) {
  // a asks b twice and computes 5 before the second request; c tells a something in between.
  const std::string trace = Trace(
      "clock k 1000000000\nprocess a k\nprocess b k\nprocess c k\n"
      "0 a send b q1\n10 a recv b r1\n15 a send b q2\n20 a recv c x\n30 a recv b r2\n"
      "0 b mark start\n4 b recv a q1\n6 b send a r1\n18 b recv a q2\n25 b send a r2\n"
      "1 c send a x\n");
  struct Case {
    const char* rule;
    int64_t a_ns;
    int64_t b_ns;
  };
  const Case cases[] = {{"replies", 10 - 0, 18 - 6},
                        {"receives", (10 - 0) + (20 - 15) + (30 - 20), (4 - 0) + (18 - 6)}};
  for (const Case& c : cases) {
    const auto json = Measures(trace + " --waits " + c.rule, 0);
    EXPECT_EQ(ByName(json["processes"], "a")["delayed_ns"], c.a_ns) << c.rule;
    EXPECT_EQ(ByName(json["processes"], "b")["delayed_ns"], c.b_ns) << c.rule;
  }
  const auto json = Measures(trace, 3);
  EXPECT_EQ(DiagnosticCount(json, "waits-not-recorded"), 1);
}

// The example of docs/methods/concurrency.md: borders go around a ring; 2 computes 30, others 10.
TEST_F(ConcurrencyCommand, PlantedImbalanceIsPointedAt) {
  constexpr int kRounds = 50;
  std::array<int64_t, 4> now{};
  std::string trace = "clock k 1000000000\n";
  for (int p = 0; p < 4; ++p) trace += fmt::format("process {0} k\n0 {0} mark start\n", p);
  for (int round = 0; round < kRounds; ++round) {
    std::array<int64_t, 4> sent{};
    for (int p = 0; p < 4; ++p) {
      sent[p] = now[p] += p == 2 ? 30'000 : 10'000;
      trace += fmt::format("{0} {1} send {2} {3}\n{0} {1} block\n", now[p], p, (p + 1) % 4, round);
    }
    for (int p = 0; p < 4; ++p) {
      now[p] = std::max(now[p], sent[(p + 3) % 4]);
      trace += fmt::format("{} {} recv {} {}\n", now[p], p, (p + 3) % 4, round);
    }
  }
  const auto json = Measures(Trace(trace), 0);
  const auto worst = json["waited_for"][0];
  EXPECT_EQ(worst["process"], "3");
  EXPECT_EQ(worst["sender"], "2");
  EXPECT_EQ(worst["delayed_ns"], kRounds * 20'000);
  EXPECT_EQ(ByName(json["processes"], "2")["efficiency"], 1);
  EXPECT_EQ(ByName(json["processes"], "2")["share"], 0.5);
  const double load = (3 * 10.0 + 30) / 4;
  EXPECT_DOUBLE_EQ(json["computation"]["balance"], (load - (3 * 5 + 15) / 4.0) / load);
  EXPECT_DOUBLE_EQ(json["computation"]["raynal"], 1);  // events are all alike
}

// A master prepares tasks for 40 each, one after the other; three workers take 10 for one.
TEST_F(ConcurrencyCommand, PlantedBottleneckIsPointedAt) {
  constexpr int kRounds = 20;
  int64_t master = 0;
  std::string trace =
      "clock k 1000000000\nprocess m k\nprocess 1 k\nprocess 2 k\nprocess 3 k\n"
      "0 m mark start\n0 1 block\n0 2 block\n0 3 block\n";
  for (int task = 0; task < 3 * kRounds; ++task) {
    const int worker = 1 + task % 3;
    // The result of its task before has been there for long.
    if (task >= 3) trace += fmt::format("{} m recv {} r{}\n", master, worker, task - 3);
    master += 40'000;
    trace += fmt::format("{0} m send {1} t{2}\n{0} {1} recv m t{2}\n", master, worker, task);
    trace += fmt::format("{0} {1} send m r{2}\n{0} {1} block\n", master + 10'000, worker, task);
  }
  const auto json = Measures(Trace(trace), 0);
  EXPECT_EQ(ByName(json["processes"], "m")["efficiency"], 1);
  ASSERT_EQ(json["waited_for"].size(), 3);
  for (const auto& waited : json["waited_for"]) EXPECT_EQ(waited["sender"], "m");
  EXPECT_DOUBLE_EQ(json["computation"]["path_share"],
                   (3 * kRounds * 40.0 + 10) / (3 * kRounds * (40 + 10)));
  EXPECT_LT(json["computation"]["alpha"], 0.1);
}

TEST_F(ConcurrencyCommand, UnmatchedEventsEndNoRegion) {
  const auto json = Measures(Trace("clock k 1000000000\nprocess a k\nprocess b k\n"
                                   "0 a send b lost\n5 a block\n9 a recv b other\n12 a mark x\n"
                                   "0 b mark x\n"),
                             0);
  EXPECT_EQ(ByName(json["processes"], "a")["regions"], 1);
  EXPECT_EQ(ByName(json["processes"], "a")["delayed_ns"], 9 - 5);
}

TEST_F(ConcurrencyCommand, CapturesWaitForAnswers) {
  const auto json = Measures(Samples() + " --waits replies", 0);
  EXPECT_EQ(json["computation"]["messages"], 4470);
  EXPECT_GT(json["computation"]["loss"], 0.05);
  EXPECT_LT(json["computation"]["loss"], 0.2);
}

TEST_F(ConcurrencyCommand, CsvHasEveryRegion) {
  ASSERT_EQ(Syncline("concurrency " + Trace(kRelay) + " -q --csv " + At("regions.csv")).exit_code,
            0);
  const std::string csv = ReadBytes(At("regions.csv"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 + 2);
  EXPECT_THAT(csv, HasSubstr("\n1,0,delivery,2,62000,0,4000,8000,"));
}

TEST_F(ConcurrencyCommand, OutputsAreNotReplacedUnlessForced) {
  const std::string arguments = "concurrency " + Trace(kRelay) + " --csv " + At("out.csv");
  EXPECT_EQ(Syncline(arguments).exit_code, 0);
  const RunResult again = Syncline(arguments);
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.output, HasSubstr("already exists"));
  EXPECT_EQ(Syncline(arguments + " --force").exit_code, 0);
  EXPECT_EQ(Syncline("concurrency " + Trace(kRelay) + " --json - --csv -").exit_code, 1);
  EXPECT_EQ(Syncline("concurrency -").exit_code, 1);
  for (const char* regions : {"-1", "99999999999999999999"}) {
    EXPECT_EQ(Syncline("concurrency " + Trace(kRelay) + " --regions " + regions).exit_code, 1);
  }
}

// Of two messages that each come before what is sent after the other, the more inverted one goes.
TEST_F(ConcurrencyCommand, MessagesOfACycleAreSetAsideAndNamed) {
  const std::string text = Trace(
      "clock k 1000000000\nprocess a k\nprocess b k\n"
      "1000 a recv b y\n2000 a send b x\n1000 b recv a x\n5000 b send a y\n"
      "6000 b send a z\n7000 a recv b z\n");
  const auto json = Measures(text + " --csv " + At("out.csv"), 3);
  EXPECT_EQ(json["computation"]["messages"], 3 - 1);
  EXPECT_EQ(DiagnosticCount(json, "cycle-messages"), 1U);
  const RunResult run = Syncline("concurrency " + text);
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.output, HasSubstr("event 1 of b to event 0 of a: would have taken −4.0 µs"));
  // Regions end at two sends, two receives, a send whose message is set aside and counts no more,
  // and with the processes.
  const std::string csv = ReadBytes(At("out.csv"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 + 2 + 2);
}

// Clocks 1.7 s apart: by what they show themselves, all messages from b would be inverted.
TEST_F(ConcurrencyCommand, OfACycleTheMessageThatIsWrongByCorrectedTimesIsSetAside) {
  std::string text = "clock a 1000000000\nclock b 1000000000\nprocess A a\nprocess B b\n";
  for (int64_t i = 0; i < 300; ++i) {
    const int64_t t = 1'000'000'000 + i * 10'000'000;
    const int64_t received = i == 100 ? 110 : i == 110 ? 100 : i;
    text += fmt::format("{} A send B {}\n{} B recv A {}\n", t, i, t + 1'700'100'000, received);
    text += fmt::format("{} B send A {}\n{} A recv B {}\n", t + 1'705'000'000, i, t + 5'150'000, i);
  }
  const RunResult run = Syncline("concurrency " + Trace(text));
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.output, HasSubstr("1 × cycle-messages (event 220 of A to event 200 of B"));
}

// Messages take 10 ms each way, if ways are alike: by that, x would have taken −9 ms, y −2. If
// those from a take 19, it is 0 and −11.
TEST_F(ConcurrencyCommand, WhichMessageOfACycleIsWrongDependsOnWhatIsAssumed) {
  std::string text = "clock a 1000000\nclock b 1000000\nprocess A a\nprocess B b\n";
  for (int i = 0; i < 300; ++i) {
    const int t = 1'000 + i * 40;
    text += fmt::format("{}000 A send B {}\n{}000 B recv A {}\n", t, i, t + 10, i);
    text += fmt::format("{}000 B send A {}\n{}000 A recv B {}\n", t + 20, i, t + 30, i);
    if (i != 100) continue;
    text += fmt::format("{}000 A recv B y\n{}000 A send B x\n", t + 31, t + 33);
    text += fmt::format("{}000 B recv A x\n{}000 B send A y\n", t + 24, t + 33);
  }
  Trace(text);
  WriteBytes(At("delays.txt"), "a b 19ms\n");
  const std::string measure = "concurrency " + At("trace.txt") + " --max-suspects 0.01";
  EXPECT_THAT(Syncline(measure).output, HasSubstr("(event 203 of A to event 202 of B"));
  EXPECT_THAT(Syncline(measure + " --min-delay " + At("delays.txt")).output,
              HasSubstr("(event 203 of B to event 202 of A"));
}

TEST_F(ConcurrencyCommand, OptionsOfEstimationAreThoseOfCheck) {
  const std::string measure = "concurrency " + Trace(kRelay) + " ";
  EXPECT_EQ(Syncline(measure + "--reference b --assume constant-rate --max-drift-ppm 50").exit_code,
            0);
  // Also where nothing has to be estimated.
  const RunResult unknown = Syncline(measure + "--reference c");
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.output, HasSubstr("--reference: there is no clock called \"c\""));
  const RunResult unused = Syncline(measure + "--group joint --max-wander-ppm 1");
  EXPECT_EQ(unused.exit_code, 1);
  EXPECT_THAT(unused.output, HasSubstr("--group joint does not use --max-wander-ppm"));
}

TEST_F(ConcurrencyCommand, EndOfACollectiveThatClosesACycleWaitsForNobody) {
  const auto json = Measures(
      Trace("clock k 1000000000\nprocess a k\nprocess b k\ngroup all a b\n"
            "2000000 a collective barrier all 1 begin\n2010000 a collective barrier all 1 end\n"
            "2020000 a send b 2\n2120000 b recv a 2\n"
            "2200000 b collective barrier all 1 begin\n2210000 b collective barrier all 1 end\n"),
      3);
  EXPECT_EQ(DiagnosticCount(json, "cycle-messages"), 1U);
  EXPECT_EQ(json["computation"]["messages"], 1);
  EXPECT_EQ(json["computation"]["collective_ends"], 2);
}

TEST_F(ConcurrencyCommand, JsonFollowsItsSchema) {
  if (Shell("python3 -c 'import jsonschema'").exit_code != 0) GTEST_SKIP() << "no jsonschema";
  ASSERT_FALSE(Measures(Trace(kRelay), 0).is_null());
  fs::rename(At("summary.json"), At("relay.json"));
  ASSERT_FALSE(Measures(Trace("clock k 1000000000\nprocess a k\n1 a mark x\n"), 0).is_null());
  const RunResult check =
      Shell("python3 -B " + std::string(SYNCLINE_SOURCE_DIR) + "/tools/check_summary.py " +
            At("relay.json") + " " + At("summary.json"));
  EXPECT_EQ(check.exit_code, 0) << check.output;
}

TEST_F(ConcurrencyCommand, WaitingCallsOfMpiAreWaits) {
  const fs::path archive = fs::path(SYNCLINE_DATA_DIR) / "otf2/halo/eztrace_log.otf2";
  if (std::string(SYNCLINE_DATA_DIR).empty() || !fs::exists(archive)) {
    GTEST_SKIP() << "the recorded archive is absent";
  }
  const auto json = Measures(archive.string(), 0);
  const auto& c = json["computation"];
  EXPECT_EQ(c["messages"], 20'000);
  EXPECT_EQ(c["collective_ends"], 1448);
  EXPECT_EQ(c["message_events"], 2 * 20'000 + 2 * 1448);
  EXPECT_NEAR(c["alpha"], 0.18, 0.02);
  EXPECT_NEAR(c["efficiency"].get<double>() + c["loss"].get<double>(), 1, 1e-12);
  // The collectives' begins before any message know of no one else.
  for (const auto& region : json["regions"]) EXPECT_GT(region["region"], 0);
}

}  // namespace
}  // namespace syncline
