// The manual pages and completions, by the programs they are for.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Completion : public CommandTest {
 protected:
  // What is offered for the last of `words`; `run` makes the shell complete "$@".
  void Expect(const std::string& words, const testing::Matcher<std::string>& offered) {
    const RunResult result = Shell(run_ + " " + words);
    EXPECT_EQ(result.exit_code, 0) << result.output;
    EXPECT_THAT(result.output, offered) << words;
  }
  void ExpectAll() {
    Expect("syncline sy", AllOf(HasSubstr("sync"), Not(HasSubstr("--"))));
    Expect("syncline sync --max-su", HasSubstr("--max-suspects"));
    Expect("syncline sync --group tree-h", HasSubstr("tree-hops"));
    Expect("syncline sync a.pcap --write m", AllOf(HasSubstr("metadata"), Not(HasSubstr("tree"))));
    Expect("syncline clock prob", HasSubstr("probe"));
    Expect("syncline clock probe --dur", HasSubstr("--duration"));
    Expect("syncline simulate cli", HasSubstr("client-server"));
  }
  // Writes `script` behind the completions of `shell`; a file to run.
  void Prepare(const std::string& shell, const std::string& script) {
    const RunResult made = Syncline("completion " + shell);
    ASSERT_EQ(made.exit_code, 0);
    WriteBytes(At("script"), made.output + script);
    run_ = shell + " '" + At("script") + "'";
  }
  std::string run_;
};

TEST_F(Completion, OfBash) {
  Prepare("bash",
          "COMP_WORDS=(\"$@\"); COMP_CWORD=$(($#-1)); _syncline; echo \"${COMPREPLY[@]}\"\n");
  ExpectAll();
}

TEST_F(Completion, OfZsh) {
  if (!HasTool("zsh")) GTEST_SKIP() << "zsh is not installed";
  const RunResult made = Syncline("completion zsh");
  WriteBytes(At("_syncline"), made.output);
  // In place of the completion system, which needs a terminal.
  WriteBytes(
      At("script"),
      "compdef() { }; _files() { }; compadd() { print -r -- \"${(@M)@:#$words[CURRENT]*}\" }\n"
      "source '" +
          At("_syncline") + "'\nwords=(\"$@\"); CURRENT=$#; _syncline\n");
  run_ = "zsh -f '" + At("script") + "'";
  ExpectAll();
}

TEST_F(Completion, OfFish) {
  if (!HasTool("fish")) GTEST_SKIP() << "fish is not installed";
  Prepare("fish", "complete -C \"$argv\"\n");
  run_ = "HOME='" + At("") + "' " + run_;
  ExpectAll();
}

TEST_F(Completion, OfOtherShellsIsRefused) {
  const RunResult result = Syncline("completion tcsh");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr("bash,zsh,fish"));
}

TEST_F(Completion, ManualPagesAreReadWithoutAWarning) {
  if (!HasTool("groff")) GTEST_SKIP() << "groff is not installed";
  for (const char* command : {"", "sync", "concurrency", "simulate", "clock probe"}) {
    const RunResult page =
        Shell(std::string(SYNCLINE_PROGRAM " help --man ") + command + " | groff -man -Tutf8 -ww");
    EXPECT_EQ(page.exit_code, 0);
    EXPECT_THAT(page.output, AllOf(HasSubstr("SYNCLINE"), Not(HasSubstr("warning"))));
  }
}

}  // namespace
}  // namespace syncline
