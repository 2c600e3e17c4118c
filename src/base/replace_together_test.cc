#include "base/replace_together.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace syncline {
namespace {

namespace fs = std::filesystem;

class ReplaceTogetherTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / (std::string("replace_together_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string At(const std::string& name) const { return (folder_ / name).string(); }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(At(name)) << text;
  }
  std::string Read(const std::string& name) const {
    return ReadWholeFile(At(name)).value_or("none");
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }
  // A change of NAME to "new", whose bytes are written.
  Replacement Change(const std::string& name, IfExists if_exists = IfExists::kReplace) const {
    Write(name + ".partial-1-0", "new");
    return {At(name + ".partial-1-0"), At(name), if_exists};
  }
  // Two files that stand there, a folder, and one that does not, all to be replaced; and one to be
  // removed.
  std::vector<Replacement> Changes() const {
    Write("a", "old");
    Write("b", "old");
    Write("gone", "old");
    fs::create_directories(At("folder"));
    fs::create_directories(At("folder.partial-1-0/new"));
    Write("folder/in", "old");
    Write("folder.partial-1-0/new/in", "new");
    return {Change("a"),
            {At("folder.partial-1-0/new"), At("folder"), IfExists::kReplace},
            Change("fresh"),
            {At("gone.partial-1-0"), At("gone"), IfExists::kReplace, true},
            Change("b")};
  }
  void ExpectAllNew() const {
    for (const char* name : {"a", "b", "fresh", "folder/in"}) EXPECT_EQ(Read(name), "new") << name;
    EXPECT_THAT(Names(), testing::UnorderedElementsAre("a", "b", "fresh", "folder"));
  }
  void ExpectAllOld() const {
    for (const char* name : {"a", "b", "gone", "folder/in"}) EXPECT_EQ(Read(name), "old") << name;
    EXPECT_FALSE(fs::exists(At("fresh")));
  }
  fs::path folder_;
};

TEST_F(ReplaceTogetherTest, AllBecomeVisibleAndTheOldIsGone) {
  ASSERT_TRUE(ReplaceTogether(Changes()));
  ExpectAllNew();
}

TEST_F(ReplaceTogetherTest, WhatStandsThereStaysWhereItMayNotBeReplaced) {
  std::vector<Replacement> changes = Changes();
  changes.back().if_exists = IfExists::kFail;
  EXPECT_EQ(ReplaceTogether(changes).error().code, ErrorCode::kUsage);
  ExpectAllOld();
}

TEST_F(ReplaceTogetherTest, AFailureTakesBackWhatWasReplaced) {
  std::vector<Replacement> changes = Changes();
  fs::remove(changes.back().temporary);
  EXPECT_EQ(ReplaceTogether(changes).error().code, ErrorCode::kUnreadable);
  ExpectAllOld();
  EXPECT_FALSE(fs::exists(At(kJournalName)));
}

// What a run that is killed leaves in its journal.
std::string JournalOf(std::span<const Replacement> changes, const fs::path& folder) {
  std::string text = "syncline journal 1";
  const auto add = [&](const std::string& word) { (text += '\0') += word; };
  add(std::to_string(changes.size()));
  for (const Replacement& change : changes) {
    add(fs::path(change.temporary).lexically_relative(folder).string());
    add(fs::path(change.place).lexically_relative(folder).string());
    add(change.is_removal ? "0" : std::to_string(IdentityOf(change.temporary)));
    add(std::to_string(IdentityOf(change.place)));
  }
  return text + '\0';
}

// One of its changes, as the run makes it.
void MakeByHand(const Replacement& change) {
  const char* from = change.temporary.c_str();
  const char* to = change.place.c_str();
  if (change.is_removal) {
    ASSERT_EQ(::rename(to, from), 0);
  } else {
    const bool stands = fs::exists(change.place);
    ASSERT_EQ(::renameat2(AT_FDCWD, from, AT_FDCWD, to, stands ? RENAME_EXCHANGE : 0), 0);
  }
}

TEST_F(ReplaceTogetherTest, TheNextRunFinishesWhatWasKilledAtAnyPlace) {
  for (size_t made = 0; made <= 5; ++made) {
    SCOPED_TRACE(made);
    SetUp();
    const std::vector<Replacement> changes = Changes();
    Write(kJournalName, JournalOf(changes, folder_));
    for (size_t i = 0; i < made; ++i) MakeByHand(changes[i]);
    EXPECT_EQ(FinishReplacing(folder_.string()).value_or(0), changes.size());
    ExpectAllNew();
    EXPECT_EQ(FinishReplacing(folder_.string()).value_or(9), 0U);
  }
}

TEST_F(ReplaceTogetherTest, WhatOthersChangedSinceStaysAsItIs) {
  const std::vector<Replacement> changes = Changes();
  Write(kJournalName, JournalOf(changes, folder_));
  MakeByHand(changes[0]);
  fs::remove(At("b"));
  Write("b.other", "of others");
  fs::rename(At("b.other"), At("b"));
  EXPECT_EQ(FinishReplacing(folder_.string()).value_or(9), 0U);
  EXPECT_EQ(Read("b"), "of others");
  EXPECT_FALSE(fs::exists(At(kJournalName)));
}

TEST_F(ReplaceTogetherTest, AJournalCanNameOnlyTemporaryFilesBesideTheirPlaces) {
  fs::create_directories(At("elsewhere"));
  Write("elsewhere/precious", "kept");
  const std::string precious = At("elsewhere/precious");
  for (const Replacement& planted :
       {Replacement{precious, At("a")}, Replacement{At("elsewhere"), At("a")},
        Replacement{At("elsewhere/x.partial-1-0"), At("a")}}) {
    Write(kJournalName, JournalOf(std::array{planted}, folder_));
    EXPECT_EQ(FinishReplacing(folder_.string()).error().code, ErrorCode::kMalformed);
    EXPECT_EQ(Read("elsewhere/precious"), "kept");
  }
}

TEST_F(ReplaceTogetherTest, DamagedJournalsAreErrors) {
  const std::string sound = JournalOf(Changes(), folder_);
  for (const std::string& text :
       {std::string(), std::string("other"), sound.substr(0, sound.size() / 2), sound + "x"}) {
    Write(kJournalName, text);
    EXPECT_EQ(FinishReplacing(folder_.string()).error().code, ErrorCode::kMalformed);
  }
}

}  // namespace
}  // namespace syncline
