#include "record/mpi/archive_writer.h"

#include <filesystem>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read/otf2/archive.h"
#include "record/mpi/event_log.h"
#include "record/mpi/testing/test_folder.h"

namespace syncline::mpi {
namespace {

namespace fs = std::filesystem;

class ArchiveOfLogs : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(folder_ / "log");
    fs::create_directory(folder_ / "archive");
    for (uint32_t rank = 0; rank < 2; ++rank) {
      processes_.push_back({.rank = rank,
                            .ranks = 2,
                            .host = "node",
                            .clock = "monotonic",
                            .times = {{.ticks = 900, .epoch_ns = 5'000'000'900, .steady_ns = 0}},
                            .communicators = {{.number = 0, .key = 1, .name = "world"}}});
    }
    processes_[0].communicators[0].members = {0, 1};
  }

  void WriteLog(uint32_t rank, const std::vector<RawEvent>& events) {
    auto log = EventLog::Create(folder_ / fmt::format("log/{}", LogName(rank, 0)), 0);
    ASSERT_TRUE(log) << log.error().ToString();
    for (const RawEvent& event : events) log->Append(event);
    log->Close();
    auto threads = CountThreads(folder_ / "log", rank);
    ASSERT_TRUE(threads) << threads.error().ToString();
    processes_[rank].threads = *threads;
  }
  Result<ArchiveCounts> Write() {
    return WriteArchive({.folder = folder_ / "archive",
                         .log_folder = folder_ / "log",
                         .processes = processes_,
                         .own_ranks = {0, 1},
                         .set_collectives = OTF2_Archive_SetSerialCollectiveCallbacks});
  }
  std::vector<Event> Events(const Otf2Archive& archive, uint32_t process) {
    std::vector<Event> events;
    auto cursor = archive.OpenLocation(ProcessId(process));
    EXPECT_TRUE(cursor);
    while (const Event* event = cursor->Next()) events.push_back(*event);
    return events;
  }

  TestFolder folder_;
  std::vector<RankDefinitions> processes_;
};

RawEvent Entered(uint64_t time, Call call) {
  return {.time = time, .call = call, .kind = RawKind::kEnter};
}

TEST_F(ArchiveOfLogs, HoldsTheirEventsAndTheClocksLine) {
  // Rank 1 is 400 behind: what it calls 700 is 1100 for rank 0.
  WriteLog(0, {Entered(1000, Call::kSend),
               {.time = 1000, .bytes = 8, .peer = 1, .tag = 5, .kind = RawKind::kSend}});
  WriteLog(1, {{.time = 700, .bytes = 8, .peer = 0, .tag = 5, .kind = RawKind::kReceive}});
  processes_[1].offsets = {{.ticks = 600, .added = 400, .uncertainty = 2}};
  const auto counts = Write();
  ASSERT_TRUE(counts) << counts.error().ToString();
  EXPECT_EQ(counts->events, 3U);

  const auto archive = Otf2Archive::Open(folder_ / "archive/traces.otf2");
  ASSERT_TRUE(archive) << archive.error().ToString();
  EXPECT_FALSE(archive->diagnostics().HasAtLeast(Severity::kInfo));
  ASSERT_EQ(archive->traces().clocks.size(), 2U);
  EXPECT_EQ(archive->traces().clocks[1].name, "rank1");
  EXPECT_EQ(archive->clock_offsets(ProcessId(1)).Corrected(700).ticks, 700 + 400);
  // The first event is 100 after the instant that was 5 s and 900 ns since 1970.
  const Clock& clock = archive->traces().clocks[0];
  EXPECT_EQ(clock.NominalNs({1000}), 5'000'000'900 + (1000 - 900));
  const std::vector<Event> sent = Events(*archive, 0);
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(archive->names()[sent[0].name], "MPI_Send");
  EXPECT_EQ(sent[1].kind, EventKind::kSend);
  EXPECT_EQ(sent[1].peer, ProcessId(1));
  EXPECT_EQ(sent[1].bytes, 8U);
  EXPECT_EQ(Events(*archive, 1)[0].kind, EventKind::kReceive);
}

TEST_F(ArchiveOfLogs, CountsTimesThatStepBackAndEventsOfUnknownCommunicators) {
  WriteLog(0, {Entered(1000, Call::kWait),
               {.time = 990, .call = Call::kWait, .kind = RawKind::kLeave},
               {.time = 1001, .communicator = 7, .peer = 1, .kind = RawKind::kSend}});
  WriteLog(1, {});
  const auto counts = Write();
  ASSERT_TRUE(counts) << counts.error().ToString();
  EXPECT_EQ(counts->events, 2U);
  EXPECT_EQ(counts->steps_back, 1U);
  EXPECT_EQ(counts->left_out, 1U);
  const auto archive = Otf2Archive::Open(folder_ / "archive/traces.otf2");
  ASSERT_TRUE(archive) << archive.error().ToString();
  EXPECT_EQ(Events(*archive, 0)[1].time.ticks, 1000);
}

TEST_F(ArchiveOfLogs, NamesALogThatIsNotThere) {
  WriteLog(0, {Entered(1, Call::kWait)});
  WriteLog(1, {});
  fs::remove(folder_ / "log/rank-1.0.events");
  const auto counts = Write();
  ASSERT_FALSE(counts);
  EXPECT_THAT(counts.error().ToString(), testing::HasSubstr("rank-1.0.events: cannot be read"));
}

}  // namespace
}  // namespace syncline::mpi
