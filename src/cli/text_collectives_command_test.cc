// The whole program on text traces whose clocks take part in collectives.
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

#include <gmock/gmock.h>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

using testing::HasSubstr;

constexpr int64_t kAheadNs = 1'000'000;
constexpr int64_t kDelayNs = 5'000;

const std::string kDeclarations =
    "clock a 1000000000\nclock b 1000000000\nprocess A a\nprocess B b\n";

// What two hosts record of 300 barriers, one every 10 ms, which they reach up to 50 µs apart; b is
// 1 ms ahead.
struct Recorded {
  Recorded() {
    std::mt19937 random(12);
    for (int64_t i = 0; i < 300; ++i) {
      const int64_t a_begin = i * 10'000'000 + random() % 50'000;
      const int64_t b_begin = i * 10'000'000 + random() % 50'000;
      const int64_t end = std::max(a_begin, b_begin) + kDelayNs;
      of_a += Line(a_begin, "A", i, "begin") + Line(end, "A", i, "end");
      of_b += Line(b_begin + kAheadNs, "B", i, "begin") + Line(end + kAheadNs, "B", i, "end");
    }
  }
  static std::string Line(int64_t time, const std::string& process, int64_t instance,
                          const std::string& phase) {
    return std::to_string(time) + " " + process + " collective barrier g " +
           std::to_string(instance) + " " + phase + "\n";
  }
  std::string of_a;
  std::string of_b;
};

class TextCollectivesCommand : public CommandTest {
 protected:
  std::string Write(const std::string& name, const std::string& text) const {
    WriteBytes(At(name), text);
    return At(name);
  }
  // The summary of `check` on this trace.
  nlohmann::json Check(const std::string& trace, int exit_code) {
    return Summary("check " + Write("trace.txt", trace), exit_code);
  }
  const Recorded recorded_;
};

TEST_F(TextCollectivesCommand, AreEstimatedWith) {
  const std::string trace =
      Write("trace.txt", kDeclarations + "group g A B\n" + recorded_.of_a + recorded_.of_b);
  const auto s = Summary("sync " + trace + " --reference a -o " + At("out"), 0);
  const auto b = ByName(s["clocks"], "b");
  EXPECT_EQ(b["quality"], "accurate");
  // Whoever comes last sends a message that takes kDelayNs, there and back.
  EXPECT_NEAR(b["offset_ns"].get<double>(), kAheadNs, kDelayNs);
  EXPECT_EQ(s["messages"]["total"], 0);
  EXPECT_EQ(s["logical"]["collectives"]["ends"], 600);
  EXPECT_EQ(s["logical"]["collectives"]["violated_after"], 0);
  EXPECT_TRUE(s["diagnostics"].empty()) << s["diagnostics"];
}

TEST_F(TextCollectivesCommand, MayStandInOneInputPerHost) {
  const std::string declarations = kDeclarations + "group g A B\n";
  const std::string both = Write("both.txt", declarations + recorded_.of_a + recorded_.of_b);
  const std::string a = Write("a.txt", declarations + recorded_.of_a);
  const std::string b = Write("b.txt", declarations + recorded_.of_b);
  EXPECT_EQ(Summary("check " + a + " " + b, 0)["clocks"], Summary("check " + both, 0)["clocks"]);
  const RunResult run = Syncline("check " + a + " " +
                                 Write("c.txt", kDeclarations + "group g B A\n" + recorded_.of_b));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.output, HasSubstr("c.txt: group g has other members in another input"));
}

// b counts milliseconds, so that what it seems to have sent and received is off by up to one.
TEST_F(TextCollectivesCommand, LeftInvertedAreAFinding) {
  std::string trace = "clock a 1000000000\nclock b 1000 0 1000000\nprocess A a\nprocess B b\n";
  trace += "group g A B\n" + recorded_.of_a;
  for (int64_t i = 0; i < 300; ++i) {
    trace +=
        Recorded::Line(i * 10 + 3, "B", i, "begin") + Recorded::Line(i * 10 + 3, "B", i, "end");
  }
  const std::string in = Write("trace.txt", trace);
  const auto s = Summary("sync " + in + " --logical none -f --reference a -o " + At("out"), 3);
  const auto& left = s["messages"]["of_collectives"]["inverted_after"];
  EXPECT_GT(left, 0);
  EXPECT_EQ(s["messages"]["inverted_after"], 0);
  EXPECT_EQ(DiagnosticCount(s, "inverted-after-correction"), left);
  EXPECT_THAT(Syncline("check " + in).output,
              HasSubstr("inverted-after-correction (as clocks are corrected, without the logical "
                        "clock)"));
  EXPECT_EQ(Summary("sync " + in + " -f --reference a -o " + At("out"),
                    0)["messages"]["of_collectives"]["inverted_after"],
            0);
}

// C sends nothing, so A's end at 130 need not wait for its begin at 400; unlike without sizes.
TEST_F(TextCollectivesCommand, MembersThatSendNothingAreNotWaitedFor) {
  const auto filtered = [&](const std::string& size_of_c, const std::string& size_of_b) {
    const std::string trace =
        kDeclarations + "process C b\ngroup g A B C\n100 A collective gatherv g 1 begin root\n" +
        "120 B collective gatherv g 1 begin" + size_of_b + "\n" +
        "400 C collective gatherv g 1 begin" + size_of_c + "\n" +
        "130 A collective gatherv g 1 end root\n140 B collective gatherv g 1 end\n" +
        "420 C collective gatherv g 1 end\n";
    const RunResult run = Syncline("filter --quiet --amortization none " +
                                   Write("trace.txt", trace) + " " + At("out.txt") + " --force");
    EXPECT_EQ(run.exit_code, 0) << run.output;
    const std::string text = ReadBytes(At("out.txt"));
    const size_t end = text.find(" A collective gatherv g 1 end");
    return text.substr(text.rfind('\n', end) + 1, end - text.rfind('\n', end) - 1);
  };
  EXPECT_EQ(filtered("", ""), "401");
  EXPECT_EQ(filtered(" 0", " 8"), "130");
  EXPECT_EQ(filtered(" 8", " 0"), "401");
}

TEST_F(TextCollectivesCommand, NeedTheirGroup) {
  const RunResult run =
      Syncline("check " + Write("trace.txt", kDeclarations + recorded_.of_a + recorded_.of_b));
  EXPECT_EQ(run.exit_code, 4);
  const auto s = Check(kDeclarations + "1 A send B m\n2 B recv A m\n5 B send A n\n9 A recv B n\n" +
                           recorded_.of_a + recorded_.of_b,
                       3);
  EXPECT_EQ(DiagnosticCount(s, "collective-without-group"), 4 * 300);
}

TEST_F(TextCollectivesCommand, AreCountedWhereTheyTellNothing) {
  const std::string twice =
      Recorded::Line(0, "A", 1007, "begin") + Recorded::Line(1, "A", 1007, "begin") +
      Recorded::Line(2, "A", 1007, "end") + Recorded::Line(0, "B", 1007, "begin") +
      Recorded::Line(2, "B", 1007, "end");
  const std::string half =
      Recorded::Line(3, "A", 1008, "begin") + Recorded::Line(4, "A", 1008, "end");
  const auto s =
      Check(kDeclarations + "group g A B\n" + twice + half + recorded_.of_a + recorded_.of_b, 3);
  EXPECT_EQ(DiagnosticCount(s, "ambiguous-collective"), 1);
  EXPECT_EQ(DiagnosticCount(s, "unmatched-collective"), 1);
}

}  // namespace
}  // namespace syncline
