// The whole program on profiles that PyTorch recorded, where the large data is.
#include <algorithm>
#include <cstdint>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

// 8 ranks of one training step; see the data's README.
class KinetoCommand : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    if (!fs::exists(fs::path(SYNCLINE_DATA_DIR) / "kineto")) GTEST_SKIP() << "no large data";
    for (int rank = 0; rank < 8; ++rank) {
      const std::string name = fmt::format("rank{}.json", rank);
      Shell(fmt::format("gzip -dc {}/kineto/linear/{}.gz > {}", SYNCLINE_DATA_DIR, name, At(name)));
      ranks_ += At(name) + " ";
    }
  }
  std::string Truth() const { return std::string(SYNCLINE_DATA_DIR) + "/kineto/truth.json"; }

  std::string ranks_;
};

std::string WithoutTimes(const std::string& text) {
  std::string rest;
  size_t at = 0;
  while (true) {
    const size_t found = std::min(text.find("\"ts\": ", at), text.find("\"dur\": ", at));
    if (found == std::string::npos) return rest + text.substr(at);
    const size_t digits = text.find(' ', found) + 1;
    rest += text.substr(at, digits - at);
    at = text.find_first_not_of("0123456789.", digits);
  }
}

TEST_F(KinetoCommand, EightCollectivesBoundTheClocksAndNotTheirDrift) {
  const auto s = Summary("sync " + ranks_ + "-o " + At("out") + " --reference rank0 --truth " +
                             Truth() + " --merge " + At("all.json"),
                         3);
  EXPECT_EQ(s["logical"]["collectives"]["ends"], 8 * 8);
  // Of each collective both ways between all ranks; how many are inverted the data's own check
  // says.
  const nlohmann::json& of_collectives = s["messages"]["of_collectives"];
  EXPECT_EQ(of_collectives["total"], 8 * 8 * 7);
  EXPECT_EQ(of_collectives["inverted_before"], 207);
  EXPECT_EQ(of_collectives["inverted_after"], 0);
  uint64_t inverted = 0;
  for (const nlohmann::json& pair : s["pairs"]) {
    for (const char* way : {"ab", "ba"}) {
      inverted += pair[way]["of_collectives"]["inverted_before"].get<uint64_t>();
    }
  }
  EXPECT_EQ(inverted, 207);
  EXPECT_EQ(s["logical"]["collectives"]["violated_after"], 0);
  EXPECT_EQ(DiagnosticCount(s, "operations-matched-by-order"), 8);
  EXPECT_EQ(DiagnosticCount(s, "unmatched-collective"), 0);
  EXPECT_EQ(s["truth"]["outside_bound"], 0);
  EXPECT_EQ(DiagnosticCount(s, "drift-undetermined"), 7);
  const auto truth = nlohmann::json::parse(ReadBytes(Truth()));
  for (int rank = 1; rank < 8; ++rank) {
    const std::string name = fmt::format("rank{}", rank);
    const auto clock = ByName(s["clocks"], name);
    // Of the true line at the first collective; the drift until then moves it by less than 40 µs.
    const auto& point = truth["clocks"][name][0];
    const double offset = static_cast<double>(point[0].get<int64_t>() - point[1].get<int64_t>());
    EXPECT_NEAR(clock["offset_ns"].get<double>(), offset,
                clock["bound_ns"]["worst"].get<double>() + 40'000)
        << name;
    EXPECT_LT(clock["bound_ns"]["best"].get<double>(), 145'000) << name;
    const std::string before = ReadBytes(At(name + ".json"));
    const std::string after = ReadBytes(At("out/" + name + ".json"));
    EXPECT_NE(before, after);
    EXPECT_EQ(WithoutTimes(before), WithoutTimes(after)) << name;
    EXPECT_TRUE(nlohmann::json::accept(after));
  }
  EXPECT_TRUE(nlohmann::json::accept(ReadBytes(At("all.json"))));
}

}  // namespace
}  // namespace syncline
