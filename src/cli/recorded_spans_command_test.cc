// Spans recorded on four hosts whose true clocks are known, through the whole program.
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

using nlohmann::json;

class RecordedSpans : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    if (!fs::exists(fs::path(Data()))) GTEST_SKIP() << "no large data";
  }
  static std::string Data() { return std::string(SYNCLINE_DATA_DIR) + "/otlp"; }
  json Sync(const std::string& kind, const std::string& options, int exit_code) {
    const RunResult run = Syncline("sync " + Data() + "/" + kind + "/host*.gz -f -o " + At("out") +
                                   " --truth " + Data() + "/" + kind + "/truth.json " + options);
    EXPECT_EQ(run.exit_code, exit_code) << run.output;
    return json::parse(ReadBytes(folder_ / "out" / "syncline.json"));
  }
  // By relation: how many of those that hold for a reason are written in the wrong order.
  std::map<std::string, int> Inverted() const {
    const RunResult run = Shell(fmt::format(
        "python3 {}/src/cli/testdata/count_inverted_spans.py {}/messages.csv.gz {}/host*.gz",
        SYNCLINE_SOURCE_DIR, Data(), At("out")));
    EXPECT_EQ(run.exit_code, 0) << run.output;
    std::map<std::string, int> inverted;
    std::istringstream lines(run.output);
    std::string relation;
    for (int count = 0; lines >> relation >> count;) inverted[relation] = count;
    return inverted;
  }
  static auto NothingInverted() {
    return testing::ElementsAre(testing::Pair("message", 0), testing::Pair("request", 0),
                                testing::Pair("response", 0));
  }
  // From a clock's first event to its last. hostA shows true time.
  static double TrueMeanDriftPpm(const json& truth, const json& clock) {
    const json& knots = truth["clocks"][clock["name"].get<std::string>()];
    const auto first = clock["first_local"].get<int64_t>();
    const auto last = clock["last_local"].get<int64_t>();
    const auto ahead = [&](int64_t local) {
      size_t i = 1;
      while (i + 1 < knots.size() && knots[i][0] < local) ++i;
      const auto at = [&](size_t k, int side) { return knots[k][side].get<int64_t>(); };
      const auto share =
          static_cast<double>(local - at(i - 1, 0)) / static_cast<double>(at(i, 0) - at(i - 1, 0));
      const auto passed = static_cast<double>(at(i, 1) - at(i - 1, 1));
      return static_cast<double>(local - at(i - 1, 1)) - share * passed;
    };
    const double gained = ahead(last) - ahead(first);
    return gained / (static_cast<double>(last - first) - gained) * 1e6;
  }
  void ExpectTrueDrifts(const json& s, const std::string& kind, double within_ppm = 1) {
    const json truth = json::parse(ReadBytes(Data() + "/" + kind + "/truth.json"));
    ASSERT_EQ(s["reference"], "hostA");
    for (const json& clock : s["clocks"]) {
      EXPECT_NEAR(clock["drift_ppm"].get<double>(), TrueMeanDriftPpm(truth, clock), within_ppm)
          << clock["name"];
    }
  }
};

TEST_F(RecordedSpans, NoCallIsInvertedAfterAndEveryTrueTimeLiesWithinItsBounds) {
  const json s = Sync("linear", "--reference hostA", 0);
  EXPECT_EQ(s["messages"]["total"], 4107 + 681);
  EXPECT_EQ(s["messages"]["inverted_after"], 0);
  EXPECT_EQ(s["truth"]["outside_bound"], 0);
  EXPECT_THAT(Inverted(), NothingInverted());
  ExpectTrueDrifts(s, "linear");
  // Of 409 answers that are no constraints: timeouts, clients that left, servers that went on.
  EXPECT_EQ(DiagnosticCount(s, "calls-unanswered"), 168U);
  EXPECT_EQ(DiagnosticCount(s, "calls-broken-off"), 89U);
  EXPECT_GE(DiagnosticCount(s, "late-ends"), 129U + 3U);
}

TEST_F(RecordedSpans, ATextOfThemGivesTheSameTrueBounds) {
  const std::string spans = Data() + "/linear/host*.gz";
  ASSERT_EQ(Syncline("convert " + spans + " -q --recorded --to text -o " + At("c.txt")).exit_code,
            0);
  const std::string options = " -q -f --reference hostA --bounds 5 -o " + At("out") + " --truth " +
                              Data() + "/linear/truth.json ";
  const json direct = Summary("sync " + spans + options, 0);
  const json text = Summary("sync " + At("c.txt") + options, 0);
  EXPECT_EQ(text["truth"]["outside_bound"], 0);
  for (const json& clock : direct["clocks"]) {
    EXPECT_EQ(ByName(text["clocks"], clock["name"])["bounds"], clock["bounds"]);
  }
}

TEST_F(RecordedSpans, StartsOfWholeMillisecondsAreTakenForCoarse) {
  const json s = Sync("linear_ms", "--reference hostA", 0);
  EXPECT_EQ(s["truth"]["outside_bound"], 0);
  EXPECT_EQ(Inverted()["request"], 0);
  EXPECT_EQ(Inverted()["message"], 0);
  ExpectTrueDrifts(s, "linear_ms");
}

TEST_F(RecordedSpans, ASlewedClockIsFollowed) {
  // No message contradicts 200 ppm, but answers would have been too quick.
  for (const auto& [options, exit_code] :
       {std::pair("--reference hostA --max-drift-ppm 600", 0), std::pair("--reference hostA", 3)}) {
    const json s = Sync("slew", options, exit_code);
    EXPECT_EQ(s["messages"]["inverted_after"], 0);
    EXPECT_EQ(s["truth"]["outside_bound"], 0);
    EXPECT_THAT(Inverted(), NothingInverted());
    EXPECT_EQ(DiagnosticCount(s, "rate-limit-raised"), exit_code == 0 ? 0U : 1U);
    // By up to 500 ppm, which answers tell but nearly.
    EXPECT_GE(ByName(s["clocks"], "hostB")["rate_limit_ppm"], 490);
    if (exit_code == 0) ExpectTrueDrifts(s, "slew", 1.5);
  }
}

TEST_F(RecordedSpans, JaegersSpansAgreeWithinTheirMicroseconds) {
  const json otlp = Sync("linear", "--reference hostA", 0);
  const RunResult run = Syncline("sync " + Data() + "/jaeger/linear.json.gz --reference hostA -o " +
                                 At("jaeger") + " --truth " + Data() + "/linear/truth.json");
  ASSERT_EQ(run.exit_code, 0) << run.output;
  const json jaeger = json::parse(ReadBytes(folder_ / "jaeger" / "syncline.json"));
  EXPECT_EQ(jaeger["truth"]["outside_bound"], 0);
  EXPECT_EQ(jaeger["messages"]["total"], otlp["messages"]["total"]);
  for (const json& clock : otlp["clocks"]) {
    const json same = ByName(jaeger["clocks"], clock["name"]);
    EXPECT_NEAR(same["offset_ns"].get<double>(), clock["offset_ns"].get<double>(), 10'000);
    EXPECT_NEAR(same["drift_ppm"].get<double>(), clock["drift_ppm"].get<double>(), 0.5);
  }
}

}  // namespace
}  // namespace syncline
