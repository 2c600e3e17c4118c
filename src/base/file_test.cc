#include "base/file.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

namespace syncline {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / (std::string("file_test_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string At(const std::string& name) const { return (folder_ / name).string(); }
  size_t FilesInFolder() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }
  fs::path folder_;
};

TEST(ReadWholeFile, RefusesWhatIsTooLarge) {
  const std::string path = testing::TempDir() + "/too_large";
  std::ofstream(path) << "{";
  fs::resize_file(path, uint64_t{8} << 30);  // of nothing, which takes no room
  const auto read = ReadWholeFile(path);
  fs::remove(path);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, ErrorCode::kMalformed);
  EXPECT_EQ(read.error().message, "is larger than 256 MiB, and not read");
}

TEST_F(FileTest, AnOutputAppearsOnlyWhenCommitted) {
  {
    auto file = OutputFile::Create(At("x"), IfExists::kFail);
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->Write("half"));
    EXPECT_FALSE(fs::exists(At("x")));
  }
  EXPECT_EQ(FilesInFolder(), 0U);  // neither the file nor its temporary name
  auto file = OutputFile::Create(At("x"), IfExists::kFail);
  ASSERT_TRUE(file->Write("whole"));
  ASSERT_TRUE(file->Commit());
  EXPECT_EQ(*ReadWholeFile(At("x")), "whole");
  EXPECT_EQ(FilesInFolder(), 1U);
}

TEST_F(FileTest, AnExistingFileStaysUnlessItIsToBeReplaced) {
  std::ofstream(At("x")) << "old";
  EXPECT_EQ(OutputFile::Create(At("x"), IfExists::kFail).error().code, ErrorCode::kUsage);
  auto file = OutputFile::Create(At("x"), IfExists::kReplace);
  ASSERT_TRUE(file->Write("new"));
  EXPECT_EQ(*ReadWholeFile(At("x")), "old");
  ASSERT_TRUE(file->Commit());
  EXPECT_EQ(*ReadWholeFile(At("x")), "new");
}

TEST_F(FileTest, AFileMadeMeanwhileIsNotReplaced) {
  auto file = OutputFile::Create(At("x"), IfExists::kFail);
  ASSERT_TRUE(file->Write("ours"));
  std::ofstream(At("x")) << "theirs";
  EXPECT_FALSE(file->Commit());
  EXPECT_EQ(*ReadWholeFile(At("x")), "theirs");
}

TEST_F(FileTest, ErrorsNameTheFile) {
  const auto missing = InputFile::Open(At("missing"));
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().ToString(), testing::HasSubstr(At("missing") + ": cannot open"));
  EXPECT_FALSE(InputFile::Open(folder_.string()));
  EXPECT_FALSE(OutputFile::Create(At("no/such/folder/x"), IfExists::kReplace));
}

TEST_F(FileTest, TemporaryStorageGivesBackWhatWasAppended) {
  auto storage = TempFile::Create();
  ASSERT_TRUE(storage);
  const std::string text = "0123456789";
  ASSERT_TRUE(storage->Append(std::as_bytes(std::span(text))));
  ASSERT_TRUE(storage->Append(std::as_bytes(std::span(text))));
  EXPECT_EQ(storage->size(), 20U);
  std::string part(5, ' ');
  ASSERT_TRUE(storage->ReadAt(8, std::as_writable_bytes(std::span(part))));
  EXPECT_EQ(part, "89012");
  EXPECT_FALSE(storage->ReadAt(16, std::as_writable_bytes(std::span(part))));
}

TEST(Error, SaysWhere) {
  EXPECT_EQ((Error{ErrorCode::kMalformed, "bad", "f", LineColumn{3, 7}}.ToString()), "f:3:7: bad");
  EXPECT_EQ((Error{ErrorCode::kMalformed, "bad", "f", ByteOffset{9}}.ToString()), "f: byte 9: bad");
  EXPECT_EQ((Error{ErrorCode::kUsage, "bad"}.ToString()), "bad");
}

}  // namespace
}  // namespace syncline
