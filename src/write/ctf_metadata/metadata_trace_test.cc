#include "write/ctf_metadata/metadata_trace.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "base/file.h"
#include "write/ctf_metadata/testing/test_metadata.h"

namespace syncline::ctf_metadata {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMetadata = "/* CTF 1.8 */\nclock { name = c; freq = 5; };\n";

class MetadataTraceTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / (std::string("metadata_trace_test_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "in" / "index");
    Write("in/metadata", PacketOf({kMetadata}));
    Write("in/ch_0", "events");
    Write("in/index/ch_0.idx", "index");
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string At(const std::string& name) const { return (folder_ / name).string(); }
  void Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(At(name), std::ios::binary) << bytes;
  }
  fs::path folder_;
};

TEST_F(MetadataTraceTest, DataIsLinkedAndMetadataChanged) {
  const NamedSetting setting = {"c", {.freq = 6, .offset_s = 0, .offset = 1}};
  for (const char* input : {"in", "in/"}) {
    {
      auto written = WriteMetadataTrace(At(input), At("out"), IfExists::kReplace, {&setting, 1});
      ASSERT_TRUE(written) << written.error().ToString();
      ASSERT_TRUE(written->Commit());
    }
    EXPECT_EQ(ReadWholeFile(At("out/metadata")).value(),
              "/* CTF 1.8 */\nclock {\n\toffset = 1; name = c; freq = 6; };\n");
    EXPECT_TRUE(fs::equivalent(At("in/ch_0"), At("out/ch_0")));
    EXPECT_TRUE(fs::equivalent(At("in/index/ch_0.idx"), At("out/index/ch_0.idx")));
    EXPECT_EQ(ReadWholeFile(At("in/metadata")).value(), PacketOf({kMetadata}));
  }
}

TEST_F(MetadataTraceTest, NamesThatLeadNowhereAreLeftOut) {
  fs::create_symlink("gone", folder_ / "in" / "dangling");
  auto written = WriteMetadataTrace(At("in"), At("deep/out"), IfExists::kFail, {});
  ASSERT_TRUE(written) << written.error().ToString();
  EXPECT_FALSE(fs::exists(At("deep/out")));
  ASSERT_TRUE(written->Commit());
  EXPECT_FALSE(fs::exists(fs::symlink_status(At("deep/out/dangling"))));
  EXPECT_EQ(ReadWholeFile(At("deep/out/metadata")).value(), kMetadata);
}

TEST_F(MetadataTraceTest, FilesOfOthersAreLeftOut) {
  fs::create_directories(folder_ / "in" / "notes");
  for (const char* file : {".hidden", "notes/1", "index/list.txt"}) {
    Write(std::string("in/") + file, "mine");
  }
  auto written = WriteMetadataTrace(At("in"), At("out"), IfExists::kFail, {});
  ASSERT_TRUE(written && written->Commit());
  for (const char* other : {"out/.hidden", "out/notes", "out/index/list.txt"}) {
    EXPECT_FALSE(fs::exists(At(other))) << other;
  }
  EXPECT_TRUE(fs::exists(At("out/index/ch_0.idx")));
}

TEST_F(MetadataTraceTest, OnlyTracesAreReplaced) {
  fs::create_directories(folder_ / "out");
  Write("out/letter", "dear");
  const auto written = WriteMetadataTrace(At("in"), At("out"), IfExists::kReplace, {});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kUsage);
  Write("out/metadata", "old");
  EXPECT_TRUE(WriteMetadataTrace(At("in"), At("out"), IfExists::kReplace, {}));
  EXPECT_EQ(WriteMetadataTrace(At("in"), At("out"), IfExists::kFail, {}).error().code,
            ErrorCode::kUsage);
  EXPECT_EQ(ReadWholeFile(At("out/letter")).value(), "dear");
}

TEST_F(MetadataTraceTest, UnknownClockIsAnError) {
  const NamedSetting setting = {"d", {}};
  const auto done = WriteMetadataTrace(At("in"), At("out"), IfExists::kFail, {&setting, 1});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(done.error().file, At("in/metadata"));
  EXPECT_FALSE(fs::exists(At("out")));
}

TEST_F(MetadataTraceTest, MissingTraceIsAnError) {
  EXPECT_EQ(WriteMetadataTrace(At("none"), At("out"), IfExists::kFail, {}).error().code,
            ErrorCode::kUnreadable);
}

}  // namespace
}  // namespace syncline::ctf_metadata
