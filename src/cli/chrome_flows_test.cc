// The whole program on Chrome JSON with flows: which of their ends belong together.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

using testing::HasSubstr;

class ChromeFlows : public CommandTest {
 protected:
  // Of a file that ends in the middle, whose processes have clocks of their own.
  void ExpectMatched(const std::string& text, int messages, int doubtful) {
    WriteBytes(At("t.json"), text);
    const auto s = Summary("check " + At("t.json") + " --clock-per process", doubtful > 0 ? 3 : 0);
    EXPECT_EQ(s["messages"]["total"], messages) << text;
    EXPECT_EQ(DiagnosticCount(s, "ambiguous-message"), doubtful) << text;
    if (doubtful == 0) return;
    EXPECT_THAT(ByName(s["diagnostics"], "ambiguous-message")["example"].get<std::string>(),
                testing::MatchesRegex(".*/t.json: one begins in .* at [0-9]+ ns"));
  }
};

TEST_F(ChromeFlows, FlowsBoundTheClocksOfPids) {
  std::string text = "[";
  const auto add = [&](char phase, int id, int pid, int64_t ns) {
    text += fmt::format(
        "{{\"ph\":\"{}\",\"id\":{},\"cat\":\"c\",\"name\":\"n\",\"pid\":{},"
        "\"tid\":1,\"ts\":{}}},\n",
        phase, id, pid, ns / 1000 + (pid == 2 ? 5'000 : 0));
  };
  for (int i = 0; i < 30; ++i) {
    const int64_t at = i * 1'000'000'000LL;
    add('s', 2 * i, 1, at);
    add('f', 2 * i, 2, at + 20'000);
    add('s', 2 * i + 1, 2, at + 30'000);
    add('f', 2 * i + 1, 1, at + 50'000);
  }
  WriteBytes(At("t.json"), text);
  const auto s = Summary("check " + At("t.json") + " --clock-per process --reference t/1", 0);
  EXPECT_EQ(s["messages"]["total"], 60);
  EXPECT_EQ(s["messages"]["inverted_before"], 30);
  const auto clock = ByName(s["clocks"], "t/2");
  EXPECT_NEAR(clock["offset_ns"].get<double>(), 5'000'000,
              clock["bound_ns"]["worst"].get<double>());
  // One clock has nothing to be compared with.
  EXPECT_EQ(Syncline("check " + At("t.json")).exit_code, 4);
}

TEST_F(ChromeFlows, FlowsBelongTogetherHoweverTheirNamesAreEscaped) {
  const auto write = [&](const std::string& file, const char* first, const char* second,
                         int64_t later, const char* name) {
    const auto event = [&](const char* phase, int id, int64_t us) {
      return fmt::format(R"({{"ph":"{}","id":{},"cat":"c","name":"{}","pid":1,"tid":1,"ts":{}.5}})",
                         phase, id, name, us);
    };
    WriteBytes(At(file),
               "[" + event(first, 1, 1001 + later) + "," + event(second, 2, 2001 - later) + "]");
  };
  write("a.json", "s", "f", 0, "größe/1");
  for (const char* name : {"größe/1", R"(gr\u00f6\u00dfe/1)", R"(größe\/1)"}) {
    write("b.json", "f", "s", 1, name);
    const auto s = Summary("sync " + At("a.json") + " " + At("b.json") + " -f -o " + At("out"), 0);
    EXPECT_EQ(s["messages"]["total"], 2) << name;
    EXPECT_THAT(ReadBytes(At("out/b.json")), HasSubstr(name));
  }
}

TEST_F(ChromeFlows, AFlowOfOneBeginAndSeveralEndsIsInDoubt) {
  struct Case {
    std::string_view ends;
    int messages = 0, doubtful = 0;
  };
  for (const Case& c : {Case{"ff", 1, 3}, Case{"tff", 1, 4}, Case{"ttf", 4, 0}, Case{"tt", 3, 0}}) {
    std::string text = "[";
    const auto add = [&](char phase, int id, int pid, int64_t us) {
      text +=
          fmt::format(R"({{"ph":"{}","id":{},"pid":{},"tid":1,"ts":{}.001}},)", phase, id, pid, us);
    };
    add('s', 1, 1, 10);
    for (size_t i = 0; i < c.ends.size(); ++i)
      add(c.ends[i], 1, 2, 1 + static_cast<int64_t>(7 * i));
    add('s', 2, 2, 20);
    add('f', 2, 1, 60);
    ExpectMatched(text, c.messages, c.doubtful);
  }
}

// The recording begins and ends between the ends of a flow.
TEST_F(ChromeFlows, FlowsThatUseAnIdAgainBelongTogetherByTimeOnOneClockOnly) {
  struct Case {
    std::string_view phases;
    int end_pid = 2, messages = 0, doubtful = 0;
  };
  for (const Case& c : {Case{"fsfs", 2, 3, 0}, Case{"sfsf", 2, 4, 0}, Case{"ssff", 2, 2, 4},
                        Case{"fsfs", 3, 2, 4}, Case{"sfsf", 3, 2, 4}}) {
    std::string text = "[";
    const auto add = [&](char phase, int id, int pid, size_t us) {
      text += fmt::format(R"({{"ph":"{}","id":{},"pid":{},"tid":{},"ts":{}.001}},)", phase, id,
                          pid > 2 ? 3 : 1, pid, us);
    };
    for (size_t i = 0; i < c.phases.size(); ++i) {
      add(c.phases[i], 1, c.phases[i] == 's' ? 1 : c.end_pid, 10 * i + 1);
    }
    add('s', 2, 1, 300);
    add('f', 2, 3, 360);
    add('s', 3, 3, 320);
    add('f', 3, 1, 390);
    ExpectMatched(text, c.messages, c.doubtful);
  }
}

// Begins in one file, ends in the other.
TEST_F(ChromeFlows, OfOneNumberMayDifferInCategoryAndSpelling) {
  const auto write = [&](const char* file, const char* phase,
                         const std::vector<std::pair<const char*, const char*>>& flows) {
    std::string text;
    for (const auto& [id, category] : flows) {
      text +=
          fmt::format(R"({}{{"ph":"{}","id":{},"cat":"{}","name":"n","pid":1,"tid":1,"ts":1.5}})",
                      text.empty() ? "[" : ",", phase, id, category);
    }
    WriteBytes(At(file), text + "]");
  };
  write("a.json", "s",
        {{"17", "c"}, {R"("0x11")", "c"}, {"17", "d"}, {R"("x")", "c"}, {"18", "c"}});
  write("b.json", "f", {{R"("x")", "c"}, {"17", "d"}, {R"("0x12")", "c"}, {R"("17")", "c"}});
  const auto s = Summary("check " + At("a.json") + " " + At("b.json"), 3);
  EXPECT_EQ(s["messages"]["total"], 3);
  EXPECT_EQ(s["messages"]["unmatched_sends"], 2);
  EXPECT_EQ(s["messages"]["unmatched_receives"], 1);
}

}  // namespace
}  // namespace syncline
