#include "base/output_folder.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace syncline {
namespace {

namespace fs = std::filesystem;

class OutputFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / (std::string("output_folder_test_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string At(const std::string& name) const { return (folder_ / name).string(); }
  static void Write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
  }
  static std::string Read(const std::string& path) { return ReadWholeFile(path).value_or("none"); }
  size_t Entries() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }
  fs::path folder_;
};

TEST_F(OutputFolderTest, AppearsOnlyWhenCommitted) {
  {
    auto folder = OutputFolder::Create(At("x"), IfExists::kFail);
    ASSERT_TRUE(folder);
    Write(folder->place() + "/file", "half");
    EXPECT_FALSE(fs::exists(At("x")));
  }
  EXPECT_EQ(Entries(), 0U);  // neither the folder nor its temporary name
  auto folder = OutputFolder::Create(At("x/"), IfExists::kFail);
  ASSERT_TRUE(folder);
  Write(folder->place() + "/file", "whole");
  ASSERT_TRUE(folder->Commit());
  EXPECT_EQ(Read(At("x/file")), "whole");
  EXPECT_EQ(Entries(), 1U);
}

TEST_F(OutputFolderTest, WhatStoodThereStaysUnlessItIsToBeReplaced) {
  fs::create_directories(At("x"));
  Write(At("x/old"), "old");
  EXPECT_EQ(OutputFolder::Create(At("x"), IfExists::kFail).error().code, ErrorCode::kUsage);
  auto folder = OutputFolder::Create(At("x"), IfExists::kReplace);
  ASSERT_TRUE(folder);
  Write(folder->place() + "/new", "new");
  EXPECT_EQ(Read(At("x/old")), "old");
  ASSERT_TRUE(folder->Commit());
  EXPECT_EQ(Read(At("x/new")), "new");
  EXPECT_FALSE(fs::exists(At("x/old")));
  EXPECT_EQ(Entries(), 1U);
}

TEST_F(OutputFolderTest, WhatAppearedMeanwhileIsNotReplaced) {
  auto folder = OutputFolder::Create(At("x"), IfExists::kFail);
  ASSERT_TRUE(folder);
  fs::create_directories(At("x"));
  EXPECT_EQ(folder->Commit().error().code, ErrorCode::kUsage);
}

TEST_F(OutputFolderTest, FoldersAboveAreMadeAndDisappearWithoutIt) {
  {
    const auto folder = OutputFolder::Create(At("a/b/x"), IfExists::kFail);
    ASSERT_TRUE(folder);
    EXPECT_TRUE(fs::exists(At("a/b")));
  }
  EXPECT_EQ(Entries(), 0U);
  auto folder = OutputFolder::Create(At("a/b/x"), IfExists::kFail);
  ASSERT_TRUE(folder->Commit());
  EXPECT_TRUE(fs::exists(At("a/b/x")));
  Write(At("file"), "");
  EXPECT_EQ(OutputFolder::Create(At("file/x"), IfExists::kFail).error().code,
            ErrorCode::kUnreadable);
}

}  // namespace
}  // namespace syncline
