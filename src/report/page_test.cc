#include "report/page.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "report/comparison.h"
#include "report/concurrency_summary.h"
#include "report/filter_summary.h"
#include "report/json_parts.h"
#include "report/page_bytes.h"

namespace syncline {
namespace {

std::string Hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

TEST(PageBytes, WritesIntegersAsTheFormatSays) {
  ByteWriter writer;
  writer.Unsigned(0);
  writer.Unsigned(127);
  writer.Unsigned(128);             // 128 = 0 + 1·2^7
  writer.Signed(-1);                // 1
  writer.Signed(1);                 // 2
  writer.Difference(5, 8);          // −3: 5
  writer.Difference(INT64_MIN, 1);  // wraps around to 2^63 − 1: 2^64 − 2
  EXPECT_EQ(Hex(writer.Take()),
            "00"
            "7f"
            "8001"
            "01"
            "02"
            "05"
            "feffffffffffffffff01");
}

// The example of docs/formats/report.md, which the decoder's tests read as well.
ReportTrace SmallTrace() {
  ReportTrace trace;
  trace.extent = {1000, 1300};
  trace.names = {"", "work"};
  trace.clocks = {{.first_recorded_ns = 1000}, {.first_recorded_ns = 5000}};
  trace.processes = {{.name = "a",
                      .clock = 0,
                      .total = 2,
                      .events = {{1000, 1000, 0, 0, 1, EventKind::kMark},
                                 {1100, 1100, 0, 1, 0, EventKind::kSend}}},
                     {.name = "b",
                      .clock = 1,
                      .total = 1,
                      .events = {{5000, 1300, 7, 0, 0, EventKind::kReceive}}}};
  trace.messages = {{.from = 0, .to = 1, .send = 1, .receive = 0}};
  return trace;
}

TEST(PageBytes, WritesTheExampleOfTheDocumentation) {
  EXPECT_EQ(Hex(EncodeTrace(SmallTrace())),
            // a: has names; mark at 1000 called 1; 100 ns later, one event on, a send
            "02"
            "00"
            "00"
            "00"
            "06"
            "01"
            "c801"
            "00"
            "02"
            "00"
            "00"
            // b: has advances; a receive at its clock's first time, 300 ns after the first event
            "01"
            "00"
            "d804"
            "00"
            "01"
            "0e"
            // the message from 0 to 1, from event 1 to event 0
            "00"
            "01"
            "02"
            "00");
}

Page PageWith(const std::string& name) {
  Page page{.summary_json = R"({"syncline": "0", "inputs": [], "pairs": [], "messages": {},
    "clocks": [{"name": ")" +
                            name + R"("}],
    "diagnostics": [{"name": "capture-cut-off"}, {"name": "no-such-finding"}]})"};
  page.trace = SmallTrace();
  page.trace->processes[0].name = name;
  return page;
}

TEST(Page, NeverShowsANameAsMarkup) {
  const std::string html = PageToHtml(PageWith("</script><script>alert(1)</script>"));
  const std::string plain = PageToHtml(PageWith("a"));
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  const auto scripts = [](const std::string& text) {
    size_t count = 0;
    for (size_t at = text.find("<script"); at != text.npos; at = text.find("<script", at + 1)) {
      ++count;
    }
    return count;
  };
  EXPECT_EQ(scripts(html), scripts(plain));
}

TEST(Page, HoldsTheMeaningsOfItsDiagnostics) {
  const std::string html = PageToHtml(PageWith("a"));
  EXPECT_NE(html.find(R"("capture-cut-off":"a capture ends inside a packet)"), std::string::npos);
  EXPECT_NE(html.find(R"("no-such-finding":"")"), std::string::npos);
}

TEST(Page, FindsEveryNameOfALineOfTheDocumentation) {
  EXPECT_EQ(DiagnosticMeaning("unmatched-send"), "no other trace holds the other end");
  EXPECT_EQ(DiagnosticMeaning("unmatched-packet"), DiagnosticMeaning("unmatched-send"));
  EXPECT_EQ(DiagnosticMeaning(""), "");
}

TEST(Page, TellsWhoseSummaryItIs) {
  EXPECT_EQ(KindOfSummary(PageWith("a").summary_json), SummaryKind::kSync);
  EXPECT_EQ(KindOfSummary(R"({"syncline": "0", "inputs": [], "methods": [], "diagnostics": [],
      "messages": {}})"),
            SummaryKind::kCompare);
  EXPECT_EQ(KindOfSummary(FilterSummaryToJson({})), SummaryKind::kFilter);
  EXPECT_EQ(KindOfSummary(ConcurrencySummaryToJson({})), SummaryKind::kConcurrency);
  EXPECT_EQ(KindOfSummary(ComparisonToJson({})), SummaryKind::kCompare);
  for (const char* other : {"", "[]", "{}", R"({"syncline": "0"})", R"({"syncline": "0",
       "inputs": {}, "clocks": [], "pairs": [], "diagnostics": [], "messages": {}})"}) {
    EXPECT_FALSE(KindOfSummary(other)) << other;
  }
  EXPECT_FALSE(KindOfSummary(PageWith("a").summary_json + std::string("\0\x80", 2)));
  EXPECT_FALSE(KindOfSummary("\xef\xbb\xbf" + PageWith("a").summary_json));
}

// The JSON of a page's second data element.
Json MetaOf(const Page& page) {
  const std::string html = PageToHtml(page);
  const std::string open = "<script id=\"meta\" type=\"application/json\">";
  const size_t from = html.find(open) + open.size();
  return Json::parse(html.substr(from, html.find("</script>", from) - from));
}

TEST(Page, HoldsRatesSinceTheBeginningOfTheTrace) {
  Page page = PageWith("a");
  page.trace->extent.from_ns = 1000;
  page.trace->clocks[1].rates = {{1200, 1500, 7.00049}, {1600, 2000, -3}};
  const Json rates = MetaOf(page)["trace"]["clocks"][1]["rates"];
  EXPECT_EQ(rates["since"], Json({200, 600}));
  EXPECT_EQ(rates["until"], Json({500, 1000}));
  EXPECT_EQ(rates["drift_ppm"], Json({7.0, -3.0}));
}

TEST(Page, HoldsNoSectionThatItIsNotGiven) {
  const Json meta = MetaOf(PageWith("a"));
  EXPECT_EQ(meta["version"], 2);
  EXPECT_EQ(meta["kind"], "sync");
  EXPECT_TRUE(meta["timeline"].is_null());
  EXPECT_TRUE(meta["regions"].is_null());
  EXPECT_TRUE(meta["charts"].empty());
}

TEST(Page, HoldsWhatTheLogicalClockDidOverTime) {
  Page page{.kind = SummaryKind::kFilter, .summary_json = FilterSummaryToJson({})};
  LogicalTimeline& timeline = page.timeline.emplace();
  timeline.first_ns = 1'700'000'000'000'000'001;
  timeline.last_ns = timeline.first_ns + 15;
  timeline.gamma = {timeline.first_ns + 7, 8, {{{1, 2, 3, 4}, 0.5}}};
  timeline.changes = {timeline.first_ns - 1, 8, {{5, 0, 0, 0, {}}, {}}};
  timeline.changes.parts[1] = {3, 2, 40, 0.25, SummaryIntervals::Largest{"<p>", 9, 8, 10}};
  const Json meta = MetaOf(page);
  EXPECT_EQ(meta["kind"], "filter");
  const Json& json = meta["timeline"];
  EXPECT_EQ(json["first"], "1700000000000000001");
  EXPECT_EQ(json["duration"], 15);
  EXPECT_EQ(json["gamma"], Json::parse(R"({"start": 7, "width": 8, "a": [1], "b": [2], "c": [3],
      "d": [4], "smallest": [0.5]})"));
  EXPECT_EQ(json["changes"], Json::parse(R"({"start": -1, "width": 8, "intervals": [5, 3],
      "changed": [0, 2], "advance": [0, 40], "change": [0.0, 0.25],
      "where": [[1, "<p>", 9, 8, 10]]})"));
}

TEST(Page, HoldsChartsWhoseLinesShareTheirAbscissas) {
  Page page{.kind = SummaryKind::kCompare, .summary_json = ComparisonToJson({})};
  Chart chart{.title = "t", .x_range = {-0.5, 10.2}, .y_range = {0, 1}};
  chart.series.push_back({.label = "one", .points = {{0, 1}, {5, std::nan("")}}});
  chart.series.push_back({.label = "two", .dash = "5 4", .points = {{0, -2}, {5, 3.6}}});
  chart.series.push_back({.kind = ChartSeries::Kind::kPoints, .points = {{4, 0}}});
  page.charts = {{PageChart::Kind::kError, "b", chart}};
  const Json json = MetaOf(page)["charts"][0];
  EXPECT_EQ(json["kind"], "error");
  EXPECT_EQ(json["subject"], "b");
  EXPECT_EQ(json["x_range"], Json({-1, 11}));
  EXPECT_EQ(json["series"][0]["x"], Json({0, 5}));
  EXPECT_EQ(json["series"][0]["y"], Json({1, nullptr}));
  EXPECT_EQ(json["series"][1]["x"], 0);  // as the first
  EXPECT_EQ(json["series"][1]["y"], Json({-2, 4}));
  EXPECT_EQ(json["series"][1]["dash"], "5 4");
  EXPECT_EQ(json["series"][2]["x"], Json({4}));
  EXPECT_EQ(json["series"][2]["kind"], "points");
}

TEST(Page, HoldsTheRegionsOverTime) {
  Page page{.kind = SummaryKind::kConcurrency, .summary_json = ConcurrencySummaryToJson({})};
  page.regions = RegionTimeline{{0, 4, {{2, 30, 10, 0.75, 0.5, "p", 7}, {}}}};
  EXPECT_EQ(MetaOf(page)["regions"],
            Json::parse(R"({"start": 0, "width": 4, "regions": [2, 0], "computed": [30, 0],
                "delayed": [10, 0], "mean_alpha": [0.75, null], "least_alpha": [0.5, null],
                "where": [[0, "p", 7]]})"));
}

}  // namespace
}  // namespace syncline
