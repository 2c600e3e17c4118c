#include <chrono>
#include <filesystem>
#include <fstream>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "trace/inputs.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

class InputStatesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("syncline-input-states-" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "trace/index");
    for (const char* name : {"a.pcap", "trace/metadata", "trace/index/0.idx"}) Write(name, "old");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void Write(const char* name, const char* text) { std::ofstream(folder_ / name) << text; }
  // Of which file an error tells once `change` was made.
  template <typename Change>
  std::string ChangedFile(Change change) {
    const std::vector<Input> inputs = {
        {.path = (folder_ / "a.pcap").string(), .format = Format::kCapture},
        {.path = (folder_ / "trace").string(), .format = Format::kCtf}};
    const InputStates states(inputs);
    EXPECT_TRUE(states.CheckUnchanged().has_value());
    change();
    const auto checked = states.CheckUnchanged();
    if (checked) return "";
    EXPECT_EQ(checked.error().code, ErrorCode::kUnreadable);
    return fs::relative(checked.error().file, folder_).string();
  }

  fs::path folder_;
};

TEST_F(InputStatesTest, AFileThatGrows) {
  EXPECT_EQ(ChangedFile([&] { Write("a.pcap", "longer"); }), "a.pcap");
}

TEST_F(InputStatesTest, AFileOfTheSameSize) {
  EXPECT_EQ(ChangedFile([&] {
              Write("trace/metadata", "new");
              fs::last_write_time(folder_ / "trace/metadata",
                                  fs::file_time_type::clock::now() + std::chrono::seconds(5));
            }),
            "trace/metadata");
}

TEST_F(InputStatesTest, AFileThatWasReplaced) {
  EXPECT_EQ(ChangedFile([&] {
              Write("other", "old");
              fs::last_write_time(folder_ / "other", fs::last_write_time(folder_ / "a.pcap"));
              fs::rename(folder_ / "other", folder_ / "a.pcap");
            }),
            "a.pcap");
}

TEST_F(InputStatesTest, AFileThatIsGone) {
  EXPECT_EQ(ChangedFile([&] { fs::remove(folder_ / "trace/index/0.idx"); }), "trace/index/0.idx");
}

TEST_F(InputStatesTest, WhatIsBesideTheInputsDoesNotMatter) {
  EXPECT_EQ(ChangedFile([&] { Write("b.pcap", "new"); }), "");
}

}  // namespace
}  // namespace syncline
