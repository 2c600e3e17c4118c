// The whole program on CTF traces: recorded by LTTng, and made byte by byte.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/command_test_util.h"
#include "read/ctf/testing/tiny_trace.h"

namespace syncline {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string kRule =
    " --match 'msg:send(id, src, dst, proto) -> msg:recv(id, src, dst, proto)'";

class CtfCommand : public CommandTest {
 protected:
  static std::string Trace(const std::string& host) {
    return std::string(SYNCLINE_SOURCE_DIR) + "/src/read/ctf/testdata/rates/" + host;
  }
  static std::string Traces() { return Trace("hostA") + " " + Trace("hostB"); }
  std::string Add(const std::string& name, const TinyTrace& trace) const {
    TinyTraceWriter(trace).Write(At(name));
    return At(name);
  }
  // Two hosts that send each other 1 and 2; b is a second ahead.
  static std::pair<TinyTrace, TinyTrace> TwoHosts() {
    constexpr uint64_t kSecond = 1'000'000'000;
    TinyTrace a{.hostname = "a", .streams = {{{.events = {{1000, 1, "s"}, {5000, 2, "r"}}}}}};
    TinyTrace b{.hostname = "b",
                .streams = {{{.events = {{kSecond + 1100, 1, "r"}, {kSecond + 4900, 2, "s"}}}}}};
    return {a, b};
  }
};

TEST_F(CtfCommand, TracesOfTwoHostsAreBroughtToOneTime) {
  const auto summary = Summary("check " + Traces() + kRule, 0);
  // A request and its reply each, in the packets that the samples keep.
  EXPECT_EQ(summary["messages"]["total"], 108);
  EXPECT_EQ(summary["messages"]["inverted_before"], 54);
  EXPECT_EQ(summary["inputs"][0]["format"], "ctf");
  EXPECT_EQ(summary["inputs"][0]["clocks"], std::vector<std::string>{"hostA"});
  EXPECT_EQ(summary["inputs"][0]["events"], 210);
}

TEST_F(CtfCommand, FoldersAreSearchedAndNamesGiven) {
  const std::string root = Trace("");
  EXPECT_EQ(Summary("check " + root + kRule, 0)["inputs"].size(), 2);
  const auto named =
      Summary("check x=" + Trace("hostA/metadata") + " y=" + Trace("hostB") + kRule, 0);
  EXPECT_EQ(named["clocks"][0]["name"], "x");
  EXPECT_EQ(named["clocks"][1]["name"], "y");
  const RunResult one_name = Syncline("check x=" + root + kRule);
  EXPECT_EQ(one_name.exit_code, 1);
  EXPECT_THAT(one_name.output, HasSubstr("the name x is given to traces of hostA and hostB"));
}

TEST_F(CtfCommand, RulesComeFromFilesToo) {
  WriteBytes(At("my.rules"), "# mine\nmsg:send(id, proto) -> msg:recv(id, proto)\n");
  const auto summary = Summary("check " + Traces() + " --rules " + At("my.rules"), 0);
  EXPECT_EQ(summary["messages"]["total"], 108);
}

TEST_F(CtfCommand, SeveralRulesAddUp) {
  const std::string rules =
      " --match 'msg:send(id) where proto == \"udp\" -> msg:recv(id)'"
      " --match 'msg:send(id) where proto == \"tcp\" -> msg:recv(id)'";
  const RunResult run = Syncline("check " + Traces() + rules);
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("Of 108 messages"));
}

TEST_F(CtfCommand, WithoutMessagesItIsSaidWhatTheTracesHold) {
  const RunResult none = Syncline("check " + Traces());
  EXPECT_EQ(none.exit_code, 4);
  EXPECT_THAT(none.output, HasSubstr("no network events of the kernel"));
  EXPECT_THAT(none.output, HasSubstr("There are: msg:recv, msg:send"));
  const RunResult no_event = Syncline("check " + Traces() + " --match 'a(id) -> b(id)'");
  EXPECT_EQ(no_event.exit_code, 4);
  EXPECT_THAT(no_event.output, HasSubstr("There are: msg:recv, msg:send"));
  const RunResult no_key =
      Syncline("check " + Traces() + " --match 'msg:send(true_ns) -> msg:recv(true_ns)'");
  EXPECT_EQ(no_key.exit_code, 4);
  EXPECT_THAT(no_key.output, HasSubstr("201 sends, 202 receives"));
  const RunResult wrong = Syncline("check " + Traces() + " --match 'msg:send(id'");
  EXPECT_EQ(wrong.exit_code, 1);
}

TEST_F(CtfCommand, StreamsThatStepBackAreTakenInProgramOrder) {
  auto [a, b] = TwoHosts();
  // Between the two messages the host's clock reads 3000 and then 2000.
  a.streams[0][0].events.insert(a.streams[0][0].events.begin() + 1, {{3000, 8}, {2000, 9}});
  const auto summary = Summary("check " + Add("a", a) + " " + Add("b", b) + kTinyRule, 0);
  EXPECT_EQ(DiagnosticCount(summary, "time-steps-back"), 1);
}

TEST_F(CtfCommand, LostEventsAreCountedAndWeakenTheResult) {
  auto [a, b] = TwoHosts();
  const std::string command = "check " + Add("a", a) + " " + At("b") + kTinyRule;
  for (const uint64_t discarded : {0, 5}) {
    b.streams[0].resize(1);
    b.streams[0].push_back({.events = {{2'000'000'000, 9}}, .discarded = discarded, .number = 1});
    Add("b", b);
    const auto summary = Summary(command, discarded == 0 ? 0 : 3);
    EXPECT_EQ(DiagnosticCount(summary, "discarded-events"), discarded);
  }
}

TEST_F(CtfCommand, OfStreamsThatAreCutOffTheWholePacketsAreUsed) {
  WriteTwoHosts(folder_);
  const std::string command = "check " + At("a") + " " + At("b") + kTinyRule;
  EXPECT_EQ(Summary(command, 0)["inputs"][1]["events"], 3);
  fs::resize_file(At("b/ch_0"), fs::file_size(At("b/ch_0")) - 1);
  const auto cut = Summary(command, 3);
  EXPECT_EQ(cut["inputs"][1]["events"], 2);
  EXPECT_EQ(cut["messages"]["total"], 2);
  EXPECT_EQ(DiagnosticCount(cut, "stream-cut-off"), 1);
}

TEST_F(CtfCommand, WhereCutsLeaveNoEventThatIsWhatIsSaid) {
  WriteTwoHosts(folder_);
  for (const char* stream : {"a/ch_0", "b/ch_0"}) fs::resize_file(At(stream), 60);
  const RunResult run = Syncline("check " + At("a") + " " + At("b") + kTinyRule);
  EXPECT_EQ(run.exit_code, 4) << run.output;
  EXPECT_THAT(run.output, HasSubstr("no events are left"));
}

TEST_F(CtfCommand, OfTracesThatBabeltraceWroteAsWell) {
  const RunResult run = Syncline("simulate ring -q --processes 2 --steps 2000 -o " + At("text"));
  ASSERT_EQ(run.exit_code, 0) << run.output;
  const RunResult converted =
      Syncline("convert -q " + At("text/trace.txt") + " --to ctf -o " + At("traces"));
  ASSERT_EQ(converted.exit_code, 0) << converted.output;
  const std::string check =
      "check " + At("traces") + " --match 'send(message) -> receive(message)'";
  const auto whole = Summary(check, 0);
  fs::resize_file(At("traces/c0/0"), fs::file_size(At("traces/c0/0")) - 100);
  const auto cut = Summary(check, 3);
  EXPECT_EQ(DiagnosticCount(cut, "stream-cut-off"), 1U);
  EXPECT_GT(cut["messages"]["total"], whole["messages"]["total"].get<int>() / 2);
  EXPECT_LT(cut["messages"]["total"], whole["messages"]["total"]);
}

TEST_F(CtfCommand, BadTracesAreNamed) {
  fs::create_directories(At("two"));
  WriteBytes(At("two/metadata"), "\x1E{\"type\": \"preamble\", \"version\": 2}");
  const RunResult two = Syncline("check " + At("two") + " " + Trace("hostB") + kRule);
  EXPECT_EQ(two.exit_code, 2);
  EXPECT_THAT(two.output, HasSubstr("CTF 2"));

  const auto empty = Summary("check " + Add("empty", {}) + " " + Traces() + kRule, 3);
  EXPECT_EQ(DiagnosticCount(empty, "no-events"), 1);
}

// On them libbabeltrace2 aborts, hangs or takes all memory.
TEST_F(CtfCommand, HostileTracesAreErrors) {
  const std::string data = std::string(SYNCLINE_DATA_DIR) + "/hostile/ctf";
  if (std::string(SYNCLINE_DATA_DIR).empty() || !fs::exists(data)) GTEST_SKIP();
#ifdef SYNCLINE_SANITIZED
  GTEST_SKIP() << "memory is not limited, and the sanitizer speaks as well";
#endif
  for (const auto& entry : fs::directory_iterator(data)) {
    for (const std::string& with : {std::string(), " " + Trace("hostA")}) {
      const std::string path = entry.path().string();
      const RunResult run = Syncline("check " + path + with + kRule);
      EXPECT_EQ(run.exit_code, 2) << path << ": " << run.output;
      EXPECT_THAT(run.output, StartsWith("syncline: " + path));
      EXPECT_EQ(std::count(run.output.begin(), run.output.end(), '\n'), 1) << run.output;
    }
  }
}

TEST_F(CtfCommand, RecordedTracesOfThreeHostsMeetTheirTruth) {
  const std::string data = std::string(SYNCLINE_DATA_DIR) + "/lttng/rates";
  if (std::string(SYNCLINE_DATA_DIR).empty() || !fs::exists(data)) GTEST_SKIP();
  const auto summary =
      Summary("compare " + data + kRule + " --methods joint,drift-bounded --truth " + data +
                  "/truth.json --reference hostA",
              0);
  for (const auto& method : summary["methods"]) {
    EXPECT_EQ(method["truth"]["outside_bound"], 0) << method["name"];
    EXPECT_EQ(method["inverted"], 0) << method["name"];
  }
  const auto check = Summary("check " + data + kRule + " --reference hostA", 0);
  EXPECT_EQ(check["messages"]["total"], 3224);
  EXPECT_EQ(check["messages"]["inverted_before"], 1612);
  const auto straight = Summary("check " + data + kRule + " --reference hostA --group joint", 0);
  const auto truth = nlohmann::json::parse(ReadBytes(data + "/truth.json"));
  for (const char* host : {"hostB", "hostC"}) {
    const auto drift = [&](const nlohmann::json& of) {
      return ByName(of["clocks"], host)["drift_ppm"].get<double>();
    };
    const double expected = TrueDriftPpm(truth, host, "hostA");
    EXPECT_NEAR(drift(straight), expected, 0.2) << host;
    EXPECT_NEAR(drift(check), expected, 5) << host;  // 1.3 ms at both ends of 25 s leave 100 ppm
  }
}

TEST_F(CtfCommand, OldKernelTracesGiveTcpMessages) {
  const std::string data = std::string(SYNCLINE_DATA_DIR) + "/tracecompass";
  if (std::string(SYNCLINE_DATA_DIR).empty() || !fs::exists(data)) GTEST_SKIP();
  const auto summary = Summary("check " + data + " --method bisector", 0);
  EXPECT_EQ(summary["messages"]["total"], 46);
  EXPECT_EQ(summary["messages"]["inverted_before"], 24);
  const auto worst = [](const nlohmann::json& of) {
    return std::max(of["clocks"][0]["bound_ns"]["worst"].get<int64_t>(),
                    of["clocks"][1]["bound_ns"]["worst"].get<int64_t>());
  };
  EXPECT_LT(worst(summary), 4'000'000);
  const std::string open = "check " + data + " --method bisector --max-drift-ppm inf";
  const auto unrestricted = Summary(open, 0);
  EXPECT_GT(worst(unrestricted), 30'000'000);
  // The order of reading changes nothing: the other way round, the extreme slopes are reciprocals.
  const auto other = Summary(
      "check " + data + "/scp_src " + data + "/scp_dest --method bisector --max-drift-ppm inf", 0);
  EXPECT_EQ(other["pairs"][0]["messages_ab"], unrestricted["pairs"][0]["messages_ba"]);
  const auto slope = [](const nlohmann::json& of, const char* name) {
    return of["pairs"][0]["corridor"][name].get<double>();
  };
  EXPECT_NEAR(slope(other, "slope_min") * slope(unrestricted, "slope_max"), 1, 1e-15);
  EXPECT_NEAR(slope(other, "slope_max") * slope(unrestricted, "slope_min"), 1, 1e-15);
}

}  // namespace
}  // namespace syncline
