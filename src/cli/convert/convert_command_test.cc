// syncline convert on real files: what comes out is read by what reads such files.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

using Json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

// Two hosts; b's clock is 1 ms behind, so that what a sends arrives before it was sent.
constexpr const char* kTrace = R"(clock a 1000000000
clock b 1000000000
process p a
process q b
1000000 p enter main
2000000 p send q 1 64
1100000 q recv p 1 64
1200000 q send p 2
2300000 p recv q 2
2400000 p leave main
12000000 p send q 3
11100000 q recv p 3
11200000 q send p 4
12300000 p recv q 4
12400000 p mark end
)";

class ConvertTest : public CommandTest {
 protected:
  std::string Trace() const {
    WriteBytes(At("trace.txt"), kTrace);
    return At("trace.txt");
  }
  // What convert wrote of the inputs.
  std::string Convert(const std::string& arguments, const std::string& to, int exit_code = 0) {
    const RunResult run =
        Syncline("convert " + arguments + " --force --to " + to + " -o " + At("out"));
    EXPECT_EQ(run.exit_code, exit_code) << run.output;
    return ReadBytes(At("out"));
  }
  static std::vector<Json> Phase(const Json& file, const std::string& phase) {
    std::vector<Json> events;
    for (const Json& event : file["traceEvents"]) {
      if (event["ph"] == phase) events.push_back(event);
    }
    return events;
  }
  static std::string Archive() {
    return std::string(SYNCLINE_SOURCE_DIR) + "/src/read/otf2/testdata/ring/eztrace_log.otf2";
  }
};

TEST_F(ConvertTest, ChromeArrowsPointForwardOnceCorrected) {
  const auto arrows = [](const Json& file) {
    std::map<std::string, int> names;
    for (const Json& begin : Phase(file, "s")) ++names[begin["name"]];
    return names;
  };
  using Names = std::map<std::string, int>;
  EXPECT_EQ(arrows(Json::parse(Convert(Trace(), "chrome"))), (Names{{"message", 4}}));
  EXPECT_EQ(arrows(Json::parse(Convert(Trace() + " --recorded", "chrome"))),
            (Names{{"message", 2}, {"received before sent", 2}}));
}

TEST_F(ConvertTest, ChromeTimesAreThoseOfTheEventsArguments) {
  const Json file = Json::parse(Convert(Trace(), "chrome"));
  const auto origin = file["otherData"]["origin_ns"].get<int64_t>();
  EXPECT_EQ(file["displayTimeUnit"], "ns");
  for (const Json& event : Phase(file, "X")) {
    const auto ns = event["args"]["corrected_ns"].get<int64_t>() - origin;
    EXPECT_NEAR(event["ts"].get<double>(), static_cast<double>(ns) / 1000, 1e-6);
    EXPECT_GE(event["args"]["bound_ns"].get<int64_t>(), 0);
  }
  const auto begins = Phase(file, "B");
  ASSERT_EQ(begins.size(), 1U);
  EXPECT_EQ(begins[0]["name"], "main");
  EXPECT_EQ(begins[0]["args"]["recorded_ns"], 1'000'000);
}

// c is 5 s ahead of a, which nobody can know; of d, too, all that is known is relative to it.
TEST_F(ConvertTest, ClocksThatNothingRelatesToTheReferenceHaveNoBounds) {
  WriteBytes(At("trace.txt"),
             "clock a 1000000000\nclock b 1000000000\nclock c 1000000000\nclock d 1000000000\n"
             "process p a\nprocess q b\nprocess r c\nprocess s d\n"
             "1000 p send q 1\n1900 q recv p 1\n2000 q send p 2\n2100 p recv q 2\n"
             "5000001000 r send s 1\n5000001900 s recv r 1\n"
             "5000002000 s send r 2\n5000002100 r recv s 2\n");
  const std::string of_a = At("trace.txt") + " --reference a -q";
  ASSERT_EQ(Syncline("sync " + of_a + " -o " + At("sync")).exit_code, 3);
  const struct {
    std::string arguments;
    int exit_code;
  } cases[] = {{of_a, 3}, {At("trace.txt") + " -q --summary " + At("sync/syncline.json"), 3}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.arguments);
    const std::string table = Convert(c.arguments, "csv", c.exit_code);
    EXPECT_THAT(table, HasSubstr("\r\n1000,1000,0,a,p,0,send,,q,1,,,1000,1000\r\n"));
    EXPECT_THAT(table, HasSubstr("\r\n1500,1900,501,b,q,0,receive,,p,1,,,"));
    EXPECT_THAT(table, HasSubstr("\r\n5000001000,5000001000,,c,r,0,send,,s,1,,,,\r\n"));
    EXPECT_THAT(table, HasSubstr("\r\n5000001500,5000001900,,d,s,0,receive,,r,1,,,,\r\n"));
  }
  for (const Json& event : Phase(Json::parse(Convert(of_a, "chrome", 3)), "X")) {
    EXPECT_EQ(event["args"].contains("bound_ns"), event["pid"] <= 2) << event;
  }
}

TEST_F(ConvertTest, TheSummaryFollowsItsSchema) {
  if (Shell("python3 -c 'import jsonschema'").exit_code != 0) GTEST_SKIP() << "no jsonschema";
  Convert(Samples() + " -q --json " + At("summary.json"), "csv", 3);
  const RunResult check = Shell("python3 -B " + std::string(SYNCLINE_SOURCE_DIR) +
                                "/tools/check_summary.py " + At("summary.json"));
  EXPECT_EQ(check.exit_code, 0) << check.output;
}

TEST_F(ConvertTest, PythonReadsTheJsonAndTheTable) {
  if (!HasTool("python3")) GTEST_SKIP() << "needs python3";
  Convert(Samples() + " -q", "chrome", 3);
  const RunResult json = Shell("python3 -c 'import json; f = json.load(open(\"" + At("out") +
                               "\")); print(sum(e[\"ph\"] == \"X\" for e in f[\"traceEvents\"]))'");
  const std::string table = Convert(Samples() + " -q --messages " + At("messages.csv"), "csv", 3);
  const RunResult csv = Shell("python3 -c 'import csv; print(len(list(csv.DictReader(open(\"" +
                              At("out") + "\", newline=\"\"), strict=True))))'");
  EXPECT_EQ(json.output, csv.output);
  EXPECT_EQ(json.output, "8562\n");  // 2 909 + 2 676 + 2 793 + 184 events
  const std::string messages = ReadBytes(At("messages.csv"));
  EXPECT_EQ(std::count(messages.begin(), messages.end(), '\n'), 1 + 4'470);
  EXPECT_THAT(table, HasSubstr(",receive,TCP,"));
}

// Messages come in another order, which the choice of lines can show by some of the nanoseconds
// that bounds leave them, and the choice of a guess by more; the bounds stay what they are.
TEST_F(ConvertTest, TextOfRecordedTimesIsTheSameTraceAgain) {
  const std::string inputs = Sample("a.pcap") + " " + Sample("b.pcap") + " " + Sample("c.pcap");
  Convert(inputs + " -q --recorded", "text");
  fs::rename(At("out"), At("recorded.txt"));
  const struct {
    const char* group;
    int64_t most_change_ns;
  } cases[] = {{"joint", 500}, {"drift-bounded", 20'000}};
  for (const auto& c : cases) {
    const std::string check = fmt::format("check -q --reference b --bounds 5 --group {} ", c.group);
    const Json captures = Summary(check + inputs, 0);
    const Json text = Summary(check + At("recorded.txt"), 0);
    EXPECT_EQ(text["messages"]["total"], captures["messages"]["total"]);
    EXPECT_EQ(text["messages"]["inverted_before"], captures["messages"]["inverted_before"]);
    for (const Json& clock : captures["clocks"]) {
      const Json same = ByName(text["clocks"], clock["name"]);
      EXPECT_EQ(same["bounds"], clock["bounds"]) << clock["name"];
      const Json& knots = same["correction"];
      ASSERT_EQ(knots.size(), clock["correction"].size());
      for (size_t i = 0; i < knots.size(); ++i) {
        const Json& knot = clock["correction"][i];
        EXPECT_EQ(knots[i]["local"], knot["local"]);
        const auto change = knots[i]["global_ns"].get<int64_t>() - knot["global_ns"].get<int64_t>();
        EXPECT_LE(std::abs(change), c.most_change_ns) << clock["name"];
      }
    }
  }
}

TEST_F(ConvertTest, FilesAreCompressedAsTheirNamesSay) {
  const std::string plain = Convert(Trace() + " --messages " + At("m.csv"), "csv");
  const auto unpacked = [&](const std::string& ending, const std::string& tool) {
    const RunResult run = Syncline("convert " + Trace() + " --to csv -o " + At("c.csv" + ending) +
                                   " --messages " + At("m.csv" + ending));
    EXPECT_EQ(run.exit_code, 0) << run.output;
    EXPECT_EQ(Shell(tool + " -dc " + At("m.csv" + ending)).output, ReadBytes(At("m.csv")));
    return Shell(tool + " -dc " + At("c.csv" + ending)).output;
  };
  EXPECT_EQ(unpacked(".gz", "gzip"), plain);
  const RunResult folder =
      Syncline("convert " + Trace() + " --recorded --to otf2 -o " + At("archive.gz"));
  EXPECT_EQ(folder.exit_code, 1);
  EXPECT_THAT(folder.output, HasSubstr("--to otf2 writes a folder, which is not compressed"));
  if (!HasTool("zstd")) GTEST_SKIP() << "needs zstd";
  EXPECT_EQ(unpacked(".zst", "zstd"), plain);
}

TEST_F(ConvertTest, MessagesKeepTheirNames) {
  const std::string trace =
      "clock a 1000000000\nclock b 1000000000\nprocess p a\nprocess q b\n"
      "10 p send q req-00000\n20 q recv p req-00000\n30 q bcast =all,\"x\"\n40 p recv q "
      "=all,\"x\"\n"
      "50 q send p ~8000000000000001\n60 p recv q ~8000000000000001\n";
  WriteBytes(At("named.txt"), trace);
  EXPECT_EQ(Convert(At("named.txt") + " --recorded", "text"), trace);
  const std::string table = Convert(
      At("named.txt") + " --recorded --quote-formulas --messages " + At("messages.csv"), "csv");
  EXPECT_THAT(table, HasSubstr(",p,0,send,,q,req-00000,"));
  EXPECT_THAT(table, HasSubstr(",\"'=all,\"\"x\"\"\","));
  EXPECT_THAT(ReadBytes(At("messages.csv")), HasSubstr("p,q,message,req-00000,"));
  EXPECT_THAT(Convert(At("named.txt"), "chrome"), HasSubstr("\"message\":\"req-00000\""));
  EXPECT_THAT(Convert(At("named.txt"), "shiviz"), HasSubstr(" message req-00000 "));
}

TEST_F(ConvertTest, TextKeepsTheCommentsOfTexts) {
  WriteBytes(At("p.txt"),
             "# measured in May\r\n"
             "clock a 1000000000 # of nanoseconds\n"
             "clock unused 7 # without processes\n"
             "process p a first host # the left one\n"
             "process q a\n"
             "\n"
             "# the only question\n"
             "10 p send q 1 # asked\n"
             "20 q recv p 1\n"
             "# the end of p.txt");
  WriteBytes(At("q.txt"),
             "clock a 1000000000 # the same\n"
             "# of q.txt\n"
             "process q a\n"
             "15 q mark here # in between, by number\n");
  EXPECT_EQ(Convert(At("p.txt") + " " + At("q.txt") + " --recorded", "text"),
            "# measured in May\n"
            "# the same\n"
            "clock a 1000000000 # of nanoseconds\n"
            "# without processes\n"
            "process p a first host # the left one\n"
            "# of q.txt\n"
            "process q a\n"
            "# the only question\n"
            "10 p send q 1 # asked\n"
            "20 q recv p 1\n"
            "15 q mark here # in between, by number\n"
            "# the end of p.txt\n");
}

TEST_F(ConvertTest, TextOfCorrectedTimesHasNoInversions) {
  Convert(Trace(), "text");
  fs::rename(At("out"), At("corrected.txt"));
  const Json summary = Summary("check -q " + At("corrected.txt"), 0);
  EXPECT_EQ(summary["messages"]["total"], 4);
  EXPECT_EQ(summary["messages"]["inverted_before"], 0);
}

TEST_F(ConvertTest, ASummarysCorrectionsAreApplied) {
  const std::string trace = Trace();
  const Json summary = Summary("sync -q " + trace + " -o " + At("corrected"), 0);
  ASSERT_EQ(summary["clocks"][0]["logical"]["events_moved"], 0);
  Convert(trace + " --summary " + At("corrected/syncline.json"), "text");
  const std::string applied = ReadBytes(At("out"));
  EXPECT_EQ(Convert(trace, "text"), applied);
  // In the trace as sync wrote it, the same lines stand in another order.
  std::istringstream lines(ReadBytes(At("corrected/trace.txt")));
  for (std::string line; std::getline(lines, line);) EXPECT_THAT(applied, HasSubstr(line + "\n"));
}

TEST_F(ConvertTest, WhatASummaryDoesNotMoveIsSaid) {
  WriteBytes(At("moved.json"), R"({"reference": "a", "clocks": [
      {"name": "a", "correction": [{"local": 0, "global_ns": 0}, {"local": 9, "global_ns": 9}]},
      {"name": "b", "correction": [{"local": 0, "global_ns": 1000}, {"local": 9, "global_ns": 1009}],
       "first_local": 1100000, "last_local": 11200000, "bound_ns": {"worst": 7}, "logical": {"max_advance_ns": 5, "events_moved": 2}}]})");
  const RunResult run = Syncline("convert " + Trace() + " --summary " + At("moved.json") +
                                 " --to csv -o " + At("out"));
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.output, HasSubstr("2 × summary-moved-events"));
  EXPECT_THAT(ReadBytes(At("out")),
              HasSubstr("1101000,1100000,7,b,q,0,receive,,p,1,,64,1100993,1101007\r\n"));
  EXPECT_THAT(ReadBytes(At("out")), HasSubstr("1000000,1000000,,a,p,0,enter,main,,,,,,\r\n"));
}

TEST_F(ConvertTest, ShivizAndPerfettoTakeEveryEvent) {
  const std::string log = Convert(Trace(), "shiviz");
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 2 * 11);
  EXPECT_THAT(log, HasSubstr("q {\"p\":2,\"q\":1}\nreceive from p message "));
  if (!HasTool("protoc")) GTEST_SKIP() << "needs protoc (protobuf-compiler)";
  Convert(Trace(), "perfetto");
  const RunResult run = Shell("protoc --decode=Trace -I" + std::string(SYNCLINE_SOURCE_DIR) +
                              "/src/write/perfetto/testdata trace.proto < " + At("out") +
                              " | grep -c 'track_event {'");
  EXPECT_EQ(run.output, "11\n");
}

// What the manifest says of a constant offset is what was put on; a drift beyond the bounds is not
// said by one.
TEST_F(ConvertTest, APerfettoBundleSaysConstantOffsetsOfFilesThatStayAsTheyAre) {
  if (!HasTool("tar")) GTEST_SKIP() << "needs tar";
  const auto simulate = [&](const std::string& clock) {
    const RunResult run = Syncline(
        "simulate ring --processes 2 --steps 40 --start 1h --format chrome --force --clock " +
        clock + " -o " + At("sim"));
    EXPECT_EQ(run.exit_code, 0) << run.output;
    return At("sim/c0.json") + " " + At("sim/c1.json") + " --reference c0";
  };
  Convert(simulate("1:offset=5ms+drift=5ppm"), "perfetto-bundle", 3);  // sends are matched by order
  const auto member = [&](const std::string& name) {
    return Shell("tar -xOf " + At("out") + " " + name).output;
  };
  for (const char* name : {"c0.json", "c1.json"}) {
    EXPECT_EQ(member(name), ReadBytes(At("sim/" + std::string(name))));
  }
  const Json manifest = Json::parse(member("perfetto_manifest.json"))["perfetto_manifest"];
  EXPECT_EQ(manifest["version"], 1);
  EXPECT_EQ(manifest["files"][0], Json::parse(R"({"path": "c0.json", "machine": {"name": "c0"}})"));
  const Json& clocks = manifest["files"][1]["clocks"];
  EXPECT_EQ(clocks["sync_to"], Json::parse(R"({"file": "c0.json"})"));
  EXPECT_NEAR(clocks["offset_ns"].get<double>(), -5e6, 200e3);

  const RunResult drifts = Syncline("convert " + simulate("1:drift=20000ppm") +
                                    " --max-drift-ppm 30000 --to perfetto-bundle -o " + At("out2"));
  EXPECT_EQ(drifts.exit_code, 4) << drifts.output;
  EXPECT_THAT(drifts.output, HasSubstr("one constant offset, and that of c1 changes by"));
  EXPECT_FALSE(fs::exists(At("out2")));
  const RunResult text = Syncline("convert " + Trace() + " --to perfetto-bundle -o " + At("out2"));
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_THAT(text.output, HasSubstr("takes Chrome JSON alone"));
}

TEST_F(ConvertTest, OTF2RegionsHaveTheirNames) {
  const RunResult run =
      Syncline("convert " + Archive() + " --recorded -q --to chrome -o " + At("out"));
  if (run.output.find("libotf2") != std::string::npos) GTEST_SKIP() << run.output;
  ASSERT_NE(run.exit_code, 2) << run.output;
  const Json file = Json::parse(ReadBytes(At("out")));
  EXPECT_FALSE(Phase(file, "s").empty());
  std::map<std::string, int> kinds;
  for (const Json& event : file["traceEvents"]) {
    if (event.contains("cat")) ++kinds[event["cat"]];
  }
  EXPECT_GT(kinds["send"], 0);
  EXPECT_EQ(kinds["send"], kinds["receive"]);
  EXPECT_EQ(Phase(file, "B").size(), Phase(file, "E").size());
  EXPECT_FALSE(Phase(file, "B").empty());
}

TEST_F(ConvertTest, CTFEventsHaveTheirNames) {
  const std::string traces = std::string(SYNCLINE_SOURCE_DIR) + "/src/read/ctf/testdata/rates";
  const RunResult run = Syncline("convert " + traces +
                                 " --match 'msg:send(id) -> msg:recv(id)' --recorded -q --to csv "
                                 "-o " +
                                 At("out"));
  if (run.output.find("babeltrace") != std::string::npos) GTEST_SKIP() << run.output;
  ASSERT_NE(run.exit_code, 2) << run.output;
  EXPECT_THAT(ReadBytes(At("out")), HasSubstr(",send,msg:send,"));
  EXPECT_THAT(ReadBytes(At("out")), HasSubstr(",receive,msg:recv,"));
}

TEST_F(ConvertTest, NamesAreNoFormulasOfSpreadsheetsWhereAsked) {
  WriteBytes(At("formulas.txt"), "clock =a 1000000000\nprocess @p =a\n5 @p mark +1\n6 @p mark x\n");
  const std::string convert = "convert " + At("formulas.txt") + " --recorded --to csv -q -o - ";
  EXPECT_THAT(Syncline(convert).output, HasSubstr("\n5,5,,=a,@p,0,mark,+1,"));
  EXPECT_THAT(Syncline(convert + "--quote-formulas").output,
              AllOf(HasSubstr("\n5,5,,'=a,'@p,0,mark,'+1,"), HasSubstr(",mark,x,")));
}

TEST_F(ConvertTest, StandardOutputGetsTheTraceAlone) {
  const RunResult run =
      Shell(std::string(SYNCLINE_PROGRAM) + " convert " + Trace() + " --to csv -o - 2>/dev/null");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(run.output.starts_with("time_ns,")) << run.output.substr(0, 200);
  EXPECT_EQ(std::count(run.output.begin(), run.output.end(), '\n'), 1 + 11);
}

// Of what the clock did before and afterwards, a summary knows nothing.
TEST_F(ConvertTest, ASummaryBoundsNoReadingsBeyondItsTrace) {
  const std::string head = "clock a 1000000000\nclock b 1000000000\nprocess p a\nprocess q b\n";
  const std::string events = "1000 p send q 1\n2000 q recv p 1\n3000 q send p 2\n5000 p recv q 2\n";
  WriteBytes(At("first.txt"), head + events);
  WriteBytes(At("later.txt"), head + events + "6000 p send q 3\n7000 q recv p 3\n2500 q mark in\n");
  ASSERT_EQ(Syncline("sync " + At("first.txt") + " --reference a -o " + At("first")).exit_code, 0);
  const std::string summary = " --summary " + At("first/syncline.json");
  EXPECT_THAT(Convert(At("first.txt") + summary, "csv"), HasSubstr(",2000,1501,b,q,0,receive,"));
  const RunResult run =
      Syncline("convert " + At("later.txt") + summary + " --to csv -f -o " + At("out"));
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.output, HasSubstr("2 × beyond-summary (clock a; clock b)"));
  EXPECT_THAT(ReadBytes(At("out")), HasSubstr(",7000,,b,q,2,receive,,p,3,,,,\r\n"));
  EXPECT_THAT(ReadBytes(At("out")), HasSubstr(",2500,1501,b,q,3,mark,in,"));
}

TEST_F(ConvertTest, WithoutMessagesOnlyRecordedTimesCanBeWritten) {
  WriteBytes(At("alone.txt"), "clock a 1000000000\nprocess p a\n5 p mark x\n");
  const RunResult run = Syncline("convert " + At("alone.txt") + " --to csv -o " + At("out"));
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.output, HasSubstr("--recorded converts without correction"));
  EXPECT_FALSE(fs::exists(At("out")));
  const RunResult recorded =
      Syncline("convert " + At("alone.txt") + " --recorded --to csv -o " + At("out"));
  EXPECT_EQ(recorded.exit_code, 0) << recorded.output;
  EXPECT_THAT(recorded.output, HasSubstr("no-messages"));
  EXPECT_THAT(ReadBytes(At("out")), HasSubstr("5,5,,a,p,0,mark,x,,,,,,\r\n"));
}

TEST_F(ConvertTest, WrongUseIsSaidAndWritesNothing) {
  const std::string trace = Trace();
  const std::string out = " -o " + At("out");
  WriteBytes(At("other.json"), R"({"clocks": [{"name": "z", "correction":
      [{"local": 0, "global_ns": 0}, {"local": 9, "global_ns": 9}]}]})");
  const struct {
    std::string arguments, says;
    int exit_code;
  } cases[] = {
      {trace + " --to flash" + out, "flash", 1},
      {trace + out, "--to is required", 1},
      {trace + " --to csv", "--output is required", 1},
      {trace + " --to csv -o " + trace, "inputs are never overwritten", 1},
      {trace + " --to text --quote-formulas" + out, "--quote-formulas goes with --to csv", 1},
      {trace + " --to text --messages " + At("m") + out, "--messages goes with --to csv", 1},
      {trace + " --to csv --recorded --json " + At("j") + out, "estimate nothing", 1},
      {trace + " --to csv --recorded --reference a" + out, "excludes", 1},
      {trace + " --to csv --recorded --bounds 3" + out, "excludes", 1},
      {trace + " --to csv --recorded --assume constant-rate" + out, "excludes", 1},
      {trace + " --to csv --recorded --logical simple" + out, "excludes", 1},
      {trace + " --to csv --recorded --summary " + At("other.json") + out, "excludes", 1},
      {trace + " --to csv --reference a --summary " + At("other.json") + out, "excludes", 1},
      {trace + " --to csv --logical none --summary " + At("other.json") + out, "excludes", 1},
      {trace + " --to csv --min-delay 1us --summary " + At("other.json") + out, "excludes", 1},
      {trace + " --to csv --summary " + At("other.json") + out, "no clock called \"a\"", 1},
      {trace + " --to csv --summary " + trace + out, "not a summary", 2},
      {trace + " --to csv -o " + At("absent/out"), "there is no folder", 2},
      {At("nothing.txt") + " --to csv" + out, "nothing.txt", 2},
      {"- --to csv" + out, "standard input", 1},
      {trace + " --to csv -o - --json -", "standard output", 1},
  };
  for (const auto& [arguments, says, exit_code] : cases) {
    const RunResult run = Syncline("convert " + arguments + " < /dev/null");
    EXPECT_EQ(run.exit_code, exit_code) << arguments << ": " << run.output;
    EXPECT_THAT(run.output, HasSubstr(says)) << arguments;
    EXPECT_FALSE(fs::exists(At("out"))) << arguments;
  }
  WriteBytes(At("out"), "mine");
  const RunResult run = Syncline("convert " + trace + " --to csv" + out);
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.output, HasSubstr("--force"));
  EXPECT_EQ(ReadBytes(At("out")), "mine");
}

TEST_F(ConvertTest, ACycleOfMessagesLosesOne) {
  WriteBytes(At("cycle.txt"),
             "clock a 1000000000\nclock b 1000000000\nprocess p a\nprocess q b\n"
             "1 p recv q y\n2 p send q x\n1 q recv p x\n2 q send p y\n");
  const RunResult run =
      Syncline("convert " + At("cycle.txt") + " --recorded --to shiviz -o " + At("out"));
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.output, HasSubstr("4 events of 2 processes and 1 messages"));
  EXPECT_THAT(run.output, HasSubstr("cycle-messages"));
  EXPECT_THAT(ReadBytes(At("out")), HasSubstr("{\"p\":2,\"q\":2}\n"));
}

}  // namespace
}  // namespace syncline
