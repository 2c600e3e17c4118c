// The report as the program writes it: what is in the page, and what is not.
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/command_test_util.h"
#include "pipeline/page/report_trace.h"

namespace syncline {
namespace {

using testing::HasSubstr;

// The JSON of one of the page's data elements.
nlohmann::json DataOf(const std::string& html, const std::string& id) {
  const std::string open = "<script id=\"" + id + "\" type=\"application/json\">";
  const size_t begin = html.find(open);
  if (begin == std::string::npos) return {};
  const size_t from = begin + open.size();
  return nlohmann::json::parse(html.substr(from, html.find("</script>", from) - from));
}

class ReportCommand : public CommandTest {
 protected:
  // The metadata of the report of a run that must exit with this code.
  nlohmann::json Report(const std::string& arguments, int exit_code) {
    const RunResult run =
        Syncline("sync " + arguments + " -f -q -o " + At("out") + " --report " + At("report.html"));
    EXPECT_EQ(run.exit_code, exit_code) << run.output;
    html_ = ReadBytes(At("report.html"));
    return DataOf(html_, "meta");
  }

  // b is 1000 ns ahead; messages take 10 ns each way, one every 100 ns.
  std::string Ping(int messages) {
    std::string trace =
        "clock a 1000000000\nclock b 1000000000\nprocess 0 a\nprocess 1 b # second\n";
    for (int i = 0; i < messages; ++i) {
      const int at = 100 * i;
      const auto [from, to] = i % 2 == 0 ? std::pair(0, 1) : std::pair(1, 0);
      trace += fmt::format("{} {} send {} m{}\n", at + 1000 * from, from, to, i);
      trace += fmt::format("{} {} recv {} m{}\n", at + 10 + 1000 * to, to, from, i);
    }
    WriteBytes(At("t.txt"), trace);
    return At("t.txt") + " --reference a";
  }

  std::string html_;
};

TEST_F(ReportCommand, HoldsTheSummaryThatIsWrittenBesides) {
  Report(Samples(), 3);
  EXPECT_EQ(DataOf(html_, "summary"), nlohmann::json::parse(ReadBytes(At("out/syncline.json"))));
}

TEST_F(ReportCommand, HoldsEveryEventAndMessageOfTheSample) {
  const auto meta = Report(Samples(), 3);
  const auto& trace = meta["trace"];
  EXPECT_TRUE(trace["window"].is_null());
  EXPECT_EQ(trace["messages"], 4470);
  EXPECT_EQ(trace["messages_left_out"], 0);
  const size_t events[] = {2909, 2676, 2793, 184};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(trace["processes"][i]["events"], events[i]);
    EXPECT_EQ(trace["processes"][i]["total"], events[i]);
  }
  EXPECT_EQ(trace["corridors"].size(), 6);
}

TEST_F(ReportCommand, SaysWhichFilesWereRead) {
  const auto meta = Report(Samples(), 3);
  ASSERT_EQ(meta["inputs"].size(), 4);
  for (const auto& input : meta["inputs"]) {
    const std::string path = input["path"];
    EXPECT_THAT(Shell("sha256sum " + path).output, HasSubstr(input["sha256"].get<std::string>()));
  }
}

TEST_F(ReportCommand, ShowsClocksByTheirOffsetsAndBounds) {
  const auto meta = Report(Ping(20), 0);
  const auto& b = meta["trace"]["clocks"][1];
  EXPECT_EQ(b["since"][0], 0);
  EXPECT_NEAR(std::stod(b["start"].get<std::string>()), 1000, 1);
  for (const auto& offset : b["offset"]) EXPECT_NEAR(offset.get<double>(), 0, 1);
  for (size_t i = 0; i < b["lower"].size(); ++i) {
    EXPECT_LE(b["lower"][i], 0);
    EXPECT_GE(b["upper"][i], 0);
  }
}

// Exchanges every 10 s, and marks in between, where bounds are widest: more bends than the page
// keeps readings.
TEST_F(ReportCommand, NeverShowsNarrowerBoundsThanThereAre) {
  constexpr int64_t kGap = 10'000'000'000;
  std::string trace = "clock a 1000000000\nclock b 1000000000\nprocess 0 a\nprocess 1 b\n";
  for (int64_t i = 0; i < 140; ++i) {
    const int64_t t = i * kGap;
    trace += fmt::format("{} 0 send 1 m{}\n{} 1 recv 0 m{}\n", t, i, t + 100, i);
    trace += fmt::format("{} 1 send 0 r{}\n{} 0 recv 1 r{}\n", t + 200, i, t + 300, i);
    trace += fmt::format("{} 1 mark between\n", t + kGap / 2);
  }
  WriteBytes(At("t.txt"), trace);
  const auto meta = Report(At("t.txt") + " --reference a", 0);
  const auto& b = meta["trace"]["clocks"][1];
  const auto summary =
      Summary("check " + At("t.txt") + " --reference a --bounds 1001", 0)["clocks"][1];
  EXPECT_LT(b["since"].size(), 200U);
  for (const auto& there : summary["bounds"]) {
    const int64_t since =
        there["local"].get<int64_t>() - std::stoll(b["origin"].get<std::string>());
    size_t after = 1;
    while (after + 1 < b["since"].size() && b["since"][after] < since) ++after;
    const double from = b["since"][after - 1], to = b["since"][after];
    const double part = (static_cast<double>(since) - from) / (to - from);
    const auto line = [&](const char* side) {
      const double at_from = b[side][after - 1], at_to = b[side][after];
      return at_from + part * (at_to - at_from);
    };
    // The clocks agree, to some nanoseconds.
    const double local = there["local"], lower = there["lower_ns"], upper = there["upper_ns"];
    EXPECT_LE(line("lower"), lower - local + 10) << since;
    EXPECT_GE(line("upper"), upper - local - 10) << since;
  }
}

TEST_F(ReportCommand, NamesEventsOfCTFAndPackets) {
  EXPECT_THAT(Report(Samples(), 3)["trace"]["names"], testing::Contains("TCP"));
  const std::string traces = std::string(SYNCLINE_SOURCE_DIR) + "/src/read/ctf/testdata/rates";
  const std::string arguments = traces + " --match 'msg:send(id) -> msg:recv(id)'";
  const RunResult check = Syncline("check -q " + arguments);
  if (check.output.find("babeltrace") != std::string::npos) GTEST_SKIP() << check.output;
  const auto names = Report(arguments, check.exit_code)["trace"]["names"];
  EXPECT_THAT(names, testing::Contains("msg:send"));
  EXPECT_THAT(names, testing::Contains("msg:recv"));
}

TEST_F(ReportCommand, KeepsTheEventsOfAWindowAndCountsTheRest) {
  const auto meta = Report(Ping(20) + " --report-window 0.0000005..0.000001", 0);
  const auto& trace = meta["trace"];
  EXPECT_FALSE(trace["window_chosen"]);
  // The first event is at 0; from 500 to 1000 ns stand the messages sent at 500 … 900 ns, and the
  // send at 1000 ns, whose receive is outside.
  EXPECT_EQ(trace["messages"], 5);
  EXPECT_EQ(trace["messages_left_out"], 20 - 5);
  uint64_t counted = 0;
  for (const auto& process : trace["processes"]) {
    for (const auto& part : process["count"]) counted += part.get<uint64_t>();
  }
  EXPECT_EQ(counted, 40);
}

TEST_F(ReportCommand, RefusesAWindowThatIsNone) {
  for (const char* window : {"1", "2..1", "a..b", "-1..2", "1..", "..", "0..1e300", "nan..1"}) {
    const RunResult run = Syncline("sync " + Ping(2) + " -o " + At("out") + " --report " +
                                   At("report.html") + " --report-window=" + window);
    EXPECT_EQ(run.exit_code, 1) << window;
    EXPECT_THAT(run.output, HasSubstr("--report-window takes FROM..TO")) << window;
    EXPECT_FALSE(fs::exists(At("report.html")));
  }
}

TEST_F(ReportCommand, NeverOverwritesUnlessForced) {
  WriteBytes(At("report.html"), "precious");
  const std::string arguments =
      "sync " + Ping(4) + " -o " + At("out") + " --report " + At("report.html");
  EXPECT_EQ(Syncline(arguments).exit_code, 1);
  EXPECT_EQ(ReadBytes(At("report.html")), "precious");
  EXPECT_FALSE(fs::exists(At("out/syncline.json")));
  EXPECT_EQ(
      Syncline("sync " + Ping(4) + " -f -o " + At("out") + " --report " + At("t.txt")).exit_code,
      1);
}

TEST_F(ReportCommand, MakesAPageOfASummaryAlone) {
  Report(Ping(4), 0);
  const std::string summary = At("out/syncline.json");
  ASSERT_EQ(Syncline("report " + summary + " -o " + At("s.html")).exit_code, 0);
  const std::string html = ReadBytes(At("s.html"));
  EXPECT_TRUE(DataOf(html, "meta")["trace"].is_null());
  EXPECT_EQ(DataOf(html, "summary"), nlohmann::json::parse(ReadBytes(summary)));
  EXPECT_EQ(Syncline("report " + summary + " -o " + At("s.html")).exit_code, 1);
}

TEST_F(ReportCommand, RefusesWhatIsNoSummary) {
  Ping(2);
  for (const std::string& path : {At("t.txt"), At("nothing.json")}) {
    const RunResult run = Syncline("report " + path + " -o " + At("s.html"));
    EXPECT_EQ(run.exit_code, 2) << run.output;
    EXPECT_THAT(run.output, HasSubstr(path));
    EXPECT_FALSE(fs::exists(At("s.html")));
  }
}

TEST_F(ReportCommand, KeepsWhatAPageTakesOfATraceThatIsTooLarge) {
  const uint64_t steps = ReportLimits{}.messages / 2 * 41 / 40;
  ASSERT_EQ(Syncline(fmt::format("simulate two --steps {} --tau 10us -q -o {}", steps, At("large")))
                .exit_code,
            0);
  const auto meta = Report(At("large/trace.txt"), 0);
  const auto& trace = meta["trace"];
  EXPECT_TRUE(trace["window_chosen"]);
  EXPECT_EQ(trace["messages_total"], 2 * steps);
  uint64_t kept = 0, counted = 0, total = 0;
  for (const auto& process : trace["processes"]) {
    kept += process["events"].get<uint64_t>();
    total += process["total"].get<uint64_t>();
    for (const auto& part : process["count"]) counted += part.get<uint64_t>();
  }
  EXPECT_EQ(counted, total);
  EXPECT_LE(kept, ReportLimits{}.events);
  EXPECT_LE(trace["messages"], ReportLimits{}.messages);
  EXPECT_GT(trace["messages"].get<uint64_t>(), ReportLimits{}.messages / 2);
}

}  // namespace
}  // namespace syncline
