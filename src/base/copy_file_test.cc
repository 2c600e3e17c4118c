#include "base/copy_file.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/file.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

class CopyFileTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / (std::string("copy_file_test_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(folder_ / "from") << "bytes";
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string Path(const char* name) const { return (folder_ / name).string(); }
  fs::path folder_;
};

TEST_F(CopyFileTest, CopyIsAFileOfItsOwn) {
  ASSERT_TRUE(CopyFile(Path("from"), Path("to")));
  EXPECT_EQ(ReadWholeFile(Path("to")).value(), "bytes");
  EXPECT_FALSE(fs::equivalent(Path("from"), Path("to")));
}

TEST_F(CopyFileTest, LinkSharesTheBytes) {
  ASSERT_TRUE(LinkOrCopy(Path("from"), Path("to")));
  EXPECT_TRUE(fs::equivalent(Path("from"), Path("to")));
}

TEST_F(CopyFileTest, OnAnotherFileSystemTheLinkBecomesACopy) {
  std::string elsewhere = "/dev/shm/syncline-copy-file-XXXXXX";
  if (::mkdtemp(elsewhere.data()) == nullptr) GTEST_SKIP() << "no /dev/shm";
  const auto copied = LinkOrCopy(Path("from"), elsewhere + "/to");
  const std::string bytes = ReadWholeFile(elsewhere + "/to").value_or("");
  fs::remove_all(elsewhere);
  ASSERT_TRUE(copied);
  EXPECT_EQ(bytes, "bytes");
}

TEST_F(CopyFileTest, LinkOfASymbolicLinkLeadsToTheFileItself) {
  fs::create_symlink("from", folder_ / "name");
  ASSERT_TRUE(LinkOrCopy(Path("name"), Path("to")));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(Path("to"))));
  EXPECT_EQ(ReadWholeFile(Path("to")).value(), "bytes");
}

TEST_F(CopyFileTest, WhatCannotBeWrittenIsSaidAsTheSystemSaysIt) {
  struct rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit limit = before;
  limit.rlim_cur = 3;
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const auto copied = CopyFile(Path("from"), Path("to"));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().ToString(), Path("to") + ": cannot write: File too large");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(CopyFileTest, MissingFileAndTakenNameAreErrors) {
  EXPECT_EQ(CopyFile(Path("none"), Path("to")).error().code, ErrorCode::kUnreadable);
  EXPECT_EQ(LinkOrCopy(Path("none"), Path("to")).error().code, ErrorCode::kUnreadable);
  std::ofstream(folder_ / "to") << "other";
  EXPECT_FALSE(CopyFile(Path("from"), Path("to")));
  EXPECT_FALSE(LinkOrCopy(Path("from"), Path("to")));
  EXPECT_EQ(ReadWholeFile(Path("to")).value(), "other");
}

}  // namespace
}  // namespace syncline
