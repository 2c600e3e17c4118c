#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "read/otf2/archive.h"
#include "read/otf2/testing/archive_builder.h"
#include "read/otf2/testing/test_folder.h"

// libotf2 3.0.2 leaks what it had allocated where opening an archive or a file fails.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" [[gnu::visibility("default")]] const char* __lsan_default_suppressions() {
  return "leak:libopen-trace-format2";
}

namespace syncline {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kRing = SYNCLINE_SOURCE_DIR "/src/read/otf2/testdata/ring";

// A copy of the sample archive, to be damaged.
class Otf2BadInput : public testing::Test {
 protected:
  Otf2BadInput() { fs::copy(kRing, folder_.path(), fs::copy_options::recursive); }

  std::string Path(const std::string& name) const { return folder_ / name; }
  void Write(const std::string& name, const std::string& content) const {
    std::ofstream(Path(name), std::ios::binary) << content;
  }
  std::string Content(const std::string& name) const { return *ReadWholeFile(Path(name)); }
  void Cut(const std::string& name, size_t bytes) const {
    Write(name, Content(name).substr(0, bytes));
  }

  std::string OpenError() const {
    const auto archive = Otf2Archive::Open(folder_.path());
    return archive ? "" : archive.error().ToString();
  }
  struct Outcome {
    uint64_t events = 0;
    std::string error;
    Diagnostics diagnostics;
  };
  Outcome ReadLocation0() const {
    const auto archive = Otf2Archive::Open(folder_.path());
    EXPECT_TRUE(archive) << archive.error().ToString();
    auto cursor = archive->OpenLocation(ProcessId(0));
    if (!cursor) return {0, cursor.error().ToString(), {}};
    while (cursor->Next()) {
    }
    return {cursor->events_read(), cursor->error() ? cursor->error()->ToString() : "",
            cursor->diagnostics()};
  }

  TestFolder folder_;
};

constexpr const char* kAnchor = "eztrace_log.otf2";
constexpr const char* kDefinitions = "eztrace_log.def";
constexpr const char* kEvents = "eztrace_log/0.evt";
constexpr const char* kLocal = "eztrace_log/0.def";

TEST_F(Otf2BadInput, NothingThere) {
  EXPECT_THAT(Otf2Archive::Open("/nowhere/traces.otf2").error().ToString(),
              HasSubstr("/nowhere/traces.otf2: does not exist"));
  EXPECT_EQ(Otf2Archive::Open(Path(kDefinitions)).error().code, ErrorCode::kUsage);
  fs::remove(Path(kAnchor));
  EXPECT_THAT(OpenError(), HasSubstr("holds no .otf2 file"));
}

TEST_F(Otf2BadInput, SeveralAnchors) {
  Write("second.otf2", "");
  EXPECT_THAT(OpenError(), HasSubstr("holds several .otf2 files"));
}

TEST_F(Otf2BadInput, AnAnchorThatIsEmptyGarbageOrPointsNowhere) {
  const std::string anchor = Content(kAnchor);
  Write(kAnchor, "");
  EXPECT_THAT(OpenError(), HasSubstr("eztrace_log.otf2: is empty"));
  Write(kAnchor, "this is no archive");
  EXPECT_THAT(OpenError(), HasSubstr("eztrace_log.otf2: is no readable OTF2 archive"));
  Write(kAnchor, anchor);
  fs::remove(Path(kDefinitions));
  EXPECT_THAT(OpenError(), HasSubstr("eztrace_log.def: does not exist"));
}

TEST_F(Otf2BadInput, AnAnchorThatClaimsMorePropertiesThanItHolds) {
  std::string anchor = Content(kAnchor);
  anchor[52] = '\x5c';  // the number's highest byte: 0x5c000000 = 1543503872
  Write(kAnchor, anchor);
  EXPECT_THAT(OpenError(), HasSubstr("byte 49: claims 1543503872 properties"));
}

TEST_F(Otf2BadInput, DefinitionsThatAreCutOffOrGarbage) {
  const std::string definitions = Content(kDefinitions);
  for (size_t bytes = 1; bytes < definitions.size(); bytes += 97) {
    Write(kDefinitions, definitions.substr(0, bytes));
    EXPECT_THAT(OpenError(), HasSubstr("eztrace_log.def: cannot be ")) << bytes;
  }
  Write(kDefinitions, std::string(500, 'x'));
  EXPECT_THAT(OpenError(), HasSubstr("eztrace_log.def: cannot be "));
}

TEST_F(Otf2BadInput, EventsThatAreCutOffAreReadUpToThereWithAnError) {
  const uint64_t all = ReadLocation0().events;
  Cut(kEvents, Content(kEvents).size() / 2);
  const Outcome outcome = ReadLocation0();
  EXPECT_THAT(outcome.error, HasSubstr("0.evt: cannot be read beyond event " +
                                       std::to_string(outcome.events) + " (libotf2: "));
  EXPECT_LT(outcome.events, all);
}

TEST_F(Otf2BadInput, EventsThatAreEmptyGarbageOrMissing) {
  Write(kEvents, "");
  EXPECT_THAT(ReadLocation0().error, HasSubstr("0.evt: is empty"));
  Write(kEvents, std::string(500, 'x'));
  EXPECT_THAT(ReadLocation0().error, HasSubstr("0.evt: cannot be "));
  fs::remove(Path(kEvents));
  const Outcome outcome = ReadLocation0();
  EXPECT_EQ(outcome.events, 0u);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.diagnostics.count("event-file-missing"), 1u);
}

TEST_F(Otf2BadInput, LocalDefinitionsThatAreMissingOrGarbage) {
  fs::remove(Path(kLocal));
  const auto archive = Otf2Archive::Open(folder_.path());
  ASSERT_TRUE(archive);
  EXPECT_EQ(archive->diagnostics().count("local-definitions-missing"), 1u);
  EXPECT_TRUE(archive->diagnostics().HasAtLeast(Severity::kWarning));
  EXPECT_GT(ReadLocation0().events, 0u);
  Write(kLocal, "garbage");
  EXPECT_THAT(OpenError(), HasSubstr("0.def: cannot be "));
}

// Whatever single bytes change, reading ends, with an error or with events.
TEST_F(Otf2BadInput, DamagedFilesNeverCrashNorHang) {
  for (const char* name : {kAnchor, kDefinitions, kEvents, kLocal}) {
    const std::string content = Content(name);
    for (uint32_t seed = 1; seed <= 12; ++seed) {
      SCOPED_TRACE(testing::Message() << name << " seed " << seed);
      std::mt19937 random(seed);
      std::string damaged = content;
      damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
      Write(name, damaged);
      const auto archive = Otf2Archive::Open(folder_.path());
      if (!archive) {
        EXPECT_FALSE(archive.error().file.empty());
        continue;
      }
      for (uint32_t p = 0; p < archive->traces().processes.size(); ++p) {
        auto cursor = archive->OpenLocation(ProcessId(p));
        while (cursor && cursor->Next()) {
        }
      }
    }
    Write(name, content);
  }
}

TEST(Otf2EmptyArchive, ALocationWithoutEventsAndOneThatLostSome) {
  const TestFolder folder;
  const auto one = [](OTF2_EvtWriter* w) { OTF2_EvtWriter_Enter(w, nullptr, 1, 0); };
  const auto archive = Otf2Archive::Open(WriteArchive(
      {.locations = {{.number = 3}, {.number = 4, .events = one, .claimed_events = 5}}},
      folder.path()));
  ASSERT_TRUE(archive) << archive.error().ToString();
  auto none = archive->OpenLocation(ProcessId(0));
  ASSERT_TRUE(none) << none.error().ToString();
  EXPECT_EQ(none->Next(), nullptr);
  EXPECT_FALSE(none->error());
  EXPECT_TRUE(none->diagnostics().all().empty());
  auto some = archive->OpenLocation(ProcessId(1));
  while (some->Next()) {
  }
  EXPECT_EQ(some->diagnostics().count("fewer-events-than-defined"), 5u - 1);
}

TEST(Otf2EmptyArchive, AnArchiveWithoutLocationsIsAnError) {
  const TestFolder folder;
  const auto archive = Otf2Archive::Open(WriteArchive({}, folder.path()));
  ASSERT_FALSE(archive);
  EXPECT_THAT(archive.error().ToString(), HasSubstr("traces.def: defines no location"));
}

TEST(Otf2EmptyArchive, AClockWithoutResolutionIsAnError) {
  const TestFolder folder;
  const auto archive = Otf2Archive::Open(
      WriteArchive({.locations = {{.number = 3}}, .ticks_per_second = 0}, folder.path()));
  ASSERT_FALSE(archive);
  EXPECT_THAT(archive.error().ToString(), HasSubstr("without a possible resolution"));
}

TEST(Otf2EmptyArchive, TimesBeyondInt64AreSaturatedAndCounted) {
  const TestFolder folder;
  const auto events = [](OTF2_EvtWriter* w) {
    OTF2_EvtWriter_Enter(w, nullptr, UINT64_MAX - 1, 0);
  };
  const auto archive = Otf2Archive::Open(
      WriteArchive({.locations = {{.number = 3, .events = events}}}, folder.path()));
  ASSERT_TRUE(archive);
  auto cursor = archive->OpenLocation(ProcessId(0));
  EXPECT_EQ(cursor->Next()->time, LocalTime{INT64_MAX});
  EXPECT_EQ(cursor->Next(), nullptr);
  EXPECT_EQ(cursor->diagnostics().count("time-out-of-range"), 1u);
}

}  // namespace
}  // namespace syncline
