#include "read/ctf/trace_folder.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace syncline {
namespace {

namespace fs = std::filesystem;

MetadataKind KindOf(std::string_view text) {
  return MetadataKindOf(std::as_bytes(std::span(text)));
}

// A header of a metadata packet, then `content`.
std::string Packet(bool is_little_endian, std::string_view content) {
  std::string header = is_little_endian ? "\x57\x1D\xD1\x75" : "\x75\xD1\x1D\x57";
  header.resize(37, '\0');
  return header.append(content);
}

TEST(MetadataKind, ToldByTheFirstBytes) {
  EXPECT_EQ(KindOf("/* CTF 1.8 */\n"), MetadataKind::kPlainText);
  EXPECT_EQ(KindOf("typealias integer { size = 8; } := byte;"), MetadataKind::kPlainText);
  EXPECT_EQ(KindOf("trace\n{ major = 1;"), MetadataKind::kPlainText);
  EXPECT_EQ(KindOf(Packet(true, "/* CTF 1.8 */")), MetadataKind::kPackets);
  EXPECT_EQ(KindOf(Packet(false, "trace {")), MetadataKind::kPackets);
  EXPECT_EQ(KindOf("\x1E{\"type\": \"preamble\"}"), MetadataKind::kCtf2);
  EXPECT_EQ(KindOf(Packet(true, "\x1E{\"type\": \"preamble\"}")), MetadataKind::kCtf2);
  EXPECT_EQ(KindOf("a note about the trace"), MetadataKind::kNone);
  EXPECT_EQ(KindOf(""), MetadataKind::kNone);
}

class TraceFolderTest : public ::testing::Test {
 protected:
  TraceFolderTest()
      : root_(fs::path(::testing::TempDir()) /
              fmt::format("syncline-trace-folder-{}", ::getpid())) {
    fs::remove_all(root_);
  }
  ~TraceFolderTest() override { fs::remove_all(root_); }
  std::string AddTrace(const std::string& below, std::string_view metadata = "/* CTF 1.8 */") {
    const fs::path folder = root_ / below;
    fs::create_directories(folder);
    std::ofstream(folder / "metadata") << metadata;
    return folder.string();
  }
  fs::path root_;
};

TEST_F(TraceFolderTest, FindsTracesAtAnyDepthInOrder) {
  const std::string kernel = AddTrace("b/kernel");
  const std::string user = AddTrace("b/ust/uid/0/64-bit");
  const std::string other = AddTrace("a");
  AddTrace("notes", "no trace here");
  fs::create_directories(root_ / "empty");
  const auto found = FindCtfTraces(root_.string());
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (std::vector{other, kernel, user}));
}

TEST_F(TraceFolderTest, FindsTheFolderItselfAndNothingBelowIt) {
  const std::string trace = AddTrace("t");
  AddTrace("t/index");
  const auto found = FindCtfTraces(trace);
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, std::vector{trace});
}

TEST_F(TraceFolderTest, FoldersThatLeadBackAreNotFollowed) {
  const std::string trace = AddTrace("a/t");
  fs::create_directory_symlink(root_, root_ / "a" / "loop");
  const auto found = FindCtfTraces(root_.string());
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, std::vector{trace});
}

TEST_F(TraceFolderTest, MissingFolderIsUnreadable) {
  const auto found = FindCtfTraces((root_ / "missing").string());
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kUnreadable);
}

TEST(HostOfTrace, GivenNameThenEnvironmentThenFolder) {
  EXPECT_EQ(HostOfTrace("web", "host1", "/t/a/kernel"), "web");
  EXPECT_EQ(HostOfTrace("", "host1", "/t/a/kernel"), "host1");
  EXPECT_EQ(HostOfTrace("", "", "/t/a/kernel"), "a");
  EXPECT_EQ(HostOfTrace("", "", "/t/b/ust/uid/1000/64-bit"), "b");
  EXPECT_EQ(HostOfTrace("", "", "/t/b/"), "b");
  EXPECT_EQ(HostOfTrace("", "", "/kernel"), "kernel");
}

}  // namespace
}  // namespace syncline
