// Spans of several machines through the whole program.
#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr int64_t kFirstCall = 1'795'394'196'905'347'957;
constexpr int64_t kHostAheadNs = 1'700'000'000;  // b against a

constexpr int kServer = 2, kClient = 3;
const std::string kAnswered = R"({"key":"http.response.status_code","value":{"intValue":"200"}})";

// A line of one span, by the clock of its host: a or b.
std::string LineOf(char host, int trace, int id, int parent, int kind, int64_t start, int64_t end,
                   const std::string& attribute = kAnswered) {
  const int64_t ahead = host == 'b' ? kHostAheadNs : 0;
  return fmt::format(
      R"({{"resourceSpans":[{{"resource":{{"attributes":[{{"key":"host.name","value":)"
      R"({{"stringValue":"{0}"}}}},{{"key":"service.name","value":{{"stringValue":"s{0}"}}}}]}},)"
      R"("scopeSpans":[{{"spans":[{{"traceId":"{1:032x}","spanId":"{2:016x}",)"
      R"("parentSpanId":"{3}","name":"GET","kind":{4},"startTimeUnixNano":"{5}",)"
      R"("endTimeUnixNano":"{6}","attributes":[{7}],"status":{{}}}}]}}]}}]}})"
      "\n",
      host, trace, id, parent == 0 ? "" : fmt::format("{:016x}", parent), kind, start + ahead,
      end + ahead, attribute);
}

// The lines of host a, which calls, or of b, which answers and is ahead; every 100 ms, each way
// 300 µs and more, served in 1 ms.
std::string LinesOf(char host, int calls) {
  std::string text;
  for (int i = 0; i < calls; ++i) {
    const int64_t sent = kFirstCall + 100'000'001 * int64_t{i};
    const int64_t begun = sent + 300'000 + 7'919 * (i % 13);
    const int64_t ended = begun + 1'000'003;
    const int64_t answered = ended + 300'000 + 6'007 * (i % 11);
    text += host == 'a' ? LineOf('a', i + 1, 1, 0, kClient, sent, answered)
                        : LineOf('b', i + 1, 2, 1, kServer, begun, ended);
  }
  return text;
}

// The digits of times as they are read, everything else as it stands.
std::string SpansWithoutTimes(const std::string& text) {
  std::string rest;
  size_t at = 0;
  for (size_t found = 0; (found = text.find("UnixNano\":", at)) != std::string::npos;) {
    found += 10;
    rest += text.substr(at, found - at);
    at = text.find_first_not_of("\"0123456789", found);
    rest += '#';
  }
  return rest + text.substr(at);
}

class SpansCommand : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    WriteBytes(At("a.jsonl"), LinesOf('a', 200));
    WriteBytes(At("b.jsonl"), LinesOf('b', 200));
  }
  std::string Out(const std::string& name) const { return ReadBytes(folder_ / "out" / name); }
};

TEST_F(SpansCommand, CallsThatBeganBeforeTheirCallerNoLongerDo) {
  const RunResult run =
      Syncline("sync " + At("a.jsonl") + " " + At("b.jsonl") + " --reference a -o " + At("out"));
  ASSERT_EQ(run.exit_code, 0) << run.output;
  const json s = json::parse(Out("syncline.json"));
  EXPECT_EQ(s["messages"]["total"], 200);
  EXPECT_EQ(s["messages"]["inverted_before"], 0);  // b is ahead: its answers come too late
  const json b = ByName(s["clocks"], "b");
  EXPECT_NEAR(b["offset_ns"].get<double>(), kHostAheadNs, 10'000);
  EXPECT_EQ(b["quality"], "accurate");
  // The server's end proves nothing: it only places the correction within the bounds.
  EXPECT_NEAR(b["below_ns"]["best"].get<double>(), 300'000, 30'000);
  EXPECT_NEAR(b["above_ns"]["best"].get<double>(), 1'000'003 + 300'000, 30'000);
  EXPECT_EQ(Out("a.jsonl"), LinesOf('a', 200));
  EXPECT_EQ(SpansWithoutTimes(Out("b.jsonl")), SpansWithoutTimes(LinesOf('b', 200)));
  EXPECT_NE(Out("b.jsonl"), LinesOf('b', 200));
}

TEST_F(SpansCommand, OneFileOfAllHostsIsCorrectedAsFilesOfEach) {
  WriteBytes(At("all.jsonl"), LinesOf('a', 200) + LinesOf('b', 200));
  ASSERT_EQ(
      Syncline("sync " + At("a.jsonl") + " " + At("b.jsonl") + " --reference a -o " + At("out"))
          .exit_code,
      0);
  ASSERT_EQ(Syncline("sync " + At("all.jsonl") + " --reference a -o " + At("one")).exit_code, 0);
  EXPECT_EQ(ReadBytes(folder_ / "one" / "all.jsonl"), Out("a.jsonl") + Out("b.jsonl"));
}

// Both hosts call each other; requests take 3 ms, answers 1.5 to 9 ms. Two servers, one of each
// host, end 1 ms after their client did, 4 s apart.
TEST_F(SpansCommand, EndsThatCameLateRaiseNoLimitOfRates) {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    for (const bool is_back : {false, true}) {
      const char from = is_back ? 'b' : 'a', to = is_back ? 'a' : 'b';
      const int64_t sent = kFirstCall + 100'000'001 * int64_t{i} + (is_back ? 50'000'017 : 0);
      const int64_t begun = sent + 3'000'000 + 7'919 * (i % 13);
      const int64_t ended = begun + 4'000'003;
      const bool is_late = i == (is_back ? 140 : 100);
      const int64_t answered = ended + (is_late ? -1'000'000 : 1'500'000 + 750'007 * (i * 7 % 11));
      const int trace = 2 * i + (is_back ? 1 : 0) + 1;
      text += LineOf(from, trace, 1, 0, kClient, sent, answered) +
              LineOf(to, trace, 2, 1, kServer, begun, ended);
    }
  }
  WriteBytes(At("x.jsonl"), text);
  const json s = Summary("check " + At("x.jsonl") + " --reference a", 0);
  EXPECT_EQ(DiagnosticCount(s, "rate-limit-raised"), 0U);
  EXPECT_EQ(ByName(s["clocks"], "b")["rate_limit_ppm"], 200);
  EXPECT_GE(DiagnosticCount(s, "late-ends"), 1U);
  EXPECT_NE(ByName(s["diagnostics"], "late-ends")["example"], "");
}

// Of few messages delays say nothing of rates: none is told beyond what is assumed.
TEST_F(SpansCommand, RatesKeepToTheirLimitHoweverShortTheTrace) {
  for (int calls = 5; calls <= 13; ++calls) {
    std::string text;
    for (int i = 0; i < calls; ++i) {
      const int64_t sent = kFirstCall + 10'000'000 * int64_t{i};
      const int64_t begun = sent + 300'000 + 9'973 * (i * i % 7);
      const int64_t ended = begun + 500'000;
      text += LineOf('a', i + 1, 1, 0, kClient, sent, ended + 300'000 + 9'967 * (i * i % 5)) +
              LineOf('b', i + 1, 2, 1, kServer, begun, ended);
    }
    WriteBytes(At("short.jsonl"), text);
    for (const int limit_ppm : {0, 20, 200}) {
      const json s = Summary(
          fmt::format("check {} --reference a --max-drift-ppm {}", At("short.jsonl"), limit_ppm),
          0);
      const double drift_ppm = ByName(s["clocks"], "b")["drift_ppm"];
      EXPECT_LE(std::abs(drift_ppm), limit_ppm + 0.1) << calls;
    }
  }
}

TEST_F(SpansCommand, ACallOneWayWaitsForNothing) {
  const std::string one_way = R"({"key":"rpc.system","value":{"stringValue":"apache_thrift"}})";
  const std::string notice =
      LineOf('a', 900, 1, 0, kClient, kFirstCall + 50'000'000, kFirstCall + 50'030'000, one_way) +
      LineOf('b', 900, 2, 1, kServer, kFirstCall + 51'500'000, kFirstCall + 54'000'000, one_way);
  WriteBytes(At("x.jsonl"), LinesOf('a', 200) + LinesOf('b', 200) + notice);
  const json s = Summary("check " + At("x.jsonl") + " --reference a", 0);
  EXPECT_EQ(DiagnosticCount(s, "answers-uncertain"), 1U);
  EXPECT_EQ(DiagnosticCount(s, "suspect-messages"), 0U);
  EXPECT_GE(ByName(s["clocks"], "b")["above_ns"]["best"], 1'000'000);
}

TEST_F(SpansCommand, ThatNoMessagesWereFoundIsSaidWithWhatWas) {
  WriteBytes(At("x.jsonl"), LineOf('a', 1, 1, 0, kClient, kFirstCall, kFirstCall + 9) +
                                LineOf('b', 2, 2, 7, kServer, kFirstCall, kFirstCall + 9));
  const RunResult run = Syncline("check " + At("x.jsonl"));
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.output, HasSubstr("no two clocks exchanged messages; found were 1 × "
                                    "unmatched-receive, 1 × unmatched-send"));
}

TEST_F(SpansCommand, CompressedFilesStayCompressed) {
  ASSERT_EQ(Shell("gzip -n " + At("b.jsonl") + " && mv " + At("b.jsonl.gz") + " " +
                  At("b.jsonl"))  // told by its content
                .exit_code,
            0);
  ASSERT_EQ(
      Syncline("sync " + At("a.jsonl") + " " + At("b.jsonl") + " --reference a -o " + At("out"))
          .exit_code,
      0);
  const RunResult unpacked = Shell("gzip -dc < " + At("out/b.jsonl"));
  EXPECT_EQ(unpacked.exit_code, 0);
  EXPECT_EQ(SpansWithoutTimes(unpacked.output), SpansWithoutTimes(LinesOf('b', 200)));
}

TEST_F(SpansCommand, ADamagedCompressedFileIsAnErrorWithItsByte) {
  ASSERT_EQ(Shell("gzip -n " + At("b.jsonl")).exit_code, 0);
  const std::string packed = ReadBytes(At("b.jsonl.gz"));
  WriteBytes(At("b.jsonl.gz"), packed.substr(0, packed.size() / 2));
  const RunResult run = Syncline("check " + At("a.jsonl") + " " + At("b.jsonl.gz"));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.output, HasSubstr(fmt::format("b.jsonl.gz: byte {}: the gzip data is cut off",
                                                packed.size() / 2)));
}

TEST_F(SpansCommand, CheckTakesThemFromStandardInput) {
  const std::string both = "cat " + At("a.jsonl") + " " + At("b.jsonl");
  const RunResult plain = Shell(both + " | " + SYNCLINE_PROGRAM + " check -");
  EXPECT_EQ(plain.exit_code, 0) << plain.output;
  EXPECT_THAT(plain.output, HasSubstr("Of 200 messages"));
  const RunResult packed = Shell(both + " | gzip | " + SYNCLINE_PROGRAM + " check -");
  EXPECT_EQ(packed.output, plain.output);
  const RunResult file = Syncline("check - < " + At("a.jsonl"));
  EXPECT_THAT(file.output, HasSubstr("only one clock"));
}

TEST_F(SpansCommand, OtherCommandsTakeSpansToo) {
  const std::string both = At("a.jsonl") + " " + At("b.jsonl");
  EXPECT_EQ(Syncline("check " + both).exit_code, 0);
  EXPECT_EQ(Syncline("compare " + both).exit_code, 0);
  const RunResult text = Syncline("convert " + both + " --to text -o -");
  EXPECT_EQ(text.exit_code, 0) << text.output;
  EXPECT_THAT(text.output, HasSubstr("enter GET"));
  const std::string json_path = At("concurrency.json");
  const RunResult measured = Syncline("concurrency " + both + " --json " + json_path);
  EXPECT_EQ(measured.exit_code, 0) << measured.output;
  EXPECT_EQ(DiagnosticCount(json::parse(ReadBytes(json_path)), "waits-not-recorded"), 0U);
  const RunResult report =
      Syncline("sync " + both + " -o " + At("out") + " --report " + At("out.html"));
  EXPECT_EQ(report.exit_code, 0) << report.output;
}

TEST_F(SpansCommand, NamesAreHarmlessWhereverTheyStand) {
  for (const char* name : {"a.jsonl", "b.jsonl"}) {
    std::string text = ReadBytes(At(name));
    for (size_t at = 0; (at = text.find("\"GET\"", at)) != std::string::npos; ++at) {
      text.replace(at, 5, R"("<script>\u001b[2J")");
    }
    const std::string host = std::string(1, name[0]);
    const std::string value = "\"stringValue\":\"" + host + "\"";
    for (size_t at = 0; (at = text.find(value, at)) != std::string::npos; ++at) {
      text.replace(at, value.size(),
                   R"("stringValue":"\u001b[31m<img src=x>\n\u007f\u009b)" + host + "\"");
    }
    WriteBytes(At(name), text);
  }
  const std::string both = At("a.jsonl") + " " + At("b.jsonl");
  const auto expect_harmless = [](const std::string& text) {
    for (const char* obeyed : {"\x1b", "\x7f", "\xc2\x9b"}) {
      EXPECT_EQ(text.find(obeyed), std::string::npos);
    }
  };
  const RunResult run =
      Syncline("sync " + both + " -o " + At("out") + " --report " + At("out.html"));
  ASSERT_EQ(run.exit_code, 0) << run.output;
  expect_harmless(run.output);
  EXPECT_THAT(run.output, HasSubstr("%1b[31m<img src=x>%0a"));
  expect_harmless(ReadBytes(At("out/syncline.json")));
  expect_harmless(Syncline("concurrency " + both + " --json -").output);
  expect_harmless(Syncline("compare " + both + " --json -").output);
  EXPECT_EQ(ReadBytes(At("out.html")).find("<img src=x>"), std::string::npos);
  expect_harmless(Syncline("concurrency " + both).output);
  expect_harmless(Syncline("convert " + both + " --to csv -o -").output);
}

TEST_F(SpansCommand, OneEventMayReceiveSeveralMessages) {
  // A consumer of a batch, linked to what two producers on another host made.
  const auto line = [](const char* host, const std::string& spans) {
    return fmt::format(
        R"({{"resourceSpans":[{{"resource":{{"attributes":[{{"key":"host.name","value":)"
        R"({{"stringValue":"{}"}}}}]}},"scopeSpans":[{{"spans":[{}]}}]}}]}})"
        "\n",
        host, spans);
  };
  const auto span = [](int id, int kind, int64_t start, const std::string& links) {
    return fmt::format(R"({{"traceId":"{0:032x}","spanId":"{0:016x}","kind":{1},"links":[{3}],)"
                       R"("startTimeUnixNano":{2},"endTimeUnixNano":{2}}})",
                       id, kind, kFirstCall + start, links);
  };
  const auto link = [](int id) {
    return fmt::format(R"({{"traceId":"{0:032x}","spanId":"{0:016x}"}})", id);
  };
  WriteBytes(At("a.jsonl"), line("a", span(1, 4, 0, "") + "," + span(2, 4, 1'000'000, "")));
  WriteBytes(At("b.jsonl"), line("b", span(3, 5, 2'000'000, link(1) + "," + link(2)) + "," +
                                          span(4, 5, 3'000'000, link(1))));
  EXPECT_THAT(Syncline("concurrency " + At("a.jsonl") + " " + At("b.jsonl")).output,
              HasSubstr("with 3 messages"));
}

// What is read again holds only what bounds may rest on: that the server had begun, not its end.
TEST_F(SpansCommand, TextHoldsImpliedMessagesAndPicturesLikelyOnes) {
  const std::string both = At("a.jsonl") + " " + At("b.jsonl");
  const auto convert = [&](const std::string& format) {
    return Syncline("convert " + both + " --recorded -f --to " + format + " -o " + At("c")).output;
  };
  const json spans = Summary("check -q --reference a --bounds 5 " + both, 0);
  EXPECT_THAT(convert("text"), HasSubstr("200 × likely-messages-left-out"));
  const json text = Summary("check -q --reference a --bounds 5 " + At("c"), 0);
  EXPECT_EQ(text["messages"]["total"], 2 * 200);
  for (const json& clock : spans["clocks"]) {
    EXPECT_EQ(ByName(text["clocks"], clock["name"])["bounds"], clock["bounds"]);
  }
  EXPECT_THAT(convert("chrome"), Not(HasSubstr("likely-messages-left-out")));
  EXPECT_THAT(convert("csv"), HasSubstr("and 400 messages"));
}

// Jaeger counts microseconds: times are written to half of one.
TEST_F(SpansCommand, BoundsAllowForTheResolutionThatTimesAreWrittenWith) {
  WriteBytes(At("j.json"), R"({"data":[{"traceID":"1","spans":[
{"traceID":"1","spanID":"1","operationName":"call","references":[],"startTime":1795394196905347,
"duration":2000,"tags":[{"key":"span.kind","type":"string","value":"client"}],"processID":"p1"},
{"traceID":"1","spanID":"2","operationName":"serve","references":
[{"refType":"CHILD_OF","traceID":"1","spanID":"1"}],"startTime":1795394196906000,"duration":1000,
"tags":[{"key":"span.kind","type":"string","value":"server"}],"processID":"p2"}],"processes":
{"p1":{"serviceName":"a","tags":[{"key":"host.name","type":"string","value":"a"}]},
"p2":{"serviceName":"b","tags":[{"key":"host.name","type":"string","value":"b"}]}}}]})");
  const auto s = Summary("check " + At("j.json") + " --reference a", 3);
  EXPECT_EQ(ByName(s["clocks"], "a")["below_ns"]["worst"], 500);
}

// a calls b and is called back within one millisecond, which is all that a's clock shows.
TEST_F(SpansCommand, WhatACoarseClockStampsAlikeMakesNoCycle) {
  constexpr int64_t kMs = kFirstCall / 1'000'000 * 1'000'000;
  const std::string callback = LineOf('a', 1, 4, 3, kServer, kMs, kMs);
  const std::string call = LineOf('a', 1, 1, 0, kClient, kMs, kMs);
  WriteBytes(At("b.jsonl"), LineOf('b', 1, 3, 2, kClient, kMs + 649'388, kMs + 652'218) +
                                LineOf('b', 1, 2, 1, kServer, kMs + 647'500, kMs + 652'584));
  for (const std::string& lines : {callback + call, call + callback}) {
    WriteBytes(At("a.jsonl"), lines);
    const auto s = Summary(
        "sync " + At("a.jsonl") + " " + At("b.jsonl") + " --reference a --force -o " + At("out"),
        0);
    EXPECT_EQ(DiagnosticCount(s, "cycle-messages"), 0U);
    EXPECT_EQ(s["messages"]["inverted_after"], 0);
  }
}

// The first span of a trace in a process is stamped with its whole millisecond, the others exactly,
// as the SDK for Node does. a calls b at 600 µs and serves b's call at 800 µs: it shows 0 µs.
TEST_F(SpansCommand, WhatACoarseClockStampsWithinItsMillisecondMakesNoCycle) {
  constexpr int64_t kMs = kFirstCall / 1'000'000 * 1'000'000;
  WriteBytes(At("a.jsonl"), LineOf('a', 1, 2, 1, kClient, kMs + 500'500, kMs + 1'401'400) +
                                LineOf('a', 1, 5, 4, kServer, kMs, kMs + 100'100));
  WriteBytes(At("b.jsonl"), LineOf('b', 1, 3, 2, kServer, kMs, kMs + 700'700) +
                                LineOf('b', 1, 4, 3, kClient, kMs + 50'050, kMs + 350'350));
  const auto s =
      Summary("sync " + At("a.jsonl") + " " + At("b.jsonl") + " --reference a -o " + At("out"), 0);
  EXPECT_EQ(DiagnosticCount(s, "cycle-messages"), 0U);
  EXPECT_EQ(s["messages"]["inverted_after"], 0);
}

TEST_F(SpansCommand, GiveTheSameResultInAnyOrder) {
  const auto result = [&](const std::vector<std::string>& a, const std::vector<std::string>& b) {
    const auto joined = [](const std::vector<std::string>& lines) {
      std::string text;
      for (const std::string& line : lines) text += line;
      return text;
    };
    WriteBytes(At("a.jsonl"), joined(a));
    WriteBytes(At("b.jsonl"), joined(b));
    return Summary("check " + At("a.jsonl") + " " + At("b.jsonl") + " --reference a", 0)["clocks"];
  };
  const std::string failed = R"({"key":"http.status_code","value":{"intValue":"500"}})";
  constexpr int64_t kS = 1'000'000'000, kAt = kFirstCall / kS * kS;
  std::vector<std::string> a = {
      LineOf('a', 1, 1, 0, kClient, kAt + 23'093'632'844, kAt + 23'097'131'328, failed),
      LineOf('a', 2, 2, 1, kServer, kAt + 46'538'631'992, kAt + 46'550'397'268, ""),
      LineOf('a', 3, 2, 1, kServer, kAt + 17'765'963'005, kAt + 17'771'242'872, "")};
  std::vector<std::string> b = {
      LineOf('b', 2, 1, 0, kClient, kAt + 46'544'400'245, kAt + 46'559'323'554),
      LineOf('b', 3, 1, 0, kClient, kAt + 17'765'639'263, kAt + 17'770'935'391),
      LineOf('b', 1, 2, 1, kServer, kAt + 23'096'803'880, kAt + 23'098'300'391, "")};
  const auto expected = result(a, b);
  std::reverse(a.begin(), a.end());
  std::reverse(b.begin(), b.end());
  EXPECT_EQ(result(a, b), expected);
}

// Many calls at once both ways, in one file, b's stamps in whole milliseconds.
TEST_F(SpansCommand, GiveTheSameResultInAnyOrderWithinAFile) {
  constexpr int64_t kMs = 1'000'000, kAt = kFirstCall / kMs * kMs;
  uint64_t random = 1;
  const auto next = [&](uint64_t most) {
    random = random * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    return static_cast<int64_t>((random >> 33) % most);
  };
  const auto stamp = [&](char host, int64_t ns) { return host == 'b' ? ns / kMs * kMs : ns; };
  std::vector<std::string> lines;
  for (int trace = 1; trace <= 60; ++trace) {
    const char from = trace % 2 == 0 ? 'a' : 'b';
    const char to = trace % 2 == 0 ? 'b' : 'a';
    const int64_t sent = kAt + next(5 * kMs);
    const int64_t begun = sent + 1'000 + next(kMs / 2);
    const int64_t ended = begun + next(kMs);
    const int64_t answered = ended + 1'000 + next(kMs / 2);
    lines.push_back(LineOf(from, trace, 1, 0, kClient, stamp(from, sent), stamp(from, answered)));
    lines.push_back(LineOf(to, trace, 2, 1, kServer, stamp(to, begun), stamp(to, ended)));
  }
  const auto result = [&] {
    std::string text;
    for (const std::string& line : lines) text += line;
    WriteBytes(At("all.jsonl"), text);
    const auto s = Summary("sync " + At("all.jsonl") + " --reference a -f -o " + At("out"), 0);
    std::istringstream written(Out("all.jsonl"));
    std::vector<std::string> sorted;
    for (std::string line; std::getline(written, line);) sorted.push_back(line);
    std::ranges::sort(sorted);
    return std::tuple(ByName(s["clocks"], "a"), ByName(s["clocks"], "b"), sorted);
  };
  const auto expected = result();
  std::ranges::reverse(lines);
  EXPECT_EQ(result(), expected);
}

}  // namespace
}  // namespace syncline
