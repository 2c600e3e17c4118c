#include "write/otf2/archive_output.h"

#include <filesystem>
#include <fstream>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "write/otf2/testing/test_archive.h"

namespace syncline::otf2_write {
namespace {

namespace fs = std::filesystem;
using otf2_test::TestFolder;

void WriteFile(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

void WriteParts(const std::string& folder, std::string_view text) {
  fs::create_directories(folder + "/a");
  for (const char* file : {"/a.otf2", "/a.def", "/a/1.evt"}) WriteFile(folder + file, text);
}

TEST(ArchiveOutput, KnowsTheFilesOfAnArchive) {
  for (const char* part : {"a", "a.otf2", "a.def", "a.marker", "a.0.thumb", "a.12.thumb"}) {
    EXPECT_TRUE(IsPartOf("a", part)) << part;
  }
  for (const char* other :
       {"", "b", "ab", "a.json", "a.", "a..thumb", "a.x.thumb", "a.thumb", "ab.def"}) {
    EXPECT_FALSE(IsPartOf("a", other)) << other;
  }
}

TEST(ArchiveOutput, KnowsTheFilesOfAnArchivesFolder) {
  for (const char* part : {"0.evt", "12.def", "3.snap"}) EXPECT_TRUE(IsPartOfFolder(part)) << part;
  for (const char* other : {"", "0", ".evt", "x.evt", "0.txt", "0.evt.bak", "notes.txt"}) {
    EXPECT_FALSE(IsPartOfFolder(other)) << other;
  }
}

TEST(ArchiveOutput, LeavesNothingBehindWithoutCommit) {
  const TestFolder folder;
  {
    auto output = ArchiveOutput::Create(folder / "a.otf2", folder / "in.otf2", IfExists::kFail);
    ASSERT_TRUE(output) << output.error().ToString();
    WriteParts(output->place(), "new");
    EXPECT_FALSE(fs::exists(folder / "a.otf2"));
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

// Its temporary folder can be made, but nothing in that.
TEST(ArchiveOutput, LeavesNothingBehindWhereItCannotBeMade) {
  constexpr size_t kLongestPath = 4095;
  const TestFolder folder;
  const std::string anchor = "/a.otf2";
  const std::string temporary = anchor + ".partial-" + std::to_string(::getpid()) + "-0";
  std::string deep = folder.path();
  for (size_t left = kLongestPath - temporary.size() - deep.size(); left > 0;) {
    const size_t more = left > 250 ? 200 : left;
    deep += "/" + std::string(more - 1, 'd');
    left -= more;
  }
  fs::create_directories(deep);
  const auto output = ArchiveOutput::Create(deep + anchor, folder / "in.otf2", IfExists::kFail);
  ASSERT_FALSE(output);
  EXPECT_THAT(output.error().message, testing::HasSubstr("File name too long"));
  EXPECT_TRUE(fs::is_empty(deep));
}

TEST(ArchiveOutput, NeverReplacesWhatIsNotOfAnArchive) {
  for (const char* foreign : {"a/notes.txt", "a/1.txt", "a/x.evt", "a/pictures/1.evt"}) {
    SCOPED_TRACE(foreign);
    const TestFolder folder;
    WriteParts(folder.path(), "old");
    fs::create_directories(fs::path(folder / foreign).parent_path());
    WriteFile(folder / foreign, "mine");
    const auto output =
        ArchiveOutput::Create(folder / "a.otf2", folder / "in.otf2", IfExists::kReplace);
    ASSERT_FALSE(output.has_value());
    EXPECT_EQ(output.error().code, ErrorCode::kUsage);
    EXPECT_EQ(ReadWholeFile(folder / foreign).value(), "mine");
    EXPECT_EQ(ReadWholeFile(folder / "a.otf2").value(), "old");
  }
}

TEST(ArchiveOutput, NeverReplacesWhatCameMeanwhile) {
  const TestFolder folder;
  auto output = ArchiveOutput::Create(folder / "a.otf2", folder / "in.otf2", IfExists::kReplace);
  ASSERT_TRUE(output) << output.error().ToString();
  WriteParts(output->place(), "new");
  fs::create_directory(folder / "a");
  WriteFile(folder / "a/notes.txt", "mine");
  EXPECT_FALSE(output->Commit());
  EXPECT_EQ(ReadWholeFile(folder / "a/notes.txt").value(), "mine");
  EXPECT_FALSE(fs::exists(folder / "a.otf2"));
}

TEST(ArchiveOutput, NeverReplacesAFileOrALinkForAFolder) {
  const TestFolder folder;
  WriteFile(folder / "a", "mine");
  EXPECT_FALSE(ArchiveOutput::Create(folder / "a.otf2", folder / "in.otf2", IfExists::kReplace));
  fs::remove(folder / "a");
  fs::create_directory(folder / "elsewhere");
  fs::create_directory_symlink(folder / "elsewhere", folder / "a");
  EXPECT_FALSE(ArchiveOutput::Create(folder / "a.otf2", folder / "in.otf2", IfExists::kReplace));
}

TEST(ArchiveOutput, ReplacesEveryPartOfAnOldArchiveAndNothingElse) {
  const TestFolder folder;
  WriteParts(folder.path(), "old");
  WriteFile(folder / "a.marker", "old");
  WriteFile(folder / "a/2.evt", "old");
  WriteFile(folder / "a.json", "mine");
  auto output = ArchiveOutput::Create(folder / "a.otf2", folder / "in.otf2", IfExists::kReplace);
  ASSERT_TRUE(output) << output.error().ToString();
  WriteParts(output->place(), "new");
  ASSERT_TRUE(output->Commit());
  for (const char* file : {"a.otf2", "a.def", "a/1.evt"}) {
    EXPECT_EQ(ReadWholeFile(folder / file).value(), "new") << file;
  }
  EXPECT_FALSE(fs::exists(folder / "a.marker"));
  EXPECT_FALSE(fs::exists(folder / "a/2.evt"));
  EXPECT_EQ(ReadWholeFile(folder / "a.json").value(), "mine");
}

TEST(ArchiveOutput, DoesNotReplaceAnArchiveThatAppearedMeanwhile) {
  const TestFolder folder;
  auto output = ArchiveOutput::Create(folder / "a.otf2", folder / "in.otf2", IfExists::kFail);
  ASSERT_TRUE(output);
  WriteParts(output->place(), "new");
  WriteFile(folder / "a.def", "theirs");
  const auto committed = output->Commit();
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().ToString(), folder / "a.def: already exists (--force replaces it)");
  EXPECT_EQ(ReadWholeFile(folder / "a.def").value(), "theirs");
  EXPECT_FALSE(fs::exists(folder / "a.otf2"));
}

}  // namespace
}  // namespace syncline::otf2_write
