#include "write/ctf/trace_output.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>

namespace syncline::ctf_write {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class TraceOutputTest : public testing::Test {
 protected:
  TraceOutputTest() : root_(fs::path(testing::TempDir()) / "trace-output-XXXXXX") {
    std::string name = root_.string();
    root_ = mkdtemp(name.data());
    MakeTrace("in", "recorded");
  }
  ~TraceOutputTest() override { fs::remove_all(root_); }
  std::string At(const std::string& name) const { return (root_ / name).string(); }
  void MakeTrace(const std::string& name, const std::string& text) const {
    fs::create_directories(root_ / name / "index");
    std::ofstream(At(name + "/metadata")) << text;
  }
  std::string MetadataOf(const std::string& name) const {
    std::ifstream file(At(name + "/metadata"));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // The names below the root, to see that nothing temporary is left.
  size_t Entries() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(root_), fs::directory_iterator()));
  }
  static void Fill(const TraceOutput& output) {
    fs::create_directory(output.place());
    std::ofstream(output.place() + "/metadata") << "corrected";
  }

  fs::path root_;
};

TEST_F(TraceOutputTest, AppearsByCommitAlone) {
  {
    auto output = TraceOutput::Create(At("out/ust/64-bit"), At("in"), IfExists::kFail);
    ASSERT_TRUE(output.has_value()) << output.error().ToString();
    Fill(*output);
    EXPECT_FALSE(fs::exists(At("out/ust/64-bit")));
    ASSERT_TRUE(output->Commit().has_value());
  }
  EXPECT_EQ(MetadataOf("out/ust/64-bit"), "corrected");
  EXPECT_EQ(std::distance(fs::directory_iterator(At("out/ust")), fs::directory_iterator()), 1);
}

TEST_F(TraceOutputTest, LeavesNothingWithoutCommit) {
  {
    auto output = TraceOutput::Create(At("out"), At("in"), IfExists::kFail);
    ASSERT_TRUE(output.has_value());
    Fill(*output);
  }
  EXPECT_EQ(Entries(), 1U);
}

TEST_F(TraceOutputTest, ReplacesATraceWhereAsked) {
  MakeTrace("out", "old");
  const auto refused = TraceOutput::Create(At("out"), At("in"), IfExists::kFail);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  EXPECT_THAT(refused.error().message, HasSubstr("already exists"));
  {
    auto output = TraceOutput::Create(At("out"), At("in"), IfExists::kReplace);
    ASSERT_TRUE(output.has_value());
    Fill(*output);
    ASSERT_TRUE(output->Commit().has_value());
  }
  EXPECT_EQ(MetadataOf("out"), "corrected");
  EXPECT_FALSE(fs::exists(At("out/index")));
  EXPECT_EQ(Entries(), 2U);
}

TEST_F(TraceOutputTest, NeverReplacesAnInputOrAnotherFolder) {
  const auto input = TraceOutput::Create(At("in"), At("in"), IfExists::kReplace);
  ASSERT_FALSE(input.has_value());
  EXPECT_THAT(input.error().message, HasSubstr("never overwritten"));

  fs::create_directories(At("photos"));
  std::ofstream(At("photos/tree.jpg")) << "leaves";
  MakeTrace("with-more", "old");
  fs::create_directories(At("with-more/other"));
  for (const std::string folder : {"photos", "with-more"}) {
    const auto output = TraceOutput::Create(At(folder), At("in"), IfExists::kReplace);
    ASSERT_FALSE(output.has_value());
    EXPECT_EQ(output.error().code, ErrorCode::kUsage);
    EXPECT_THAT(output.error().message, HasSubstr("no CTF trace"));
  }
}

TEST_F(TraceOutputTest, SaysWhyAFolderCannotBeMade) {
  std::ofstream(At("file")) << "text";
  const auto output = TraceOutput::Create(At("file/out"), At("in"), IfExists::kFail);
  ASSERT_FALSE(output.has_value());
  EXPECT_EQ(output.error().code, ErrorCode::kUnreadable);
}

}  // namespace
}  // namespace syncline::ctf_write
