#include "pipeline/estimate/minimum_delay_choice.h"

#include <filesystem>
#include <fstream>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace syncline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

using Direction = std::pair<std::string, std::string>;

class MinimumDelayFile : public ::testing::Test {
 protected:
  std::string Write(const std::string& content) const {
    std::ofstream(path_) << content;
    return path_;
  }
  void TearDown() override { std::filesystem::remove(path_); }

 private:
  std::string path_ =
      (std::filesystem::temp_directory_path() / ("min_delay_" + std::to_string(getpid()))).string();
};

TEST(MinimumDelayChoice, IsANumberOrAuto) {
  const auto number = ParseMinimumDelay("250");
  ASSERT_TRUE(number);
  EXPECT_EQ(number->all_ns, 250);
  EXPECT_FALSE(number->IsNothing());
  EXPECT_EQ(ParseMinimumDelay("1125899906842624")->all_ns, int64_t{1} << 50);
  EXPECT_TRUE(ParseMinimumDelay("0")->IsNothing());
  EXPECT_EQ(ParseMinimumDelay("400us")->all_ns, 400'000);
  const auto automatic = ParseMinimumDelay("auto");
  ASSERT_TRUE(automatic);
  EXPECT_TRUE(automatic->is_auto);
  EXPECT_FALSE(automatic->IsNothing());
}

TEST(MinimumDelayChoice, RefusesOtherNumbersInsteadOfLookingForAFile) {
  for (const char* text : {"-5", "-", "0.5", "1e3", "7 parsecs", "1125899906842625",
                           "99999999999999999999999", "nan", "1-2"}) {
    SCOPED_TRACE(text);
    const auto choice = ParseMinimumDelay(text);
    ASSERT_FALSE(choice);
    EXPECT_EQ(choice.error().code, ErrorCode::kUsage);
    EXPECT_THAT(choice.error().message, HasSubstr(text));
  }
}

TEST(MinimumDelayChoice, NamesAFileThatIsNotThere) {
  const auto choice = ParseMinimumDelay("no-such-folder/delays");
  ASSERT_FALSE(choice);
  EXPECT_EQ(choice.error().code, ErrorCode::kUnreadable);
}

TEST_F(MinimumDelayFile, ListsDirections) {
  const auto choice = ParseMinimumDelay(
      Write("# from to ns\n\na b 400 0.25  # with a rate\nb a 700\na b 500 0.5\n"));
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->all_ns, std::nullopt);
  EXPECT_THAT(choice->by_direction, ElementsAre(Pair(Direction("a", "b"), MinimumDelay{500, 500}),
                                                Pair(Direction("b", "a"), MinimumDelay{700, 0})));
}

TEST(MinimumDelayChoice, TellsNamesThatNoClockHas) {
  MinimumDelayChoice choice;
  choice.by_direction[{"z", "a"}] = {1, 0};
  choice.by_direction[{"a", "y"}] = {1, 0};
  TraceSet traces;
  traces.clocks.push_back({.name = "a"});
  EXPECT_THAT(UnknownClocks(choice, traces), ElementsAre("y", "z"));
  EXPECT_THAT(UnknownClocks({}, traces), ElementsAre());
}

TEST_F(MinimumDelayFile, IsRefusedAtTheLineThatIsWrong) {
  for (const char* line : {"a b", "a b -1", "a b 1.5", "a b 1125899906842625", "a b 1 -1",
                           "a b 1 nan", "a b 1 1e7", "a b 1 2 3", "a b 1 x"}) {
    SCOPED_TRACE(line);
    const auto choice = ParseMinimumDelay(Write("a b 1\n" + std::string(line) + "\n"));
    ASSERT_FALSE(choice);
    EXPECT_EQ(choice.error().code, ErrorCode::kMalformed);
    const auto* position = std::get_if<LineColumn>(&choice.error().position);
    ASSERT_NE(position, nullptr);
    EXPECT_EQ(position->line, 2u);
  }
}

}  // namespace
}  // namespace syncline
