// The methods that choose a pair's line, from the command line to the corrected captures.
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

using ::testing::HasSubstr;

class MethodCommand : public CommandTest {
 protected:
  nlohmann::json Sync(const std::string& inputs, const std::string& truth,
                      const std::string& method) {
    fs::remove_all(At("out"));
    Syncline("sync " + inputs + " -o " + At("out") + " --group tree-error --logical none --truth " +
             truth + " --method " + method);
    EXPECT_TRUE(fs::exists(At("out/syncline.json"))) << method;
    return nlohmann::json::parse(ReadBytes(At("out/syncline.json")));
  }
  static nlohmann::json PairOf(const nlohmann::json& summary, const std::string& a,
                               const std::string& b) {
    for (const auto& pair : summary["pairs"]) {
      if (pair["a"] == a && pair["b"] == b) return pair;
    }
    ADD_FAILURE() << "no pair " << a << ", " << b;
    return {};
  }
};

TEST_F(MethodCommand, EveryMethodKeepsTheBoundsAndNamesItsLine) {
  for (const std::string method :
       {"widest", "bisector", "regression", "robust", "two-point", "minmax"}) {
    SCOPED_TRACE(method);
    const auto s = Sync(Samples(), Sample("truth.json"), method);
    EXPECT_EQ(s["method"], method);
    EXPECT_EQ(s["truth"]["outside_bound"], 0);
    const auto pair = PairOf(s, "a", "b");
    EXPECT_EQ(pair["line_from"], method);
    EXPECT_EQ(pair["quality"], "accurate");
    EXPECT_EQ(pair["messages_ab"].get<int>() + pair["messages_ba"].get<int>(), kMessagesAb);
    EXPECT_EQ(pair.contains("regression"), method == "regression");
    EXPECT_EQ(ByName(s["clocks"], "a")["quality"], "accurate");
    // d only sends: there is one line for it.
    for (const auto& p : s["pairs"]) {
      EXPECT_EQ(p["line_from"] == "least-delay", p["quality"] == "incomplete");
    }
  }
}

TEST_F(MethodCommand, RegressionStatesHowFarItIsToBeTrusted) {
  const auto s = Summary("check --group tree-error --method regression " + Samples(), 3);
  const auto pair = PairOf(s, "a", "b");
  const auto& r = pair["regression"];
  EXPECT_EQ(r["messages"], kMessagesAb);
  EXPECT_EQ(r["confidence"], 0.95);
  EXPECT_GT(r["residual_deviation_ns"], 0);
  for (const char* parameter : {"offset_ns", "drift_ppm"}) {
    const double deviation = r[parameter]["deviation"];
    EXPECT_GT(deviation, 0);
    // Student's quantile for 1303 degrees of freedom, and 1/√0.05.
    EXPECT_NEAR(r[parameter]["student"].get<double>() / deviation, 1.9618, 1e-3);
    EXPECT_NEAR(r[parameter]["chebyshev"].get<double>() / deviation, std::sqrt(20), 1e-6);
  }
}

// Three messages leave one degree of freedom. Student's t is then tan(level · π/2), which is √3 at
// 2/3; Chebyshev's factor there is 1/√(1 − 2/3), √3 too.
TEST_F(MethodCommand, ConfidenceIsTheLevelAskedFor) {
  WriteBytes(At("trace.txt"),
             "clock a 1000000000\nclock b 1000000000\nprocess p a\nprocess q b\n"
             "0 p send q 0\n100 q recv p 0\n1000 q send p 0\n1200 p recv q 0\n"
             "5000 p send q 1\n5110 q recv p 1\n");
  const std::string check = "check --method regression " + At("trace.txt") + " --confidence ";
  const auto s = Summary(check + "0.6666666666666666", 3);
  const auto r = PairOf(s, "a", "b")["regression"];
  EXPECT_EQ(r["messages"], 3);
  EXPECT_NEAR(r["confidence"].get<double>(), 2.0 / 3, 1e-12);
  for (const char* parameter : {"offset_ns", "drift_ppm"}) {
    const double deviation = r[parameter]["deviation"];
    ASSERT_GT(deviation, 0);
    EXPECT_NEAR(r[parameter]["student"].get<double>() / deviation, std::sqrt(3), 1e-6);
    EXPECT_NEAR(r[parameter]["chebyshev"].get<double>() / deviation, std::sqrt(3), 1e-6);
  }
  for (const char* wrong : {"0", "1", "95", "-0.5", "nan", "high"}) {
    const RunResult run = Syncline(check + wrong);
    EXPECT_EQ(run.exit_code, 1) << wrong;
    EXPECT_THAT(run.output, HasSubstr("--confidence: expected a level between 0 and 1"));
  }
}

TEST_F(MethodCommand, SaysWhichLinesLeaveTheirCorridor) {
  // 40 messages there in 100 ns and one in 10, one back in 10: the mean is far above 10.
  std::string text = "clock a 1000000000\nclock b 1000000000\nprocess p a\nprocess q b\n";
  const auto line = [&](int64_t time, const char* process, const char* what, const char* peer,
                        int message) {
    text += fmt::format("{} {} {} {} {}\n", time, process, what, peer, message);
  };
  for (int i = 0; i < 40; ++i) line(1000 * i, "p", "send", "q", i);
  line(40'000, "p", "send", "q", 40);
  line(50'010, "p", "recv", "q", 41);
  for (int i = 0; i < 40; ++i) line(1000 * i + 100, "q", "recv", "p", i);
  line(40'010, "q", "recv", "p", 40);
  line(50'000, "q", "send", "p", 41);
  WriteBytes(At("trace.txt"), text);
  const auto s =
      Summary("check --group tree-error --reference a --method regression " + At("trace.txt"), 3);
  const auto pair = PairOf(s, "a", "b");
  EXPECT_EQ(pair["quality"], "accurate");
  EXPECT_EQ(pair["violated_hull_points"], 1);
  EXPECT_GT(pair["worst_violation_ns"], 50);
  EXPECT_THAT(pair["reason"], HasSubstr("regression line has 1 hull point on its wrong side"));
  EXPECT_EQ(ByName(s["clocks"], "b")["reason"], pair["reason"]);
  EXPECT_FALSE(ByName(s["clocks"], "b")["bound_ns"]["worst"].is_null());
}

TEST_F(MethodCommand, SaysWhereAnotherMethodHadToHelp) {
  WriteBytes(At("trace.txt"),
             "clock a 1000000000\nclock b 1000000000\nprocess p a\nprocess q b\n"
             "0 p send q 1\n5 q send p 2\n1000 q recv p 1\n1005 p recv q 2\n");
  const auto s = Summary("check --group tree-error --method two-point " + At("trace.txt"), 0);
  EXPECT_EQ(s["pairs"][0]["line_from"], "widest");
  EXPECT_EQ(DiagnosticCount(s, "line-from-other-method"), 1U);
}

TEST_F(MethodCommand, UnknownMethodsAreAUsageError) {
  const RunResult run = Syncline("check --method guess " + Samples());
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.output, HasSubstr("two-point"));
}

// Four recorded hosts of known clocks, 62 s. The least delays of a and b are 435 and 714 µs, those
// of c further apart; the largest errors are the measured ones and a third more.
TEST_F(MethodCommand, ErrsOnRecordedCapturesAsTheirDelaysLetItExpect) {
  const std::string folder = std::string(SYNCLINE_DATA_DIR) + "/captures/linear/";
  if (std::string(SYNCLINE_DATA_DIR).empty() || !fs::exists(folder)) {
    GTEST_SKIP() << "no recorded data";
  }
  const std::string inputs = folder + "a.pcap " + folder + "b.pcap " + folder + "c.pcap " + folder +
                             "d.pcap --reference a";
  const struct {
    const char* method;
    double error_us;   // of any event of any clock
    double drift_ppm;  // of b and c
    int inverted;      // of 16 441 messages
  } cases[] = {
      {"widest", 280, 0.25, 10},   {"regression", 1020, 0.5, 2000}, {"robust", 280, 0.6, 10},
      {"two-point", 330, 1.2, 10}, {"minmax", 280, 0.4, 10},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.method);
    const auto s = Sync(inputs, folder + "truth.json", c.method);
    EXPECT_EQ(s["truth"]["outside_bound"], 0);
    EXPECT_LE(s["truth"]["max_error_ns"], c.error_us * 1000);
    EXPECT_LE(s["messages"]["inverted_after"], c.inverted);
    EXPECT_NEAR(ByName(s["clocks"], "b")["drift_ppm"].get<double>(), 35, c.drift_ppm);
    EXPECT_NEAR(ByName(s["clocks"], "c")["drift_ppm"].get<double>(), -12, c.drift_ppm);
  }
}

}  // namespace
}  // namespace syncline
