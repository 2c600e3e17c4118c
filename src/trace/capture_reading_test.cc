#include "trace/capture_reading.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "trace/file_team_test_util.h"

namespace syncline {
namespace {

using testing::EndsWith;

std::string Capture(const std::string& name) {
  return std::string(SYNCLINE_SOURCE_DIR) + "/examples/captures/" + name;
}
std::vector<std::string> AllCaptures() {
  return {Capture("a.pcap"), Capture("b.pcap"), Capture("c.pcap"), Capture("d.pcap")};
}

TEST(CaptureReading, IsTheSameWhoeverReads) {
  const auto alone = LoadPaths(AllCaptures());
  ASSERT_TRUE(alone) << alone.error().ToString();
  const LoadingResult expected = ResultOf(*alone);
  ASSERT_GT(expected.messages.size(), 1000);
  for (const size_t processes : {1, 2, 3, 6}) {
    SCOPED_TRACE(processes);
    TeamInOneProcess team(processes);
    const auto loaded = LoadPaths(AllCaptures());
    ASSERT_TRUE(loaded) << loaded.error().ToString();
    EXPECT_TRUE(ResultOf(*loaded) == expected);
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(loaded->inputs[i].events, alone->inputs[i].events);
      EXPECT_EQ(loaded->inputs[i].ticks_per_second, alone->inputs[i].ticks_per_second);
    }
    EXPECT_EQ(team.asked() > 0, processes > 1);
    EXPECT_EQ(team.unanswered(), 0);
  }
}

TEST(CaptureReading, AnErrorNamesTheProcessThatReads) {
  const std::string bad = testing::TempDir() + "capture_reading_bad.pcap";
  std::filesystem::copy_file(Capture("b.pcap"), bad,
                             std::filesystem::copy_options::overwrite_existing);
  std::fstream file(bad, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(24 + 8);
  file.write("\xff\xff\xff\x7f", 4);  // the length of the first packet
  file.close();
  TeamInOneProcess team(2);
  const auto loaded = LoadPaths({Capture("a.pcap"), bad, Capture("c.pcap")});
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kMalformed);
  EXPECT_EQ(loaded.error().file, bad);
  EXPECT_THAT(loaded.error().message, EndsWith("(process 1 of 2)"));
  EXPECT_EQ(team.unanswered(), 0);
  std::filesystem::remove(bad);
}

}  // namespace
}  // namespace syncline
