// CTF written to a full disk: an error, and nothing is left.

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class CtfFullDisk : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
#ifdef SYNCLINE_SANITIZED
    GTEST_SKIP() << "the sanitizer speaks as well";
#endif
    const RunResult run =
        Syncline(fmt::format("simulate ring -q --processes 4 --steps 1000 -o {}", At("simulated")));
    ASSERT_EQ(run.exit_code, 0) << run.output;
    fs::create_directories(At("disk"));
  }

  // Runs the program where the folder `disk` has so much room; what it says, then its exit code and
  // what the folder holds.
  RunResult RunOnDisk(const std::string& size, const std::string& arguments) const {
    return Shell(
        fmt::format("unshare -rm sh -c \"mount -t tmpfs -o size={0} tmpfs {1} || exit 99; {2} {3}; "
                    "echo code \\$?; find {1} -mindepth 1\"",
                    size, At("disk"), SYNCLINE_PROGRAM, arguments));
  }
  static void ExpectError(const RunResult& run, const std::string& words) {
    EXPECT_THAT(run.output, StartsWith("syncline: "));
    EXPECT_THAT(run.output, HasSubstr(words));
    EXPECT_THAT(run.output, EndsWith("code 2\n"));  // and nothing is found
  }
  bool CanMount() const { return RunOnDisk("64k", "--version").exit_code != 99; }

  std::string Convert(const std::string& to) const {
    return fmt::format("convert -q {} --to ctf -o {}", At("simulated/trace.txt"), to);
  }
  std::string Sync(const std::string& from, const std::string& to) const {
    return fmt::format(
        "sync -q {} --write events -o {} --match 'send(message) -> receive(message)'", from, to);
  }
};

TEST_F(CtfFullDisk, ConvertSaysSoAndLeavesNothing) {
  if (!CanMount()) GTEST_SKIP() << "no file system of a limited size can be mounted";
  for (const char* size : {"8k", "16k", "40k", "64k", "100k", "200k", "300k"}) {
    SCOPED_TRACE(size);
    const RunResult run = RunOnDisk(size, Convert(At("disk/out")));
    ExpectError(run, "the disk is full");
    EXPECT_THAT(run.output, StartsWith("syncline: " + At("disk/out")));
  }
}

TEST_F(CtfFullDisk, SyncSaysSoAndLeavesNothing) {
  if (!CanMount()) GTEST_SKIP() << "no file system of a limited size can be mounted";
  ASSERT_EQ(Syncline(Convert(At("traces"))).exit_code, 0);
  for (const char* size : {"8k", "16k", "40k", "64k", "100k", "200k", "300k"}) {
    SCOPED_TRACE(size);
    ExpectError(RunOnDisk(size, Sync(At("traces"), At("disk/out"))), "the disk is full");
  }
}

// Where data stays, files are copied to another file system.
TEST_F(CtfFullDisk, CopiesSaySoAndLeaveNothing) {
  if (!CanMount()) GTEST_SKIP() << "no file system of a limited size can be mounted";
  const std::string traces = std::string(SYNCLINE_SOURCE_DIR) + "/src/read/ctf/testdata/rates";
  const std::string sync =
      fmt::format("sync -q {0}/hostA {0}/hostB -o {1} --match 'msg:send(id) -> msg:recv(id)'",
                  traces, At("disk/out"));
  for (const char* size : {"8k", "16k"}) {
    SCOPED_TRACE(size);
    ExpectError(RunOnDisk(size, sync), "cannot write: No space left on device");
  }
}

TEST_F(CtfFullDisk, ALimitOnTheSizesOfFilesIsAnErrorToo) {
  ASSERT_EQ(Syncline(Convert(At("traces"))).exit_code, 0);
  const auto run_limited = [&](const std::string& arguments) {
    return Shell(fmt::format("(ulimit -f 20; {} {}; echo code $?); find {} -mindepth 1",
                             SYNCLINE_PROGRAM, arguments, At("disk")));
  };
  ExpectError(run_limited(Convert(At("disk/out"))), "cannot be written");
  ExpectError(run_limited(Sync(At("traces"), At("disk/out"))), "cannot be written");
}

}  // namespace
}  // namespace syncline
