// What the system does not give, or takes away: streams, memory, threads, room in files, the
// process.
#include <csignal>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

class SystemLimits : public CommandTest {};

// What is printed goes nowhere, and not into a file that got the number of a closed descriptor.
TEST_F(SystemLimits, ClosedStandardStreams) {
  const std::string program = SYNCLINE_PROGRAM;
  const std::string simulate = program + " simulate ring --processes 4 --steps 50 -o ";
  ASSERT_EQ(Shell(simulate + At("open")).exit_code, 0);
  EXPECT_EQ(Shell(simulate + At("closed") + " >&-").exit_code, 0);
  EXPECT_EQ(Shell(simulate + At("all") + " <&- >&- 2>&-").exit_code, 0);
  for (const auto& entry : fs::directory_iterator(At("open"))) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".json")) continue;  // it holds the command line
    EXPECT_EQ(ReadBytes(At("open/" + name)), ReadBytes(At("closed/" + name))) << name;
    EXPECT_EQ(ReadBytes(At("open/" + name)), ReadBytes(At("all/" + name))) << name;
  }
}

TEST_F(SystemLimits, AResultThatClosedStandardOutputCannotTakeIsAnError) {
  WriteBytes(At("two.txt"),
             "clock a 1000000000\nclock b 1000000000\nprocess p a\nprocess q b\n"
             "0 p send q 1\n50 q recv p 1\n60 q send p 2\n110 p recv q 2\n");
  for (const char* how : {"convert --recorded --to csv -o - ", "filter ", "check --json - "}) {
    const RunResult run = Syncline(how + At("two.txt") + " -q >&-");
    EXPECT_EQ(run.exit_code, 2) << how << "\n" << run.output;
    EXPECT_THAT(run.output, HasSubstr("standard output: cannot write: Bad file descriptor")) << how;
  }
}

#ifndef SYNCLINE_SANITIZED
// Whichever thread it is that runs out of it, or cannot be started.
TEST_F(SystemLimits, LittleMemory) {
  const std::string pair = Sample("a.pcap") + " " + Sample("b.pcap");
  for (const int kib : {20'000, 26'000, 30'000, 32'000, 34'000, 36'000, 40'000}) {
    SCOPED_TRACE(kib);
    const RunResult run = Shell(
        fmt::format("ulimit -d {}; {} check {} --quiet", kib, std::string(SYNCLINE_PROGRAM), pair));
    EXPECT_EQ(run.exit_code, 2) << run.output;
    EXPECT_THAT(run.output, AnyOf(HasSubstr("syncline: no memory is left"),
                                  HasSubstr("syncline: no thread can be started")));
  }
}
#endif

TEST_F(SystemLimits, FilesThatMayNotGrow) {
  const std::string pair = Sample("a.pcap") + " " + Sample("b.pcap");
  const RunResult run = Shell("ulimit -f 8; " + std::string(SYNCLINE_PROGRAM) + " sync " + pair +
                              " --quiet -o " + At("out"));
  EXPECT_EQ(run.exit_code, 2) << run.output;
  EXPECT_THAT(run.output, HasSubstr("File too large"));
  EXPECT_FALSE(fs::exists(At("out")));
}

// Of archives the library says no error for events that it cannot write.
TEST_F(SystemLimits, ArchivesThatMayNotGrow) {
  const std::string trace = At("made/trace.txt");
  const RunResult made =
      Syncline("simulate random --processes 2 --steps 60000 -q -f -o " + At("made"));
  ASSERT_EQ(made.exit_code, 0) << made.output;
  const std::string limited = "ulimit -f 2000; " + std::string(SYNCLINE_PROGRAM) + " ";
  for (const std::string& command :
       {"convert " + trace + " --to otf2 -o " + At("out"),
        "simulate random --processes 2 --steps 60000 --format otf2 -q -o " + At("out")}) {
    SCOPED_TRACE(command);
    const RunResult run = Shell(limited + command);
    EXPECT_EQ(run.exit_code, 2) << run.output;
    EXPECT_THAT(run.output, HasSubstr("cannot write the archive: "));
    EXPECT_FALSE(fs::exists(At("out")));
  }
}

TEST_F(SystemLimits, FullStandardOutput) {
  if (!fs::is_character_file("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  const std::string pair = Sample("a.pcap") + " " + Sample("b.pcap");
  for (const std::string& command :
       {std::string("--help"), std::string("sync --help-all"), std::string("--version"),
        std::string("help --man"), std::string("completion bash"),
        std::string("simulate ring -f -o ") + At("sim"), "check " + pair,
        "check " + pair + " --json - --quiet", "convert " + pair + " --to csv -o -"}) {
    const RunResult run = Syncline(command + " 2>&1 >/dev/full");
    EXPECT_EQ(run.exit_code, 2) << command;
    EXPECT_THAT(run.output, HasSubstr("standard output: ")) << command;
  }
  EXPECT_THAT(Syncline("check " + pair + " 2>&1 >/dev/full").output,
              HasSubstr("cannot write the report: No space left on device"));
}

// Whatever a command has come to when Ctrl-C ends it: all of its outputs, or none.
TEST_F(SystemLimits, EndedByASignalNothingHalfIsLeft) {
  ASSERT_EQ(Syncline("simulate random -q --processes 6 --steps 4000 -o " + At("in")).exit_code, 0);
  const std::string trace = At("in/trace.txt");
  ASSERT_EQ(Syncline("check -q " + trace + " --json " + At("summary")).exit_code, 0);
  fs::create_directory(At("outputs"));
  for (const std::string& command :
       {"sync " + trace + " -o out --report page.html", "check " + trace + " --json figures.json",
        "convert " + trace + " --to chrome -o out.json", "filter " + trace + " out.txt",
        "compare " + trace + " --plots plots", "concurrency " + trace + " --csv out.csv",
        "report " + At("summary") + " -o page.html",
        std::string("simulate ring --steps 20000 -o out")}) {
    for (const char* seconds : {"0.01", "0.03", "0.06", "0.1", "0.2"}) {
      const RunResult run =
          Shell("cd " + At("outputs") + " && timeout --signal=INT --preserve-status " + seconds +
                " " + SYNCLINE_PROGRAM + " " + command);
      EXPECT_THAT(run.exit_code, AnyOf(0, 3, 128 + SIGINT)) << command << run.output;
      for (const auto& entry : fs::recursive_directory_iterator(At("outputs"))) {
        EXPECT_THAT(entry.path().string(), Not(HasSubstr(".partial-"))) << command;
        EXPECT_FALSE(entry.is_directory() && fs::is_empty(entry.path())) << command;
      }
      for (const auto& entry : fs::directory_iterator(At("outputs"))) fs::remove_all(entry);
    }
  }
}

}  // namespace
}  // namespace syncline
