#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_set.h"
#include "cli/help/command_model.h"
#include "cli/help/help_text.h"

namespace syncline {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const CommandModel& TheProgram() {
  static const CommandSet kCommands;
  static const CommandModel kModel = Model(kCommands.app());
  return kModel;
}

void AddAll(const CommandModel& command, std::vector<const CommandModel*>& all) {
  all.push_back(&command);
  for (const CommandModel& one : command.commands) AddAll(one, all);
}

std::vector<const CommandModel*> AllOfTheProgram() {
  std::vector<const CommandModel*> all;
  AddAll(TheProgram(), all);
  return all;
}

std::string Wrong(const std::vector<std::string>& words) {
  return UsageError(TheProgram(), words, "the parser's words");
}

TEST(Help, ExamplesNameCommandsAndOptionsThatThereAre) {
  for (const CommandModel* command : AllOfTheProgram()) {
    SCOPED_TRACE(command->name);
    const std::string name = command->name;
    if (name == "syncline help" || name == "syncline completion") continue;
    ASSERT_EQ(command->examples.size(), 3U);
    for (const std::string& example : command->examples) {
      const size_t at = example.find("syncline ");
      ASSERT_NE(at, std::string::npos) << example;
      std::istringstream line(example.substr(at + 9, example.find(" #") - at));
      const std::vector<std::string> words(std::istream_iterator<std::string>(line), {});
      const CommandModel& called = CommandOf(TheProgram(), words).command;
      EXPECT_NE(&called, &TheProgram()) << example;
      for (const std::string& word : words) {
        if (word.size() < 2 || !word.starts_with('-') || word == "->") continue;
        EXPECT_NE(FindOption(called, word), nullptr) << example << ": " << word;
      }
    }
  }
}

TEST(Help, IsShortAndTheWholeHasEveryOption) {
  for (const CommandModel* command : AllOfTheProgram()) {
    SCOPED_TRACE(command->name);
    const std::string in_short = HelpText(*command, false, 100);
    const std::string whole = HelpText(*command, true, 100);
    EXPECT_LE(std::ranges::count(in_short, '\n'), 40);
    for (const OptionModel& option : command->options) {
      EXPECT_THAT(whole, HasSubstr("  " + OptionHead(option)));
      EXPECT_EQ(in_short.find("  " + OptionHead(option)) != std::string::npos, option.rank > 0)
          << OptionHead(option);
    }
    for (const size_t width : {60, 80, 100}) {
      std::istringstream lines(HelpText(*command, false, width));
      for (std::string line; std::getline(lines, line);) {
        const bool is_example = line.find("syncline ") != std::string::npos;
        EXPECT_TRUE(line.size() <= width + 4 || is_example) << line;  // "…" has three bytes
      }
    }
  }
  EXPECT_THAT(HelpText(CommandOf(TheProgram(), {"sync"}).command, false, 100),
              AllOf(StartsWith("Correct the clocks"), HasSubstr("-o,--output DIR"),
                    Not(HasSubstr("--gamma-max"))));
}

TEST(Help, ManualPagesHaveEveryOption) {
  for (const CommandModel* command : AllOfTheProgram()) {
    const std::string page = ManPage(TheProgram(), *command, "1.2.3");
    EXPECT_THAT(page, AllOf(StartsWith(".TH \"SYNCLINE"), HasSubstr(".SH SYNOPSIS\nsyncline")));
    EXPECT_EQ(std::ranges::count(page, '\t'), 0);
  }
  const std::string page =
      ManPage(TheProgram(), CommandOf(TheProgram(), {"sync"}).command, "1.2.3");
  EXPECT_THAT(page, AllOf(HasSubstr("\\fB\\-o, \\-\\-output\\fR \\fIDIR\\fR"),
                          HasSubstr("(default)"), HasSubstr("[200]")));
}

TEST(UsageError, NamesTheCommandThatWasMeant) {
  EXPECT_THAT(Wrong({"synk"}), StartsWith("syncline: no command 'synk'; did you mean 'sync'?\n"));
  EXPECT_THAT(Wrong({"ocmpare", "a"}), HasSubstr("did you mean 'compare'?"));
  EXPECT_THAT(Wrong({"clock", "prob"}), AllOf(HasSubstr("'probe'"), HasSubstr("clock --help")));
  EXPECT_THAT(Wrong({"frobnicate"}),
              AllOf(HasSubstr("There are: sync, check"), Not(HasSubstr("did you mean"))));
  EXPECT_THAT(Wrong({"/dev/null"}), HasSubstr("syncline sync /dev/null ... -o DIR"));
}

TEST(UsageError, NamesTheOptionThatWasMeantWhateverElseIsWrong) {
  EXPECT_THAT(Wrong({"sync", "a", "--outptu", "b"}),
              StartsWith("syncline: sync: no option '--outptu'; did you mean '--output'?\n"));
  EXPECT_THAT(Wrong({"check", "--max-drift=5"}), HasSubstr("'--max-drift-ppm'"));
  EXPECT_THAT(Wrong({"check", "--merge", "x"}), HasSubstr("it is one of syncline sync"));
  EXPECT_THAT(Wrong({"sync", "--", "--outptu"}),
              StartsWith("syncline: sync: the parser's words\nTry 'syncline sync --help'."));
  EXPECT_THAT(Wrong({"sync", "a"}), StartsWith("syncline: sync: the parser's words\n"));
}

TEST(EditDistance, CountsNeighboursThatAreSwappedOnce) {
  EXPECT_EQ(EditDistance("", "abc"), 3U);
  EXPECT_EQ(EditDistance("abc", "abc"), 0U);
  EXPECT_EQ(EditDistance("sync", "snyc"), 1U);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3U);
}

TEST(WrapText, BreaksAtSpacesAndKeepsLineBreaks) {
  EXPECT_THAT(WrapText("one two three", 8), ElementsAre("one two", "three"));
  EXPECT_THAT(WrapText("unbreakable a", 4), ElementsAre("unbreakable", "a"));
  EXPECT_THAT(WrapText("a\nb", 8), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace syncline
