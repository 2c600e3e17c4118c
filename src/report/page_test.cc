#include "report/page.h"

#include <string>

#include <gtest/gtest.h>

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

TEST(PageBytes, WritesBase64OfRfc4648) {
  EXPECT_EQ(Base64(""), "");
  EXPECT_EQ(Base64("f"), "Zg==");
  EXPECT_EQ(Base64("fo"), "Zm8=");
  EXPECT_EQ(Base64("foobar"), "Zm9vYmFy");
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

TEST(Page, TellsASummaryFromOtherJson) {
  EXPECT_TRUE(IsSummary(PageWith("a").summary_json));
  for (const char* other : {"", "[]", "{}", R"({"syncline": "0"})", R"({"syncline": "0",
       "inputs": {}, "clocks": [], "pairs": [], "diagnostics": [], "messages": {}})"}) {
    EXPECT_FALSE(IsSummary(other)) << other;
  }
}

}  // namespace
}  // namespace syncline
