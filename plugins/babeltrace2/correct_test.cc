// The plugin in graphs of Babeltrace's own program.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/testing/times.h"
#include "write/ctf/testing/test_trace.h"

namespace syncline::babeltrace_plugin {
namespace {

namespace fs = std::filesystem;
using ctf_write::TestPacket;
using ctf_write::WriteTestTrace;
using testing::ElementsAre;
using testing::HasSubstr;

class CorrectPlugin : public testing::Test {
 protected:
  CorrectPlugin() : root_(fs::path(testing::TempDir()) / "correct-XXXXXX") {
    std::string name = root_.string();
    root_ = mkdtemp(name.data());
  }
  ~CorrectPlugin() override { fs::remove_all(root_); }
  void SetUp() override {
    if (!std::string(SYNCLINE_SANITIZERS).empty()) {
      GTEST_SKIP() << "a program without sanitizers cannot load a plugin with them";
    }
    if (Shell("babeltrace2 --version").empty()) GTEST_SKIP() << "babeltrace2 is not installed";
  }
  std::string At(const std::string& name) const { return (root_ / name).string(); }
  void WriteFile(const std::string& name, const std::string& text) const {
    std::ofstream(At(name)) << text;
  }

  struct RunResult {
    int exit_code = 0;
    std::string output;
  };
  static RunResult Run(const std::string& command) {
    RunResult run;
    FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    char buffer[4096];
    while (const size_t n = fread(buffer, 1, sizeof buffer, pipe)) run.output.append(buffer, n);
    const int status = pclose(pipe);
    run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return run;
  }
  static std::string Shell(const std::string& command) {
    const RunResult run = Run(command);
    return run.exit_code == 0 ? run.output : "";
  }
  static std::string Program() { return "babeltrace2 --plugin-path=" SYNCLINE_PLUGIN_FOLDER " "; }
  static std::string Correct(const std::string& parameters) {
    std::string component = " --component=correct:filter.syncline.correct";
    if (parameters.empty()) return component;
    return fmt::format("{} --params='{}'", component, parameters);
  }

  // "SECONDS.NS hostname n" per line of babeltrace2's text.
  static std::vector<std::string> Lines(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) {
      char host[64] = "";
      char time[64] = "";
      unsigned number = 0;
      const size_t fields = line.find("{ n = ");
      if (fields == std::string::npos) continue;
      sscanf(line.c_str(), "[%63[0-9.]] %63s", time, host);
      sscanf(line.c_str() + fields, "{ n = %u", &number);
      lines.push_back(fmt::format("{} {} {}", time, host, number));
    }
    return lines;
  }

  // Two hosts of which beta is 3 s ahead, its clock 100 ppm fast; both began at 1000 s.
  void WriteHosts() const {
    WriteTestTrace({.clock = {.offset_s = 1'000}, .hostname = "alpha", .streams = {Alpha()}},
                   At("in/alpha"));
    WriteTestTrace({.clock = {.offset_s = 1'000}, .hostname = "beta", .streams = {Beta()}},
                   At("in/beta"));
    WriteFile("syncline.json", fmt::format(R"({{"clocks": [
        {{"name": "alpha", "correction": [{{"local": 0, "global_ns": {0}}},
                                          {{"local": 1000000000, "global_ns": {1}}}]}},
        {{"name": "beta", "correction": [{{"local": 3000000000, "global_ns": {0}}},
                                         {{"local": 4000100000, "global_ns": {1}}}]}}]}})",
                                           1'000 * kSecond, 1'001 * kSecond));
  }
  static std::vector<TestPacket> Alpha() {
    return {{.begin = 1'000'000'000,
             .end = 8'000'000'000,
             .events = {{1'000'000'000, 1, false}, {6'000'000'000, 4, false}}}};
  }
  static std::vector<TestPacket> Beta() {
    return {{.begin = 5'000'200'000,
             .end = 8'000'500'000,
             .events = {{5'000'200'000, 2, false}, {8'000'500'000, 3, false}}},
            {.begin = 12'000'900'000,
             .end = 12'000'900'000,
             .events = {{12'000'900'000, 5, false}},
             .discarded_events = 3,
             .sequence_number = 1}};
  }
  // 5 000 200 000 of beta is 3 s + 2 s at 1.0001: the true time is 2 s after the start.
  static auto InTrueOrder() {
    return ElementsAre("1001.000000000 alpha 1", "1002.000000000 beta 2", "1005.000000000 beta 3",
                       "1006.000000000 alpha 4", "1009.000000000 beta 5");
  }

  fs::path root_;
};

TEST_F(CorrectPlugin, PutsWhatAMuxerMixedIntoTrueOrder) {
  WriteHosts();
  const std::string options = " --clock-seconds --no-delta ";
  EXPECT_THAT(
      Lines(Shell("babeltrace2 " + options + At("in"))),
      ElementsAre("1001.000000000 alpha 1", "1005.000200000 beta 2", "1006.000000000 alpha 4",
                  "1008.000500000 beta 3", "1012.000900000 beta 5"));
  const std::string corrected =
      Shell(Program() + options + At("in") + Correct("summary=\"" + At("syncline.json") + "\""));
  EXPECT_THAT(Lines(corrected), InTrueOrder());
  EXPECT_THAT(corrected, HasSubstr("discarded 3 events between [1005.000000000] and "
                                   "[1009.000000000]"));
}

TEST_F(CorrectPlugin, MergesSourcesInPlaceOfAMuxer) {
  WriteHosts();
  const std::string sources = fmt::format(
      "run --component=a:source.ctf.fs --params='inputs=[\"{}\"]' "
      "--component=b:source.ctf.fs --params='inputs=[\"{}\"]' "
      "--component=text:sink.text.pretty --params='clock-seconds=yes,no-delta=yes' ",
      At("in/alpha"), At("in/beta"));
  const std::string correct = Correct("summary=\"" + At("syncline.json") + "\"");
  const std::string direct = " --connect=a:correct --connect=b:correct --connect=correct:text";
  EXPECT_THAT(Lines(Shell(Program() + sources + correct + direct)), InTrueOrder());
  // A muxer downstream refuses whatever steps back.
  const std::string muxed =
      " --component=mux:filter.utils.muxer --connect=a:correct --connect=b:correct "
      "--connect=correct:mux --connect=mux:text";
  EXPECT_THAT(Lines(Shell(Program() + sources + correct + muxed)), InTrueOrder());
}

TEST_F(CorrectPlugin, WritesThroughTheSinkForCtf) {
  WriteHosts();
  ASSERT_NE(Shell(Program() + At("in") + Correct("summary=\"" + At("syncline.json") + "\"") +
                  " --output-format=ctf --output=" + At("out")),
            "");
  EXPECT_THAT(Lines(Shell("babeltrace2 --clock-seconds --no-delta " + At("out"))), InTrueOrder());
}

TEST_F(CorrectPlugin, TakesTheClockThatItIsTold) {
  WriteHosts();
  // Alpha's clock is right, so that beta's times stay as they are.
  const std::string corrected =
      Shell(Program() + " --clock-seconds --no-delta " + At("in/beta") +
            Correct("clock=\"alpha\",summary=\"" + At("syncline.json") + "\""));
  EXPECT_THAT(Lines(corrected), ElementsAre("1005.000200000 beta 2", "1008.000500000 beta 3",
                                            "1012.000900000 beta 5"));
}

TEST_F(CorrectPlugin, RaisesAStreamThatStepsBackAndSaysSo) {
  WriteHosts();
  WriteTestTrace(
      {.clock = {.offset_s = 1'000},
       .hostname = "alpha",
       .streams = {{{.begin = 1'000,
                     .end = 9'000,
                     .events = {{8'000, 1, false}, {5'000, 2, false}, {9'000, 3, false}}}}}},
      At("back"));
  const std::string output = Shell(
      Program() +
      fmt::format("run --component=a:source.ctf.fs --params='inputs=[\"{}\"]' "
                  "--component=text:sink.text.pretty --params='clock-seconds=yes,no-delta=yes' {} "
                  "--connect=a:correct --connect=correct:text",
                  At("back"), Correct("summary=\"" + At("syncline.json") + "\"")));
  EXPECT_THAT(Lines(output), ElementsAre("1000.000008000 alpha 1", "1000.000008000 alpha 2",
                                         "1000.000009000 alpha 3"));
  EXPECT_THAT(output, HasSubstr("1 messages came before the ones ahead of them"));
}

TEST_F(CorrectPlugin, SaysWhatIsWrongAndNeverCrashes) {
  WriteHosts();
  WriteFile("broken.json", "{");
  WriteFile("other.json", R"({"clocks": [{"name": "gamma", "correction": [
      {"local": 0, "global_ns": 0}, {"local": 1, "global_ns": 1}]}]})");
  WriteFile("set-back.json", R"({"clocks": [{"name": "alpha", "correction": [
      {"local": 0, "global_ns": 0}, {"local": 1, "global_ns": 1}], "epochs": [{"first_local": 0,
      "events": {}, "correction": [{"local": 0, "global_ns": 5}, {"local": 1, "global_ns": 6}]}]}]})");
  const std::string good = "summary=\"" + At("syncline.json") + "\"";
  const std::pair<std::string, const char*> cases[] = {
      {"", "parameter \"summary\" is missing"},
      {"summary=5", "parameter \"summary\" is not a text"},
      {"summary=\"\"", "parameter \"summary\" is not a text"},
      {"summary=\"" + At("missing.json") + "\"", "missing.json: cannot open"},
      {"summary=\"" + At("broken.json") + "\"", "not a summary of Syncline"},
      {"summary=\"" + At("set-back.json") + "\"", "the clock alpha was set back"},
      {good + ",colour=\"red\"", "there is no parameter \"colour\""},
      {good + ",clock=\"gamma\"", "has no clock gamma, but alpha, beta"},
      {"summary=\"" + At("other.json") + "\"", "has no clock for the trace"},
      // By this clock the times lie before 1000 s, the origin of the traces' clocks.
      {"clock=\"gamma\",summary=\"" + At("other.json") + "\"", "lies before the origin"},
  };
  for (const auto& [parameters, message] : cases) {
    const RunResult run = Run(Program() + At("in") + Correct(parameters));
    EXPECT_EQ(run.exit_code, 1) << parameters;
    // The program breaks lines where it likes.
    std::string text;
    std::istringstream words(run.output);
    for (std::string word; words >> word;) text.append(word).append(" ");
    EXPECT_THAT(text, HasSubstr(message)) << parameters;
  }
}

}  // namespace
}  // namespace syncline::babeltrace_plugin
