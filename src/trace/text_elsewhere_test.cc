#include "trace/text_elsewhere.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "trace/file_team_test_util.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

class TextElsewhereTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  std::string At(const std::string& name) const { return folder_ + name; }
  std::string Written(const std::string& name, const std::string& text) const {
    std::ofstream(At(name)) << text;
    return At(name);
  }
  // Hosts that send to the next one, on a clock of each, with a barrier every hundred messages;
  // words for messages where `words`, of so many bytes.
  std::vector<std::string> Texts(uint32_t hosts, int messages, bool words = false,
                                 uint64_t bytes = 8) const {
    std::vector<std::string> paths;
    for (uint32_t host = 0; host < hosts; ++host) {
      std::string text;
      for (uint32_t h = 0; h < hosts; ++h) text += fmt::format("clock c{0} 1000000000\n", h);
      for (uint32_t h = 0; h < hosts; ++h) text += fmt::format("process p{0} c{0}\n", h);
      text += "group all";
      for (uint32_t h = 0; h < hosts; ++h) text += fmt::format(" p{}", h);
      text += '\n';
      const uint32_t to = (host + 1) % hosts, from = (host + hosts - 1) % hosts;
      const char* const name = words ? "w" : "";
      for (int i = 0; i < messages; ++i) {
        text += fmt::format("{} p{} enter work\n", 1000 * i, host);
        text += fmt::format("{} p{} send p{} {}{} {}\n", 1000 * i + 10, host, to, name, i, bytes);
        text += fmt::format("{} p{} recv p{} {}{} {}\n", 1000 * i + 90, host, from, name, i, bytes);
        if (i % 100 != 0) continue;
        text += fmt::format("{} p{} collective barrier all {} begin\n", 1000 * i + 100, host, i);
        text += fmt::format("{} p{} collective barrier all {} end\n", 1000 * i + 200, host, i);
      }
      paths.push_back(Written(fmt::format("h{}.txt", host), text));
    }
    return paths;
  }
  // The same on any number of processes.
  static void ExpectSame(const std::vector<std::string>& paths,
                         const std::vector<size_t>& on = {1, 2, 3, 7}) {
    const auto alone = LoadPaths(paths);
    ASSERT_TRUE(alone) << alone.error().ToString();
    const LoadingResult expected = ResultOf(*alone);
    ASSERT_FALSE(expected.messages.empty());
    for (const size_t processes : on) {
      SCOPED_TRACE(processes);
      TeamInOneProcess team(processes);
      const auto loaded = LoadPaths(paths);
      ASSERT_TRUE(loaded) << loaded.error().ToString();
      EXPECT_TRUE(ResultOf(*loaded) == expected);
      EXPECT_EQ(loaded->traces.groups.size(), alone->traces.groups.size());
      EXPECT_EQ(loaded->traces.clocks, alone->traces.clocks);
      for (size_t i = 0; i < paths.size(); ++i) {
        EXPECT_EQ(loaded->inputs[i].events, alone->inputs[i].events);
        EXPECT_EQ(loaded->inputs[i].first_event, alone->inputs[i].first_event);
      }
      for (size_t p = 0; p < alone->set_backs.size(); ++p) {
        EXPECT_EQ(loaded->set_backs[p].found, alone->set_backs[p].found);
        EXPECT_EQ(loaded->set_backs[p].highest, alone->set_backs[p].highest);
      }
      EXPECT_EQ(team.asked() > 0, processes > 1);
      EXPECT_EQ(team.unanswered(), 0);
    }
  }

  // Of this one of three texts, which ends in an error.
  std::string ErrorWhereOneEndsWrong(size_t text, size_t processes) const {
    const std::vector<std::string> paths = Texts(3, 5000);
    std::ofstream(paths[text], std::ios::app) << "oops\n";
    TeamInOneProcess team(processes);
    const auto loaded = LoadPaths(paths);
    EXPECT_EQ(team.unanswered(), 0);
    EXPECT_FALSE(loaded);
    return loaded ? "" : loaded.error().ToString();
  }

  std::string folder_ = testing::TempDir() + "text_elsewhere/";
};

TEST_F(TextElsewhereTest, IsTheSameWhoeverReads) {
  ExpectSame(Texts(5, 3000));
  ExpectSame(Texts(3, 100, true));
}

// More than stays in memory, which the messages themselves do.
TEST_F(TextElsewhereTest, KeepsOnDiskWhatIsTooMuch) {
  const std::vector<std::string> paths = Texts(3, 166'000, true, uint64_t{1} << 62);
  // So that another process reads both others.
  std::ofstream(paths[0], std::ios::app) << std::string(1 << 20, '\n');
  ExpectSame(paths, {2});
  const std::string missing = At("missing");
  const char* const known = std::getenv("TMPDIR");
  const std::string before = known == nullptr ? "" : known;
  ASSERT_EQ(setenv("TMPDIR", missing.c_str(), 1), 0);
  const bool is_enough_alone = LoadPaths(paths).has_value();
  TeamInOneProcess team(2);
  const auto loaded = LoadPaths(paths);
  known == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", before.c_str(), 1);
  EXPECT_TRUE(is_enough_alone);
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().ToString(), HasSubstr("temporary storage"));
  EXPECT_THAT(loaded.error().message, EndsWith("(process 1 of 2)"));
}

TEST_F(TextElsewhereTest, OneLoadAfterTheOther) {
  TeamInOneProcess team(2);
  for (const int messages : {100, 50}) {
    const auto loaded = LoadPaths(Texts(3, messages));
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->messages.messages(), 3u * static_cast<unsigned>(messages));
    EXPECT_EQ(team.unanswered(), 0);
  }
}

// In batches of none.
TEST_F(TextElsewhereTest, HardlyAnyOfTheEventsAreOfMessages) {
  const std::vector<std::string> paths = Texts(2, 3);
  std::ofstream second(paths[1], std::ios::app);
  for (int i = 0; i < 1'100'000; ++i) second << "9000 p1 mark x\n";
  second << "9001 p1 send p0 7\n";
  second.close();
  std::ofstream(paths[0], std::ios::app) << "9002 p0 recv p1 7\n";
  ExpectSame(paths, {2});
}

// A clock that is set back where the second text begins, within it, and where the last goes on.
TEST_F(TextElsewhereTest, ProcessesGoOnInOtherTexts) {
  const std::string head = "clock a 1000000000\nclock b 1000000000\nprocess p a\nprocess q b\n";
  const std::string first = head + "1000000 p send q 1\n9000000 p send q 2\n";
  const std::string second = head + "5000000 p send q 3\n2000000 p send q 4\n3000000 p send q 5\n";
  const std::string third = head + "2999500 p send q 6\n100 p send q 7\n";
  const std::string receives = head +
                               "1000500 q recv p 1\n9000500 q recv p 2\n9000600 q recv p 3\n"
                               "9000700 q recv p 4\n9000800 q recv p 5\n9000900 q recv p 6\n"
                               "9001000 q recv p 7\n";
  const std::vector<std::string> paths = {Written("1", first), Written("2", second),
                                          Written("3", third), Written("4", receives)};
  ExpectSame(paths);
  const auto loaded = LoadPaths(paths);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->set_backs[0].found.size(), 3);
}

TEST_F(TextElsewhereTest, AnErrorNamesTheProcessThatReads) {
  EXPECT_THAT(ErrorWhereOneEndsWrong(1, 2),
              AllOf(HasSubstr("h1.txt:"), HasSubstr("oops"), EndsWith("(process 1 of 2)")));
}

// What others read then is not wanted any more.
TEST_F(TextElsewhereTest, AnErrorHereEndsAll) {
  EXPECT_THAT(ErrorWhereOneEndsWrong(0, 3), AllOf(HasSubstr("h0.txt:"), EndsWith("'oops'")));
}

}  // namespace
}  // namespace syncline
