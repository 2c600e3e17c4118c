// syncline filter as a user calls it.
#include <map>

#include "cli/filter/filter_test_util.h"

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class FilterCommand : public FilterTest {};

TEST_F(FilterCommand, LeavesATraceThatHasNoInversionsAsItIsByteForByte) {
  const std::string trace =
      "# a comment\n\n  clock\ta 1000000000\r\nclock b 1000000000 0 300 # ns\n"
      "process A a  the first\nprocess B b\n"
      "\t-5 A enter main # here\n100  A send B m-1 64\r\n101 B recv A m-1\n101 B leave x";
  EXPECT_EQ(Filter(trace), trace);
  EXPECT_EQ(Filter(trace, "--min-event-gap 0 --logical simple --order process"), trace);
}

TEST_F(FilterCommand, CountsNanosecondsWhateverTheClocksCount) {
  const std::string trace =
      "clock a 1000 5\nprocess A a\nclock b 4000000 -4\nprocess B b\n1 A mark x\n28000 B mark y\n";
  EXPECT_EQ(Filter(trace),
            "clock a 1000000000 0 1010002\nprocess A a\nclock b 1000000000 0 254\n"
            "process B b\n" +
                std::to_string((1 + 5) * 1'000'000) + " A mark x\n" +
                std::to_string((28000 - 4) * 250) + " B mark y\n");
}

TEST_F(FilterCommand, EndsALastLineOnlyWhereAnotherFollows) {
  EXPECT_EQ(Filter(Header() + "20 A mark x\n10 B mark y"), Header() + "10 B mark y\n20 A mark x\n");
}

TEST_F(FilterCommand, MovesAReceiveBehindItsSend) {
  const std::string trace = Header() +
                            "100 A send B 1 8\n90 B recv A 1 8\n120 B send C x\n"
                            "50 C recv B x\n";
  const auto summary = FilterJson(trace, "--min-delay 25 --amortization none --logical simple");
  EXPECT_THAT(
      EventLinesOf(ReadBytes(At("out.txt"))),
      ElementsAre("100 A send B 1 8", "125 B recv A 1 8", "125 B send C x", "150 C recv B x"));
  EXPECT_EQ(summary["messages"]["total"], 2);
  EXPECT_EQ(summary["messages"]["inverted_before"], 2);
  EXPECT_EQ(summary["messages"]["inverted_after"], 0);
  EXPECT_EQ(summary["messages"]["too_fast_after"], 0);
  EXPECT_EQ(summary["logical"]["clock"], "simple");
  EXPECT_EQ(summary["logical"]["events_moved"], 3);
}

TEST_F(FilterCommand, KeepsReceivesWithoutASend) {
  const auto summary = FilterJson(Header() + "5 B recv A 7\n6 A mark x\n");
  EXPECT_THAT(EventLinesOf(ReadBytes(At("out.txt"))), ElementsAre("5 B recv A 7", "6 A mark x"));
  EXPECT_EQ(summary["messages"]["unmatched_receives"], 1);
  EXPECT_EQ(DiagnosticCount(summary, "unmatched-receive"), 1);
}

// A receives what B sends only after it has received from A.
TEST_F(FilterCommand, SetsAMessageOfACycleAsideAndNamesIt) {
  const std::string in = Write("in.txt", Header() +
                                             "5 A mark x\n100 A recv B one\n110 A send B 2\n"
                                             "105 B recv A 2\n115 B send A one\n120 B mark y\n");
  const RunResult run =
      Syncline("filter --logical simple " + in + " " + At("out.txt") + " --json " + At("s.json"));
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.output, HasSubstr("1 × cycle-messages (event 1 of B to event 1 of A: would have "
                                    "taken −15 ns)"));
  EXPECT_THAT(EventLinesOf(ReadBytes(At("out.txt"))),
              ElementsAre("5 A mark x", "100 A recv B one", "110 A send B 2", "111 B recv A 2",
                          "115 B send A one", "120 B mark y"));
  const auto s = nlohmann::json::parse(ReadBytes(At("s.json")));
  EXPECT_EQ(s["messages"]["total"], 2);
  EXPECT_EQ(s["messages"]["inverted_before"], 2);
  EXPECT_EQ(s["messages"]["inverted_after"], 1);
}

// The second message's receive was given up, as its send came more than --horizon later.
TEST_F(FilterCommand, CountsMessagesThatCameTooLateAsTheyAre) {
  const std::string late = "7000000000 A recv B 1\n8000000000 A mark x\n17500000000 B mark y\n";
  const std::string in = Header() + "6000000000 A send B 0\n5000000000 B recv A 0\n" + late;
  const std::string sent = "20000000000 B send A 1\n";
  for (const std::string& send : {sent, "30000000000 B mark z\n4" + sent}) {
    const auto s = FilterJson(in + send, "", 3);
    EXPECT_EQ(s["messages"]["total"], 2);
    EXPECT_EQ(s["messages"]["inverted_before"], 2);
    EXPECT_EQ(s["messages"]["inverted_after"], 1);
    EXPECT_EQ(s["messages"]["unmatched_receives"], 0);
    EXPECT_EQ(s["messages"]["unmatched_sends"], 0);
    EXPECT_EQ(s["logical"]["directions"][1]["after"]["inverted"], 1);
    EXPECT_EQ(DiagnosticCount(s, "broken-constraint"), 1);
    EXPECT_EQ(DiagnosticCount(s, "inverted-after-correction"), 1);
  }
  const RunResult run =
      Syncline("filter " + Write("in.txt", Header() + late + sent) + " " + At("late.txt"));
  EXPECT_THAT(run.output,
              HasSubstr("Of 1 message, 1 was received before sent; after correction 1 still is."));
}

TEST_F(FilterCommand, CountsMessagesOfCyclesAlikeEverywhere) {
  const std::string in = Header() +
                         "10 A recv B 1\n20 A send B 2\n22 B recv A 2\n50 B send A 1\n"
                         "60 B send A 3\n70 A recv B 3\n";
  const auto s = FilterJson(in, "", 3);
  EXPECT_EQ(s["messages"]["total"], 3);
  EXPECT_EQ(s["messages"]["inverted_after"], 1);
  EXPECT_EQ(s["logical"]["directions"][1]["messages"], 2);
  EXPECT_EQ(s["logical"]["directions"][1]["after"]["inverted"], 1);
  EXPECT_EQ(s["logical"]["directions"][1]["after"]["smallest_delay_ns"], 10 - 50);
}

TEST_F(FilterCommand, CompressesAsTheNamesOfOutputsSay) {
  const std::string trace = Header() + "100 A send B 1\n90 B recv A 1\n";
  const std::string in = Write("in.txt", trace);
  const RunResult run = Syncline("filter " + in + " " + At("out.txt.gz") + " --json " +
                                 At("s.json.gz") + " --report " + At("r.html.gz"));
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_EQ(Shell("gzip -dc " + At("out.txt.gz")).output, Filter(trace));
  EXPECT_EQ(Shell("gzip -dc " + At("s.json.gz") + " | head -c 1").output, "{");
  EXPECT_EQ(Shell("gzip -t " + At("r.html.gz")).exit_code, 0);
}

TEST_F(FilterCommand, TakesUnitsOfTime) {
  const std::string trace = Header() + "1 A mark x\n";
  for (const char* options : {"--horizon 10s", "--horizon 500ms", "--horizon 0.5", "--horizon inf",
                              "--online --max-wait 2s", "--online --max-wait 0.5"}) {
    EXPECT_EQ(Filter(trace, options), trace) << options;
  }
}

TEST_F(FilterCommand, RefusesOptionsThatHaveNoEffect) {
  const std::string in = Write("in.txt", Header() + "1 A mark x\n");
  for (const char* options :
       {"--write events", "--clock-per node", "--amortization none --amortization-error 1%",
        "--logical simple --gamma-max 0.5", "--logical simple --q-low 1",
        "--logical simple --controller original", "--q-init 5", "--controller revised --l-up 3",
        "--controller original --q-high 5", "--horizon 10x", "--horizon 20d"}) {
    const RunResult run = Syncline(std::string("filter ") + options + " " + in + " -");
    EXPECT_EQ(run.exit_code, 1) << options << run.output;
  }
  EXPECT_EQ(Filter(Header(), "--controller original --q-init 5 --gamma-max 0.9", 3), Header());
}

TEST_F(FilterCommand, MakesTimesThatStepBackStandStill) {
  const auto summary = FilterJson(Header() + "100 A mark x\n40 A mark y\n130 A mark z\n",
                                  "--logical simple --min-event-gap 3");
  EXPECT_THAT(EventLinesOf(ReadBytes(At("out.txt"))),
              ElementsAre("100 A mark x", "103 A mark y", "130 A mark z"));
  EXPECT_EQ(DiagnosticCount(summary, "time-steps-back"), 1);
  EXPECT_EQ(summary["logical"]["processes"][0]["least_interval_ns"], 40 - 100);
}

// Sends whose receives never come, to a process that goes on and to one that is silent.
TEST_F(FilterCommand, BoundsWhatWaitsForReceivesThatNeverCome) {
  constexpr uint64_t kSends = 160'000;
  constexpr uint64_t kEveryNs = 1000;
  for (const char* receiver : {"B", "C"}) {
    std::string trace = Header();
    for (uint64_t i = 0; i < kSends; ++i) {
      trace +=
          fmt::format("{} A send {} {}\n{} B mark m\n", i * kEveryNs, receiver, i, i * kEveryNs);
    }
    // A send waits until its receiver is past the horizon, and for the amortization interval.
    constexpr uint64_t kHorizonNs = 10'000'000;
    constexpr uint64_t kIntervalNs = 1'000'000 / 5 * 100;
    const auto summary =
        FilterJson(trace, "--horizon 0.01 --clock-difference 1000000 --amortization-error 5%");
    EXPECT_EQ(summary["messages"]["unmatched_sends"], kSends);
    EXPECT_EQ(summary["logical"]["events"], 2 * kSends);
    EXPECT_EQ(summary["logical"]["events_moved"], 0);
    // All but those of the latest horizon and twice the look-ahead.
    EXPECT_GT(summary["logical"]["given_up"].get<uint64_t>(),
              kSends - kHorizonNs / kEveryNs - 2 * 65'536)
        << receiver;
    EXPECT_EQ(EventLinesOf(ReadBytes(At("out.txt"))), EventLinesOf(trace));
    // C, which is silent, is waited for as long as the look-ahead reaches, before and after.
    EXPECT_LT(summary["logical"]["peak_buffered_events"],
              2 * (kHorizonNs + kIntervalNs) / kEveryNs + 2 * 65'536 + 10)
        << receiver;
  }
}

TEST_F(FilterCommand, TakesProcessesWithoutEventsAndSingleOnes) {
  EXPECT_EQ(Filter("clock a 1000000000\nprocess A a\n7 A mark x\n8 A send A 1\n9 A recv A 1\n"),
            "clock a 1000000000\nprocess A a\n7 A mark x\n8 A send A 1\n9 A recv A 1\n");
  EXPECT_EQ(Filter(Header() + "7 B mark x\n"), Header() + "7 B mark x\n");
  EXPECT_EQ(Filter(Header(), "", 3), Header());  // no-events
  EXPECT_EQ(Filter("", "", 3), "");
}

TEST_F(FilterCommand, LeavesNoInversionInASimulation) {
  ASSERT_EQ(Syncline("simulate grid --steps 60 --collectives 4 --clock '*:drift=~50ppm' "
                     "--clock '3:offset=2ms' -o " +
                     At("sim"))
                .exit_code,
            0);
  const RunResult run =
      Syncline("filter --min-delay auto " + At("sim/trace.txt") + " " + At("out.txt"));
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("; after correction none is.\n"));
  EXPECT_THAT(run.output, HasSubstr("now none does.\n"));
  EXPECT_THAT(Syncline("check " + At("out.txt")).output,
              HasSubstr("messages none is received before it was sent"));
  EXPECT_EQ(EventLinesOf(ReadBytes(At("out.txt"))).size(),
            EventLinesOf(ReadBytes(At("sim/trace.txt"))).size());
}

TEST_F(FilterCommand, DoesNothingTheSecondTime) {
  for (const uint64_t seed : {11u, 12u, 13u}) {
    SCOPED_TRACE(seed);
    const std::string once = Filter(RandomRun(seed).Trace(500), "--min-delay 200");
    EXPECT_EQ(Filter(once, "--min-delay 200"), once);
  }
}

// Report 6.3.2: clocks that show multiples of 10 ms only.
TEST_F(FilterCommand, TurnsCoarseTicksIntoLoopsOfTheirLength) {
  ASSERT_EQ(Syncline("simulate ticks -o " + At("sim")).exit_code, 0);
  const std::string out =
      Filter(ReadBytes(At("sim/trace.txt")), "--gamma-floor 0 --min-delay 250000");
  std::vector<int64_t> sends;
  for (const std::string& line : EventLinesOf(out)) {
    if (DetailOf(line).starts_with("0 send")) sends.push_back(TimeOf(line));
  }
  ASSERT_EQ(sends.size(), 100);
  // The second one was stamped 20.25 ms.
  EXPECT_NEAR(static_cast<double>(sends[1]), 39.4e6, 0.005 * 39.4e6);
  for (size_t i = 3; i < sends.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(sends[i] - sends[i - 1]), 10e6, 0.005 * 10e6) << i;
  }
}

TEST_F(FilterCommand, HoldsTheEndsOfCollectivesBehindTheBeginsOfTheirGroup) {
  const std::string events =
      "100 A collective barrier g 1 begin\n300 B collective barrier g 1 begin\n"
      "150 A collective barrier g 1 end\n310 B collective barrier g 1 end\n";
  const std::string options = "--logical simple --amortization none --min-delay 20";
  EXPECT_THAT(
      EventLinesOf(Filter(Header() + "group g A B\n" + events, options)),
      ElementsAre("100 A collective barrier g 1 begin", "300 B collective barrier g 1 begin",
                  "310 B collective barrier g 1 end", "320 A collective barrier g 1 end"));
  // Without its members nothing is known.
  const auto summary = FilterJson(Header() + events, options, 3);
  EXPECT_EQ(DiagnosticCount(summary, "collective-without-group"), 4);
  EXPECT_EQ(summary["logical"]["events_moved"], 0);
}

// A member may exchange something with itself alone.
TEST_F(FilterCommand, LeavesCollectivesAloneOfWhichAPairMayExchangeNothing) {
  for (const std::string kind : {"alltoallv", "alltoallw"}) {
    const std::string events = "100 A collective " + kind + " g 1 begin 8\n150 A collective " +
                               kind + " g 1 end 8\n300 B collective " + kind +
                               " g 1 begin 8\n310 B collective " + kind + " g 1 end 8\n";
    const std::string trace = Header() + "group g A B\n" + events;
    EXPECT_EQ(Filter(trace, "--logical simple"), trace);
  }
}

TEST_F(FilterCommand, TakesNoMembersOfDifferentKindsForOneCollective) {
  const std::string trace = Header() +
                            "group g A B\n100 A collective barrier g 1 begin\n"
                            "150 A collective barrier g 1 end\n"
                            "300 B collective allreduce g 1 begin\n"
                            "310 B collective allreduce g 1 end\n";
  EXPECT_EQ(Filter(trace), trace);
}

TEST_F(FilterCommand, OrdersGloballyOrByProcess) {
  const std::string trace = RandomRun(21).Trace(400);
  const std::string global = Filter(trace);
  const std::string by_process = Filter(trace, "--order process");
  int64_t last = INT64_MIN;
  std::map<std::string, std::vector<std::string>> one, other;
  for (const std::string& line : EventLinesOf(global)) {
    EXPECT_GE(TimeOf(line), last);
    last = TimeOf(line);
    one[DetailOf(line).substr(0, 2)].push_back(line);
  }
  for (const std::string& line : EventLinesOf(by_process)) {
    other[DetailOf(line).substr(0, 2)].push_back(line);
  }
  EXPECT_EQ(one, other);
}

TEST_F(FilterCommand, TakesDelaysPerDirectionAndPerByte) {
  const std::string delays = Write("delays.txt", "# LAN\na b 50 0.5 # and more\nnowhere a 3\n");
  const std::string trace = Header() + "100 A send B 1 80\n100 B recv A 1 80\n100 C mark x\n";
  EXPECT_THAT(EventLinesOf(Filter(trace, "--amortization none --min-delay " + delays, 3)),
              ElementsAre("100 A send B 1 80", "100 C mark x",
                          std::to_string(100 + 50 + 80 / 2) + " B recv A 1 80"));
  const auto summary = FilterJson(trace, "--min-delay " + delays, 3);
  EXPECT_EQ(DiagnosticCount(summary, "unknown-delay-clock"), 1);
  Write("delays.txt", "a b 50\na b fifty\n");
  const RunResult run = Syncline("filter --min-delay " + delays + " " + At("in.txt"));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.output, HasSubstr("delays.txt:2:1: expected FROM TO NS [NS_PER_BYTE]"));
}

TEST_F(FilterCommand, MeasuresDelaysFromRoundTrips) {
  // B is 1000 ns behind; the fastest messages take 300 and 200 ns, so half a round trip is 250 ns.
  const std::string trace = Header() +
                            "10000 A send B 1\n9300 B recv A 1\n9400 B send A 2\n"
                            "10600 A recv B 2\n20000 A send B 3\n19400 B recv A 3\n";
  const auto summary = FilterJson(trace, "--min-delay auto --logical simple --amortization none");
  EXPECT_EQ(summary["logical"]["half_round_trip"]["min_ns"], (-700 + 1200) / 2);
  const std::vector<std::string> events = EventLinesOf(ReadBytes(At("out.txt")));
  EXPECT_THAT(events, testing::Contains(fmt::format("{} B recv A 3", 20000 + 250 * 4 / 5)));
  const RunResult pipe = Syncline("filter --min-delay auto < " + At("in.txt"));
  EXPECT_EQ(pipe.exit_code, 1);
  EXPECT_THAT(pipe.output, HasSubstr("reads the input twice"));
  EXPECT_EQ(Syncline("filter --min-delay auto /dev/null").exit_code, 1);
}

TEST_F(FilterCommand, WritesWhatCameBeforeAMalformedLine) {
  const std::string in =
      Write("in.txt", Header() + "10 A send B 1\n5 B mark x\n7 B foo\n9 B mark y\n");
  const RunResult stream = Syncline("filter < " + in);
  EXPECT_EQ(stream.exit_code, 2);
  EXPECT_EQ(stream.output.substr(0, Header().size()), Header());
  EXPECT_THAT(stream.output, HasSubstr("\n5 B mark x\n10 A send B 1\n"));
  EXPECT_THAT(stream.output, HasSubstr("standard input:9:5: expected send, recv"));
  EXPECT_EQ(Syncline("filter " + in + " " + At("out.txt")).exit_code, 2);
  EXPECT_FALSE(fs::exists(At("out.txt")));
}

TEST_F(FilterCommand, NeverReplacesAFileUnasked) {
  const std::string in = Write("in.txt", Header() + "1 A mark x\n");
  const std::string out = Write("out.txt", "mine");
  EXPECT_EQ(Syncline("filter " + in + " " + out).exit_code, 1);
  EXPECT_EQ(Syncline("filter --force " + in + " " + in).exit_code, 1);
  EXPECT_EQ(Syncline("filter --force " + in + " " + out + " --json " + out).exit_code, 1);
  EXPECT_EQ(ReadBytes(out), "mine");
  EXPECT_EQ(Syncline("filter --force " + in + " " + out).exit_code, 0);
  EXPECT_EQ(ReadBytes(out), ReadBytes(in));
}

TEST_F(FilterCommand, ATraceWithoutItsSummaryIsNotWritten) {
  const std::string in = At("in.txt");
  WriteBytes(in, "clock c 1000000000\nprocess p c\n1 p mark a\n");
  WriteBytes(At("out.txt"), "as it was\n");
  // The summary is longer than 1024 bytes, the trace is not.
  const RunResult run = Shell("ulimit -f 1; " + std::string(SYNCLINE_PROGRAM) + " filter --force " +
                              in + " " + At("out.txt") + " --json " + At("s.json") + " 2>&1");
  EXPECT_EQ(run.exit_code, 2) << run.output;
  EXPECT_THAT(run.output, testing::HasSubstr("s.json: cannot write: File too large"));
  EXPECT_EQ(ReadBytes(At("out.txt")), "as it was\n");
  EXPECT_FALSE(std::filesystem::exists(At("s.json")));
}

TEST_F(FilterCommand, RefusesOptionsThatMakeNoSense) {
  for (const char* options :
       {"--min-delay -3", "--horizon x", "--horizon -1", "--max-wait 5", "--online --max-wait -1",
        "--start noon", "--order none", "--logical both", "--json -", "--gamma-max 2", "a b c"}) {
    const RunResult run = Syncline(std::string("filter ") + options + " < /dev/null");
    EXPECT_EQ(run.exit_code, 1) << options << ": " << run.output;
  }
  EXPECT_EQ(Syncline("filter " + At("missing.txt")).exit_code, 2);
  EXPECT_EQ(Syncline("filter " + folder_.string()).exit_code, 2);
}

TEST_F(FilterCommand, ReadsItsOptionsFromAFile) {
  const std::string config =
      Write("filter.conf", "min-delay = 40\nlogical = simple\namortization = none\nquiet = true\n");
  const std::string trace = Header() + "100 A send B 1\n90 B recv A 1\n";
  EXPECT_THAT(EventLinesOf(Filter(trace, "--config " + config)),
              ElementsAre("100 A send B 1", "140 B recv A 1"));
  EXPECT_THAT(EventLinesOf(Filter(trace, "--min-delay 2 --config " + config)),
              ElementsAre("100 A send B 1", "102 B recv A 1"));
  EXPECT_EQ(Syncline("filter --config " + config + " " + At("in.txt") + " " + At("o.txt")).output,
            "");
}

TEST_F(FilterCommand, PrintsTheProtocolWhereTheTraceDoesNotGo) {
  const std::string in = Write("in.txt", Header() + "1 A mark x\n");
  EXPECT_EQ(Syncline("filter " + in + " 2>/dev/null").output, ReadBytes(in));
  EXPECT_THAT(Syncline("filter " + in + " 2>&1 >/dev/null").output,
              HasSubstr("No event had to be moved"));
  EXPECT_THAT(
      Syncline("filter --force --verbose " + in + " " + At("o.txt") + " 2>/dev/null").output,
      HasSubstr("held at once"));
  const std::string json =
      Syncline("filter --force --json - " + in + " " + At("o.txt") + " 2>/dev/null").output;
  const auto summary = nlohmann::json::parse(json);
  EXPECT_THAT(summary["command"], HasSubstr("filter --force"));
  EXPECT_EQ(summary["timing"]["events"], 1);
  EXPECT_TRUE(summary["diagnostics"].empty());
}

// The producer goes on only once the consumer has what came so far, or gives up.
std::string Handshake(const std::string& first, const std::string& awaited, const std::string& then,
                      const std::string& options, const std::string& out) {
  return fmt::format(
      "{{ printf '{}'; for i in $(seq 500); do grep -q '{}' {} && break; sleep 0.02; done; printf "
      "'{}'; }} | timeout 20 "
      "{} "
      "filter {} > {}",
      first, awaited, out, then, SYNCLINE_PROGRAM, options, out);
}

TEST_F(FilterCommand, PassesAStreamOnWhenItsProducerPauses) {
  const std::string out = Write("out.txt", "");
  const std::string head = "clock a 1000000000\\nprocess A a\\n";
  const RunResult run = Shell(Handshake(head + "1 A mark x\\n2 A mark y\\n", "mark x", "3 A mark",
                                        "--quiet --amortization none", out));
  EXPECT_EQ(run.exit_code, 2) << run.output;  // the producer was cut off in a line
  EXPECT_THAT(run.output, HasSubstr("standard input:5:9: expected a name"));
  EXPECT_THAT(EventLinesOf(ReadBytes(out)), ElementsAre("1 A mark x", "2 A mark y"));
}

TEST_F(FilterCommand, OnlineWaitsNoLongerThanItMay) {
  const std::string out = Write("out.txt", "");
  const std::string head = "clock a 1000000000\\nclock b 1000000000\\nprocess A a\\nprocess B b\\n";
  // B is silent, and its receive comes after A's send has left.
  const std::string command =
      Handshake(head + "100 A send B 1\\n", "send B", "90 B recv A 1\\n",
                "--online --max-wait 30 --json " + At("online.json") + " - ", out);
  const RunResult run = Shell(command);
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(EventLinesOf(ReadBytes(out)), ElementsAre("100 A send B 1", "101 B recv A 1"));
  const auto summary = nlohmann::json::parse(ReadBytes(At("online.json")));
  EXPECT_GE(summary["logical"]["online"]["max_added_delay_ns"], 30'000'000);
  EXPECT_EQ(summary["messages"]["inverted_after"], 0);
}

}  // namespace
}  // namespace syncline
