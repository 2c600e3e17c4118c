// The reports of compare, filter and concurrency as the program writes them: what is in the page.
#include <numeric>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class OtherReports : public CommandTest {
 protected:
  // The JSON of one of the page's data elements.
  json DataOf(const std::string& id) {
    const std::string html = ReadBytes(At("report.html"));
    const std::string open = "<script id=\"" + id + "\" type=\"application/json\">";
    const size_t begin = html.find(open);
    if (begin == std::string::npos) return {};
    const size_t from = begin + open.size();
    return json::parse(html.substr(from, html.find("</script>", from) - from));
  }
  // The metadata of the report of a command that must exit with this code.
  json Report(const std::string& command, int exit_code) {
    const RunResult run = Syncline(command + " --report " + At("report.html") + " --json " +
                                   At("summary.json") + " -f -q");
    EXPECT_EQ(run.exit_code, exit_code) << run.output;
    EXPECT_EQ(DataOf("summary"), json::parse(ReadBytes(At("summary.json"))));
    return DataOf("meta");
  }
  static uint64_t Sum(const json& list) {
    return std::accumulate(list.begin(), list.end(), uint64_t{0},
                           [](uint64_t sum, const json& n) { return sum + n.get<uint64_t>(); });
  }
  // Every fourth message from a to b is received 30 ns before it was sent.
  std::string Inverting() {
    std::string trace = "clock a 1000000000\nclock b 1000000000\nprocess 0 a\nprocess 1 b\n";
    for (int i = 0; i < 40; ++i) {
      const int at = 1000 * i;
      trace += fmt::format("{} 0 send 1 m{}\n", at, i);
      trace += fmt::format("{} 1 recv 0 m{}\n", at + (i % 4 == 3 ? -30 : 20), i);
    }
    WriteBytes(At("t.txt"), trace);
    return At("t.txt");
  }
};

TEST_F(OtherReports, CompareShowsTheChartsThatPlotsWouldWrite) {
  const json meta = Report("compare " + Samples() + " --methods widest,joint --truth " +
                               std::string(SYNCLINE_SOURCE_DIR) + "/examples/captures/truth.json" +
                               " --plots " + At("plots"),
                           3);
  EXPECT_EQ(meta["kind"], "compare");
  EXPECT_EQ(meta["inputs"].size(), 4);
  const json summary = DataOf("summary");
  EXPECT_EQ(meta["charts"].size(), summary["plots"].size());
  std::map<std::string, int> kinds;
  for (const json& chart : meta["charts"]) ++kinds[chart["kind"]];
  EXPECT_EQ(kinds, (std::map<std::string, int>{{"corridor", 6}, {"bounds", 3}, {"error", 3}}));
  ASSERT_TRUE(summary["best"].is_object());
  EXPECT_THAT(summary["best"]["reason"].get<std::string>(), HasSubstr("narrowest bounds"));
  EXPECT_EQ(summary["assumptions"].size(), 1);
}

TEST_F(OtherReports, CompareNeedsNoPlots) {
  const json meta = Report("compare " + Samples() + " --methods joint", 3);
  EXPECT_TRUE(DataOf("summary")["plots"].empty());
  EXPECT_EQ(meta["charts"].size(), 6 + 3);
}

TEST_F(OtherReports, FilterShowsWhatItChangedAndWhen) {
  const json meta = Report("filter " + Inverting() + " " + At("out.txt"), 0);
  EXPECT_EQ(meta["kind"], "filter");
  EXPECT_EQ(meta["inputs"].size(), 1);
  const json summary = DataOf("summary");
  const json& timeline = meta["timeline"];
  EXPECT_EQ(timeline["first"], "0");
  EXPECT_EQ(timeline["duration"], 39 * 1000);
  const json& changes = timeline["changes"];
  EXPECT_EQ(Sum(changes["intervals"]), 2 * (40 - 1));
  const json& intervals = summary["intervals"];
  EXPECT_EQ(Sum(changes["changed"]),
            intervals["up_to_0.1_percent"].get<uint64_t>() + intervals["above"].get<uint64_t>());
  double largest = 0;
  for (const json& change : changes["change"]) largest = std::max(largest, change.get<double>());
  EXPECT_DOUBLE_EQ(largest, intervals["max_change"]);
  const json& gamma = timeline["gamma"];
  const json& events = summary["logical"]["controllers"]["events"];
  for (const char* controller : {"a", "b", "c", "d"}) {
    EXPECT_EQ(Sum(gamma[controller]), events[controller]) << controller;
  }
}

// A trace and its mirror image change at the same times, seen from their ends.
TEST_F(OtherReports, FilterInReverseTellsTimesAsTheyAre) {
  const json meta = Report("filter --reverse " + Inverting() + " " + At("out.txt"), 0);
  const json& timeline = meta["timeline"];
  EXPECT_EQ(timeline["first"], "0");
  EXPECT_EQ(timeline["duration"], 39 * 1000);
  const json& changes = timeline["changes"];
  EXPECT_EQ(Sum(changes["intervals"]), 2 * (40 - 1));
  const double start = changes["start"];
  const double width = changes["width"];
  EXPECT_LE(start, 0);
  EXPECT_GE(start + width * static_cast<double>(changes["intervals"].size()), 39 * 1000);
  EXPECT_GE(start, -width);
}

// 30 ns early one way and 20 ns late the other: no straight line puts all in order.
TEST_F(OtherReports, SyncShowsWhatItsLogicalClockDid) {
  std::string trace = ReadBytes(Inverting());
  for (int i = 0; i < 40; ++i) {
    trace +=
        fmt::format("{} 1 send 0 r{}\n{} 0 recv 1 r{}\n", 1000 * i + 500, i, 1000 * i + 520, i);
  }
  WriteBytes(At("t.txt"), trace);
  const json meta =
      Report("sync " + At("t.txt") + " --group tree-error --method regression -o " + At("out"), 3);
  const json summary = DataOf("summary");
  ASSERT_TRUE(summary.contains("logical"));
  ASSERT_GT(summary["logical"]["events_moved"], 0);
  const json& changes = meta["timeline"]["changes"];
  EXPECT_EQ(Sum(changes["intervals"]), 2 * (80 - 1));
  double furthest = 0;
  for (const json& advance : changes["advance"])
    furthest = std::max(furthest, advance.get<double>());
  double expected = 0;
  for (const json& process : summary["logical"]["processes"]) {
    expected = std::max(expected, process["largest_advance_ns"].get<double>());
  }
  EXPECT_EQ(furthest, expected);
}

TEST_F(OtherReports, ConcurrencyShowsItsRegionsOverTime) {
  const json meta = Report("concurrency " + Inverting() + " --waits receives", 0);
  EXPECT_EQ(meta["kind"], "concurrency");
  const json summary = DataOf("summary");
  uint64_t regions = 0;
  int64_t waited = 0;
  for (const json& process : summary["processes"]) {
    regions += process["regions"].get<uint64_t>();
    waited += process["delayed_ns"].get<int64_t>();
  }
  EXPECT_EQ(Sum(meta["regions"]["regions"]), regions);
  EXPECT_EQ(Sum(meta["regions"]["delayed"]), waited);
  EXPECT_EQ(meta["inputs"].size(), 1);
}

TEST_F(OtherReports, AreMadeOfTheJsonAlone) {
  const std::string trace = Inverting();
  for (const std::string& command :
       {"compare " + trace + " --methods joint", "filter " + trace + " " + At("out.txt"),
        "concurrency " + trace, "check " + trace}) {
    Syncline(command + " -f -q --json " + At("s.json"));
    const RunResult run = Syncline("report " + At("s.json") + " -f -o " + At("report.html"));
    EXPECT_EQ(run.exit_code, 0) << command << ": " << run.output;
    const std::string kind = command.substr(0, command.find(' '));
    EXPECT_EQ(DataOf("meta")["kind"], kind == "check" ? "sync" : kind);
  }
}

TEST_F(OtherReports, NeverReplaceWhatIsThereUnlessForced) {
  const std::string trace = Inverting();
  WriteBytes(At("report.html"), "precious");
  for (const std::string& command :
       {"compare " + trace, "filter " + trace + " " + At("out.txt"), "concurrency " + trace}) {
    EXPECT_EQ(Syncline(command + " --report " + At("report.html")).exit_code, 1) << command;
    EXPECT_EQ(Syncline(command + " -f --report " + trace).exit_code, 1) << command;
  }
  EXPECT_EQ(ReadBytes(At("report.html")), "precious");
  EXPECT_FALSE(fs::exists(At("out.txt")));
}

TEST_F(OtherReports, AreNeverMixedIntoStandardOutput) {
  const std::string trace = Inverting();
  for (const std::string& command :
       {"compare " + trace + " --json -", "filter " + trace + " -", "concurrency " + trace,
        "sync " + trace + " -o " + At("out")}) {
    const RunResult run = Syncline(command + " --report -");
    EXPECT_EQ(run.exit_code, 1) << command;
    EXPECT_THAT(run.output, HasSubstr("--report: needs a file")) << command;
  }
}

TEST_F(OtherReports, DoNotReplaceTheSummaryTheyAreMadeOf) {
  Report("filter " + Inverting() + " " + At("out.txt"), 0);
  const std::string summary = ReadBytes(At("summary.json"));
  const RunResult run = Syncline("report " + At("summary.json") + " -f -o " + At("summary.json"));
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.output, HasSubstr("inputs are never overwritten"));
  EXPECT_EQ(ReadBytes(At("summary.json")), summary);
}

TEST_F(OtherReports, ConcurrencyTellsRegionsSinceTheFirstEventExactly) {
  // Since the epoch doubles are 256 ns apart.
  constexpr int64_t kStart = 1'700'000'000'000'000'001;
  WriteBytes(At("e.txt"), fmt::format("clock a 1000000000\nprocess 0 a\nprocess 1 a\n{} 0 mark x\n"
                                      "{} 1 mark x\n{} 0 send 1 m\n{} 1 recv 0 m\n",
                                      kStart, kStart, kStart + 570, kStart + 1570));
  Report("concurrency --waits receives " + At("e.txt"), 0);
  const json waits = DataOf("summary")["longest_waits"];
  ASSERT_EQ(waits.size(), 1);
  EXPECT_EQ(waits[0]["since_first_ns"], 1570);
  EXPECT_EQ(waits[0]["end_ns"], kStart + 1570);
}

}  // namespace
}  // namespace syncline
