#include "base/temporaries.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/output_folder.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

// How a child process ends that does `work`, keeps what it returns, and waits for a signal.
template <typename Work>
int StatusAfter(int signal, const Work& work) {
  int ready[2] = {-1, -1};
  if (::pipe(ready) != 0) return -1;
  const pid_t child = ::fork();
  if (child == 0) {
    RemoveTemporariesOnSignals();
    [[maybe_unused]] const auto kept = work();
    const char done = 1;
    if (::write(ready[1], &done, 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char done = 0;
  const bool is_ready = ::read(ready[0], &done, 1) == 1;
  ::close(ready[0]);
  ::close(ready[1]);
  int status = -1;
  ::kill(child, is_ready ? signal : SIGKILL);
  ::waitpid(child, &status, 0);
  return status;
}

class Temporaries : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("syncline-temporaries-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_F(Temporaries, AreGoneAfterASignalThatEndsTheProgramAsEver) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = StatusAfter(signal, [&] {
      auto folder = OutputFolder::Create(folder_ / "new", IfExists::kFail);
      auto file = OutputFile::Create(folder_ / "file", IfExists::kFail);
      std::ofstream(folder->place() + "/part") << "half";
      return std::pair(std::move(*folder), std::move(*file));
    });
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), signal);
    EXPECT_TRUE(fs::is_empty(folder_)) << "signal " << signal;
  }
}

TEST_F(Temporaries, AreGoneThoughOthersWriteThere) {
  auto folder = OutputFolder::Create(folder_ / "new", IfExists::kFail);
  ASSERT_TRUE(folder);
  const std::string temporary = fs::path(folder->place()).parent_path();
  const pid_t writer = ::fork();
  if (writer == 0) {
    int files = 0;
    while (std::ofstream(folder->place() + "/" + std::to_string(files)) << "half") ++files;
    ::_exit(0);
  }
  while (fs::is_empty(folder->place())) ::sched_yield();
  RemoveTemporary(temporary);
  int status = -1;
  ::waitpid(writer, &status, 0);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(Temporaries, FoldersThatWereMadeForNothingAreGoneAsWell) {
  for (const bool has_output : {false, true}) {
    const int status = StatusAfter(SIGINT, [&] {
      auto made = MadeFolders::Make(folder_ / "a/b/c");
      auto file = OutputFile::Create(folder_ / "a/b/c/file", IfExists::kFail);
      if (has_output) std::ofstream(folder_ / "a/done") << "whole";
      return std::pair(std::move(*made), std::move(*file));
    });
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(fs::exists(folder_ / "a/b"), false);
    EXPECT_EQ(fs::exists(folder_ / "a/done"), has_output);
    EXPECT_EQ(fs::exists(folder_ / "a"), has_output);
  }
}

TEST_F(Temporaries, AFolderGoesWithItsObject) {
  std::string first, second;
  {
    auto made = TemporaryFolder::Beside(folder_ / "x");
    auto other = TemporaryFolder::Private(folder_ / "y-");
    ASSERT_TRUE(made && other);
    first = made->path();
    second = other->path();
    EXPECT_TRUE(fs::is_directory(first) && fs::is_directory(second));
    EXPECT_EQ(fs::status(second).permissions() & (fs::perms::group_all | fs::perms::others_all),
              fs::perms::none);
    TemporaryFolder moved = *std::move(made);
    EXPECT_EQ(made->path(), "");
    moved = *std::move(other);
    EXPECT_EQ(moved.path(), second);
    std::ofstream(second + "/part") << "half";
  }
  EXPECT_TRUE(fs::is_empty(folder_));
  EXPECT_FALSE(TemporaryFolder::Private(folder_ / "none" / "y-"));
}

// Otherwise it would go on writing into what is removed.
TEST_F(Temporaries, AreGoneWithTheProcessThatWritesIntoThem) {
  for (int i = 0; i < 5; ++i) {
    const int status = StatusAfter(SIGTERM, [&] {
      auto folder = OutputFolder::Create(folder_ / "new", IfExists::kFail);
      const pid_t writer = ::fork();
      if (writer == 0) {
        for (int n = 0;; ++n) {
          fs::create_directories(folder->place() + "/" + std::to_string(n));
        }
      }
      NoteWriter(writer);
      return std::move(*folder);
    });
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_TRUE(fs::is_empty(folder_));
  }
}

TEST_F(Temporaries, ThatWereCommittedStay) {
  const int status = StatusAfter(SIGTERM, [&] {
    auto folder = OutputFolder::Create(folder_ / "new", IfExists::kFail);
    auto file = OutputFile::Create(folder_ / "file", IfExists::kFail);
    const HeldTemporaries held = HoldTemporaries();
    return folder->Commit() && file->Commit();
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(fs::is_directory(folder_ / "new"));
  EXPECT_TRUE(fs::is_regular_file(folder_ / "file"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2);
}

TEST_F(Temporaries, ThatWereForgottenAreLeftAlone) {
  const std::string path = folder_ / "kept";
  const int status = StatusAfter(SIGTERM, [&] {
    NoteTemporary(path);
    std::ofstream(path) << "mine";
    ForgetTemporary(path);
    return path;
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(fs::exists(path));
}

}  // namespace
}  // namespace syncline
