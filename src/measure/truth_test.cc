#include "measure/truth.h"

#include <cmath>
#include <cstdio>
#include <fstream>

#include <gtest/gtest.h>

namespace syncline {
namespace {

class TruthFile : public testing::Test {
 protected:
  Result<Truth> Read(const std::string& text) {
    const std::string path = testing::TempDir() + "/truth_test.json";
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
  EXPECT_EQ(truth->clocks.at("b")({1795263386700000001}).ns, 1795263385000000003);
}

TEST_F(TruthFile, RejectsWhatIsNotATruthFile) {
  for (const char* text :
       {"", "[]", "{}", R"({"clocks":3})", R"({"clocks":{"a":[[1,2]]}})",
        R"({"clocks":{"a":[[1,2],[1,3]]}})", R"({"clocks":{"a":[[1.5,2],[2,3]]}})",
        R"({"clocks":{"a":[[1,2,3],[2,3,4]]}})"}) {
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
