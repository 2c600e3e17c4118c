#include "trace/ctf_elsewhere.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "base/parallel.h"
#include "read/ctf/testing/tiny_trace.h"
#include "trace/file_team_test_util.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;

RuleSet Rules() {
  auto rules = ReadRules(std::string(SYNCLINE_SOURCE_DIR) + "/examples/rules/msg.rules");
  EXPECT_TRUE(rules);
  return std::move(*rules);
}

class CtfElsewhere : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override {
    fs::remove_all(folder_);
    SetCores(cores_);
  }
  static std::string Recorded(const std::string& host) {
    return std::string(SYNCLINE_SOURCE_DIR) + "/src/read/ctf/testdata/rates/" + host;
  }
  std::string At(const std::string& name) const { return folder_ + "/" + name; }
  // Of hosts each of which sends to the next one, on several streams: 100 messages, in some
  // traces among more events than come at once.
  std::vector<std::string> SixTraces() const {
    constexpr uint32_t kHosts = 6, kMessages = 100, kOthers = 150'000;
    std::vector<std::string> paths;
    for (uint32_t host = 0; host < kHosts; ++host) {
      TinyTrace trace{.hostname = fmt::format("h{}", host), .streams = {{{}}, {{}}}};
      std::vector<TinyEvent>& sends = trace.streams[0][0].events;
      std::vector<TinyEvent>& others = trace.streams[1][0].events;
      for (uint32_t k = 0; k < kMessages; ++k) {
        const uint32_t before = (host + kHosts - 1) % kHosts;
        sends.push_back({1000 * (k + 1), host * kMessages + k, "s"});
        others.push_back({1000 * (k + 1) + 300, before * kMessages + k, "r"});
      }
      for (uint32_t k = 0; k < kOthers && host % 3 == 1; ++k) {
        others.push_back({200'000 + k, k, "x"});
      }
      TinyTraceWriter(trace).Write(At(trace.hostname));
      paths.push_back(At(trace.hostname));
    }
    return paths;
  }

 private:
  std::string folder_ = testing::TempDir() + "ctf_elsewhere_test_" +
                        testing::UnitTest::GetInstance()->current_test_info()->name();
  size_t cores_ = Cores();
};

// Of several children of one process each is read on while others are.
TEST_F(CtfElsewhere, IsTheSameWhoeverReads) {
  const std::vector<std::string> paths = SixTraces();
  const auto rules =
      ParseRules("work(n) where text == \"s\" -> work(n) where text == \"r\"", "rules");
  ASSERT_TRUE(rules) << rules.error().ToString();
  const auto alone = LoadPaths(paths, *rules);
  ASSERT_TRUE(alone) << alone.error().ToString();
  const LoadingResult expected = ResultOf(*alone);
  ASSERT_EQ(expected.messages.size(), 600);
  for (const auto& [processes, cores] :
       std::vector<std::pair<size_t, size_t>>{{1, 3}, {2, 1}, {2, 3}, {3, 2}}) {
    SCOPED_TRACE(fmt::format("{} processes, {} cores each", processes, cores));
    SetCores(cores);
    TeamInOneProcess team(processes);
    const auto loaded = LoadPaths(paths, *rules);
    ASSERT_TRUE(loaded) << loaded.error().ToString();
    EXPECT_TRUE(ResultOf(*loaded) == expected);
    EXPECT_EQ(team.asked() > 0, processes > 1);
    EXPECT_EQ(team.unanswered(), 0);
  }
}

TEST_F(CtfElsewhere, LeavesNoAnswersOfTracesWithoutStreams) {
  fs::create_directories(At("empty"));
  fs::copy(Recorded("hostA") + "/metadata", At("empty/metadata"));
  TeamInOneProcess team(2);
  const auto loaded = LoadPaths({Recorded("hostA"), At("empty")}, Rules());
  EXPECT_GT(team.asked(), 0);
  EXPECT_EQ(team.unanswered(), 0);
}

TEST_F(CtfElsewhere, AnErrorNamesTheProcessThatReads) {
  fs::copy(Recorded("hostB"), At("b"), fs::copy_options::recursive);
  std::fstream stream(At("b/ch_0"), std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(static_cast<std::streamoff>(fs::file_size(At("b/ch_0")) / 2));
  stream << std::string(64, '\xee');
  stream.close();
  TeamInOneProcess team(2);
  const auto loaded = LoadPaths({Recorded("hostA"), At("b")}, Rules());
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kMalformed);
  EXPECT_THAT(loaded.error().file, HasSubstr(At("b")));
  EXPECT_THAT(loaded.error().message, EndsWith("(process 1 of 2)"));
  EXPECT_EQ(team.unanswered(), 0);
}

}  // namespace
}  // namespace syncline
