// Exported traces as OTF2 archives, as Syncline's own reader sees them.
#include "write/otf2/exported_archive.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "read/otf2/archive.h"
#include "write/export_test_util.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

class ExportedArchive : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::temp_directory_path() / ("syncline-exported-archive-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  ExportFindings Write(const ExportedTrace& trace) {
    auto findings = WriteExportedArchive(trace, folder_.string());
    EXPECT_TRUE(findings.has_value());
    return findings.value_or(ExportFindings{});
  }

  struct Read {
    int64_t ticks = 0;
    EventKind kind = EventKind::kMark;
    std::string name;
    uint64_t bytes = 0;
    friend bool operator==(const Read&, const Read&) = default;
  };
  std::vector<Read> Events(uint32_t process, ClockPer per = ClockPer::kProcess) {
    auto archive = Otf2Archive::Open((folder_ / "traces.otf2").string(), {.clock_per = per});
    EXPECT_TRUE(archive.has_value());
    std::vector<Read> events;
    auto cursor = archive->OpenLocation(ProcessId(process));
    while (const Event* event = cursor->Next()) {
      events.push_back(
          {event->time.ticks, event->kind, archive->names()[event->name], event->bytes});
    }
    EXPECT_FALSE(cursor->error().has_value());
    return events;
  }
  fs::path folder_;
};

using Kind = EventKind;

TEST_F(ExportedArchive, MomentsAreRegionsWithoutLength) {
  ExportBuilder builder({"a", "b"});
  builder.Add(0, 1000, Kind::kEnter, "work");
  builder.Add(0, 1010, Kind::kMark, "note");
  builder.Add(0, 1020, Kind::kLeave, "work");
  builder.Add(0, 1030, Kind::kLeave, "never begun");
  builder.Add(0, 1040, Kind::kBlock);
  Write(builder.trace());
  EXPECT_EQ(Events(0), (std::vector<Read>{{1000, Kind::kEnter, "work"},
                                          {1010, Kind::kEnter, "note"},
                                          {1010, Kind::kLeave, "note"},
                                          {1020, Kind::kLeave, "work"},
                                          {1030, Kind::kEnter, "never begun"},
                                          {1030, Kind::kLeave, "never begun"},
                                          {1040, Kind::kEnter, "block"},
                                          {1040, Kind::kLeave, "block"}}));
  EXPECT_EQ(Events(1), std::vector<Read>());
}

TEST_F(ExportedArchive, ANamedSendStandsInARegionOfItsName) {
  ExportBuilder builder({"a", "b"});
  builder.Add(0, 1000, Kind::kSend, "TCP");
  builder.Add(1, 1005, Kind::kReceive);
  builder.Link(0, 1, 1);
  builder.trace().processes[0].events[0].bytes = 64;
  Write(builder.trace());
  EXPECT_EQ(Events(0), (std::vector<Read>{{1000, Kind::kEnter, "TCP"},
                                          {1000, Kind::kSend, "", 64},
                                          {1000, Kind::kLeave, "TCP"}}));
  EXPECT_EQ(Events(1), (std::vector<Read>{{1005, Kind::kReceive, ""}}));
}

TEST_F(ExportedArchive, AnEventOfSeveralMessagesIsARecordForEach) {
  ExportBuilder builder({"a", "b", "c"});
  builder.Add(1, 1005, Kind::kReceive);
  builder.Add(2, 1007, Kind::kReceive);
  builder.Add(0, 1000, Kind::kBroadcast);
  builder.Link(0, 1, 1);
  builder.Link(0, 2, 1);
  Write(builder.trace());
  EXPECT_EQ(Events(0), (std::vector<Read>{{1000, Kind::kSend, ""}, {1000, Kind::kSend, ""}}));
}

TEST_F(ExportedArchive, TimesBeforeZeroAreShiftedAndStepsBackRaised) {
  ExportBuilder builder({"a", "b"});
  builder.Message(0, -20, 1, 30, 1);
  builder.Message(0, -25, 1, 40, 2);
  const ExportFindings findings = Write(builder.trace());
  EXPECT_EQ(findings.shift_ns, 25U);
  EXPECT_EQ(findings.raised, 1U);
  EXPECT_EQ(findings.largest_raise_ns, 5U);
  EXPECT_EQ(Events(0), (std::vector<Read>{{5, Kind::kSend, ""}, {5, Kind::kSend, ""}}));
  EXPECT_EQ(Events(1), (std::vector<Read>{{55, Kind::kReceive, ""}, {65, Kind::kReceive, ""}}));
}

// Two processes, both members of the group "all".
class ExportedArchiveCollectives : public ExportedArchive {
 protected:
  ExportedArchiveCollectives() : builder_({"a", "b"}) {
    builder_.trace().traces.groups.push_back({"all", {ProcessId(0), ProcessId(1)}});
    builder_.trace().names.emplace_back("all");
  }
  void Add(uint32_t process, int64_t ns, Kind kind, const std::string& name, uint64_t instance) {
    const uint64_t event = builder_.Add(process, ns, kind, name);
    ExportedEvent& added = builder_.trace().processes[process].events[event];
    added.group = 1;
    added.message = instance;
    added.has_message = true;
  }
  void Whole(uint32_t process, int64_t ns, const std::string& name, uint64_t instance) {
    Add(process, ns, Kind::kCollectiveBegin, name, instance);
    Add(process, ns + 1, Kind::kCollectiveEnd, name, instance);
  }
  std::vector<std::pair<Kind, std::string>> Kinds(uint32_t process) {
    std::vector<std::pair<Kind, std::string>> kinds;
    for (const Read& event : Events(process)) kinds.emplace_back(event.kind, event.name);
    return kinds;
  }
  using Names = std::vector<std::pair<Kind, std::string>>;
  ExportBuilder builder_;
};

TEST_F(ExportedArchiveCollectives, AreThoseOfTheirCommunicator) {
  for (const uint32_t process : {0U, 1U}) {
    Whole(process, 1000, "barrier", 1);
    Whole(process, 1010, "allreduce", 1);  // the name is used again
  }
  EXPECT_EQ(Write(builder_.trace()).collective_parts, 0U);
  for (const uint32_t process : {0U, 1U}) {
    EXPECT_EQ(Kinds(process), (Names{{Kind::kCollectiveBegin, "barrier"},
                                     {Kind::kCollectiveEnd, "barrier"},
                                     {Kind::kCollectiveBegin, "allreduce"},
                                     {Kind::kCollectiveEnd, "allreduce"}}));
  }
}

TEST_F(ExportedArchiveCollectives, ThatOverlapAreNonBlocking) {
  for (const uint32_t process : {0U, 1U}) {
    Add(process, 1000, Kind::kCollectiveBegin, "barrier", 1);
    Add(process, 1001, Kind::kCollectiveBegin, "bcast", 2);
    Add(process, 1002, Kind::kCollectiveEnd, "barrier", 1);
    Add(process, 1003, Kind::kCollectiveEnd, "bcast", 2);
  }
  EXPECT_EQ(Write(builder_.trace()).collective_parts, 0U);
  const Names kinds = Kinds(0);
  ASSERT_EQ(kinds.size(), 4U);
  EXPECT_EQ(kinds[2], (std::pair(Kind::kCollectiveEnd, std::string("barrier"))));
  EXPECT_EQ(kinds[3], (std::pair(Kind::kCollectiveEnd, std::string("bcast"))));
}

TEST_F(ExportedArchiveCollectives, ThatAreNotWholeAreRegions) {
  Whole(0, 1000, "barrier", 1);  // b does not take part
  for (const uint32_t process : {0U, 1U}) {
    Whole(process, 1010, "barrier", 2);
    Whole(process, 1020, "dance", 3);
  }
  EXPECT_EQ(Write(builder_.trace()).collective_parts, 2U + 2 * 2U);
  EXPECT_EQ(Kinds(1), (Names{{Kind::kCollectiveBegin, "barrier"},
                             {Kind::kCollectiveEnd, "barrier"},
                             {Kind::kEnter, "dance"},
                             {Kind::kLeave, "dance"},
                             {Kind::kEnter, "dance"},
                             {Kind::kLeave, "dance"}}));
  EXPECT_EQ(Kinds(0)[0], (std::pair(Kind::kEnter, std::string("barrier"))));
}

TEST_F(ExportedArchiveCollectives, InDifferentOrderAreRegions) {
  Whole(0, 1000, "barrier", 1);
  Whole(0, 1010, "barrier", 2);
  Whole(1, 1000, "barrier", 2);
  Whole(1, 1010, "barrier", 1);
  EXPECT_EQ(Write(builder_.trace()).collective_parts, 4U * 2);
}

}  // namespace
}  // namespace syncline
