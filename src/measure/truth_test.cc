#include "measure/truth.h"

#include <cmath>
#include <cstdio>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace syncline {
namespace {

class TruthFile : public testing::Test {
 protected:
  Result<Truth> Read(const std::string& text) {
    const std::string path = fmt::format("{}/truth-{}.json", testing::TempDir(), ::getpid());
    std::ofstream(path) << text;
    auto truth = ReadTruth(path);
    std::remove(path.c_str());
    return truth;
  }
};

TEST_F(TruthFile, KeepsEveryNanosecondOfEpochTimes) {
  // 2^53 is about 9.007e15: these would lose their last digits in a double.
  const auto truth = Read(R"({"clocks":{"b":[[1795263386700000001,1795263385000000003],
                              [1795263459502011972,1795263457799463991]]}})");
  ASSERT_TRUE(truth);
  EXPECT_EQ(truth->clocks.at("b").front()({1795263386700000001}).ns, 1795263385000000003);
}

TEST_F(TruthFile, ClocksMayStepBack) {
  // Set back by 30 at 100, by 1 at 200, and by 20 at once.
  const auto truth = Read(
      R"({"clocks":{"b":[[0,0],[100,100],[70,101],[169,200],[168,200],[148,201],[248,301]]}})");
  ASSERT_TRUE(truth) << truth.error().ToString();
  const TrueClock& b = truth->clocks.at("b");
  ASSERT_EQ(b.size(), 4U);
  EXPECT_EQ(b[0]({50}).ns, 50);
  EXPECT_EQ(b[1]({70}).ns, 101);
  EXPECT_EQ(b[3]({150}).ns, 203);
  EXPECT_EQ(ShownAt(b, {-5}), -5);
  EXPECT_EQ(ShownAt(b, {100}), 100);
  EXPECT_EQ(ShownAt(b, {101}), 70);
  EXPECT_EQ(ShownAt(b, {1'201}), 1'148);
}

TEST(AlignEpochs, FindsTheStretchesThatEventsShow) {
  // Set back at 100 to 70, at 200 to 195, at 300 to 200.
  const auto stretch = [](int64_t from, int64_t to, int64_t at) {
    return Correction::FromKnots({{{from}, {at}}, {{to}, {at + to - from}}}).value();
  };
  const TrueClock clock = {stretch(0, 100, 0), stretch(70, 200, 100), stretch(195, 300, 230),
                           stretch(200, 400, 335)};
  const auto align = [&](const std::vector<SeenStep>& seen) {
    std::vector<std::pair<size_t, size_t>> aligned;
    for (const TrueEpoch& epoch : AlignEpochs(clock, seen, 1)) {
      aligned.emplace_back(epoch.first, epoch.last);
    }
    return aligned;
  };
  using Stretches = std::vector<std::pair<size_t, size_t>>;
  EXPECT_EQ(align({}), (Stretches{{0, 3}}));
  EXPECT_EQ(align({{95, 75}, {199, 196}, {290, 250}}), (Stretches{{0, 0}, {1, 1}, {2, 2}, {3, 3}}));
  EXPECT_EQ(align({{95, 75}, {290, 250}}), (Stretches{{0, 0}, {1, 2}, {3, 3}}));
  EXPECT_EQ(align({{301, 199}}), (Stretches{{0, 2}, {3, 3}}));  // by rounding
  // One that is in no truth is the next.
  EXPECT_EQ(align({{95, 60}}), (Stretches{{0, 0}, {1, 3}}));
  EXPECT_EQ(align({{5, 1}, {5, 1}, {5, 1}, {5, 1}}),
            (Stretches{{0, 0}, {1, 1}, {2, 2}, {3, 3}, {3, 3}}));
  // Within an epoch, the first stretch that reaches as far.
  EXPECT_EQ(TruthAt(clock, {0, 3}, 100), clock[0]);
  EXPECT_EQ(TruthAt(clock, {0, 3}, 101), clock[1]);
  EXPECT_EQ(TruthAt(clock, {0, 3}, 500), clock[3]);
  EXPECT_EQ(TruthAt(clock, {2, 2}, 0), clock[2]);
}

TEST_F(TruthFile, RejectsWhatIsNotATruthFile) {
  for (const char* text :
       {"", "[]", "{}", R"({"clocks":3})", R"({"clocks":{"a":[[1,2]]}})", R"({"clocks":{"a":[]}})",
        R"({"clocks":{"a":[[1,2],[1,3]]}})", R"({"clocks":{"a":[[1,2],[5,6],[4,5],[7,8]]}})",
        R"({"clocks":{"a":[[1.5,2],[2,3]]}})", R"({"clocks":{"a":[[1,2,3],[2,3,4]]}})"}) {
    const auto truth = Read(text);
    ASSERT_FALSE(truth) << text;
    EXPECT_EQ(truth.error().code, ErrorCode::kMalformed) << text;
  }
}

TEST(TrueError, TakesTheLargestMagnitudeAndTheRootMeanSquare) {
  TrueError e;
  e.Add({-4});
  e.Add({3});
  EXPECT_EQ(e.max_ns(), 4);
  EXPECT_DOUBLE_EQ(e.rms_ns(), std::sqrt((16.0 + 9.0) / 2));
}

}  // namespace
}  // namespace syncline
