#include "read/otf2/archive.h"

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read/otf2/testing/archive_builder.h"
#include "read/otf2/testing/test_folder.h"

namespace syncline {
namespace {

using testing::ElementsAre;

Otf2Archive MustOpen(const std::string& path, Otf2Options options = {}) {
  auto archive = Otf2Archive::Open(path, options);
  if (!archive) {
    ADD_FAILURE() << archive.error().ToString();
    std::abort();
  }
  return *std::move(archive);
}

struct ReadEvents {
  std::vector<Event> events;
  std::vector<MpiOperation> operations;
  std::vector<int64_t> recorded;
  Diagnostics diagnostics;
};

void ExpectSameByTakingPlainOnes(const Otf2Archive& archive, uint32_t process,
                                 const ReadEvents& read) {
  auto cursor = archive.OpenLocation(ProcessId(process));
  ASSERT_TRUE(cursor) << cursor.error().ToString();
  std::vector<uint64_t> times;
  for (;;) {
    cursor->TakePlain(times);
    const Event* event = cursor->Next();
    EXPECT_EQ(cursor->events_read(), times.size() + (event ? 1 : 0));
    if (!event) break;
    ASSERT_LT(times.size(), read.events.size());
    EXPECT_EQ(event->time, read.events[times.size()].time);
    EXPECT_EQ(event->kind, read.events[times.size()].kind);
    EXPECT_EQ(cursor->operation().kind, read.operations[times.size()].kind);
    times.push_back(cursor->recorded_ticks());
  }
  EXPECT_EQ(std::vector<int64_t>(times.begin(), times.end()), read.recorded);
  EXPECT_EQ(cursor->diagnostics().all().size(), read.diagnostics.all().size());
  for (const auto& [name, diagnostic] : read.diagnostics.all())
    EXPECT_EQ(cursor->diagnostics().count(name), diagnostic.count) << name;
}

ReadEvents ReadAll(const Otf2Archive& archive, uint32_t process) {
  ReadEvents read;
  auto cursor = archive.OpenLocation(ProcessId(process));
  EXPECT_TRUE(cursor) << cursor.error().ToString();
  while (const Event* event = cursor->Next()) {
    EXPECT_EQ(cursor->index(), read.events.size());
    EXPECT_EQ(event->process, ProcessId(process));
    read.events.push_back(*event);
    read.operations.push_back(cursor->operation());
    read.recorded.push_back(cursor->recorded_time().ticks);
  }
  EXPECT_FALSE(cursor->error()) << cursor->error()->ToString();
  read.diagnostics = cursor->diagnostics();
  ExpectSameByTakingPlainOnes(archive, process, read);
  return read;
}

std::vector<std::string> ClockNames(const Otf2Archive& archive) {
  std::vector<std::string> names;
  for (const Clock& clock : archive.traces().clocks) names.push_back(clock.name);
  return names;
}

std::vector<uint32_t> ClocksOfProcesses(const Otf2Archive& archive) {
  std::vector<uint32_t> clocks;
  for (const Process& process : archive.traces().processes) clocks.push_back(process.clock.value);
  return clocks;
}

void WriteMark(OTF2_EvtWriter* w, uint64_t time) { OTF2_EvtWriter_ProgramEnd(w, nullptr, time, 0); }

TEST(Otf2Archive, ClocksBelongToLocationGroupsNodesOrLocations) {
  const TestFolder folder;
  // Ranks 0 and 1 are on node0, rank 2 on node1; rank 0 has two threads.
  const std::string path = WriteArchive({.locations = {{.number = 7, .group = 0},
                                                       {.number = 8, .group = 0},
                                                       {.number = 17, .group = 1},
                                                       {.number = 27, .group = 2}}},
                                        folder.path());
  const Otf2Archive per_process = MustOpen(path);
  EXPECT_THAT(ClockNames(per_process), ElementsAre("rank0", "rank1", "rank2"));
  EXPECT_THAT(ClocksOfProcesses(per_process), ElementsAre(0, 0, 1, 2));
  const Otf2Archive per_node = MustOpen(path, {.clock_per = ClockPer::kNode});
  EXPECT_THAT(ClockNames(per_node), ElementsAre("node0", "node1"));
  EXPECT_THAT(ClocksOfProcesses(per_node), ElementsAre(0, 0, 0, 1));
  const Otf2Archive per_location = MustOpen(path, {.clock_per = ClockPer::kLocation});
  EXPECT_THAT(ClockNames(per_location), ElementsAre("thread7", "thread8", "thread17", "thread27"));
  EXPECT_THAT(ClocksOfProcesses(per_location), ElementsAre(0, 1, 2, 3));

  EXPECT_EQ(per_process.traces().processes[1].name, "8");
  EXPECT_EQ(per_process.traces().processes[1].label, "rank0 thread8");
  EXPECT_EQ(per_process.traces().processes[2].label, "rank1");  // of one thread
  EXPECT_THAT(per_process.locations(), ElementsAre(7, 8, 17, 27));
  ASSERT_EQ(per_process.traces().groups.size(), 1u);
  EXPECT_EQ(per_process.traces().groups[0].name, "world");
  EXPECT_THAT(per_process.traces().groups[0].members,
              ElementsAre(ProcessId(0), ProcessId(2), ProcessId(3)));
}

TEST(Otf2Archive, EveryRecordIsAnEventInOrder) {
  const TestFolder folder;
  const auto events = [](OTF2_EvtWriter* w) {
    OTF2_EvtWriter_ThreadBegin(w, nullptr, 10, 0, 0);
    OTF2_AttributeList* attributes = OTF2_AttributeList_New();
    OTF2_AttributeList_AddUint64(attributes, 0, 99);
    OTF2_EvtWriter_Enter(w, attributes, 11, 0);
    OTF2_AttributeList_Delete(attributes);
    OTF2_EvtWriter_RmaWinCreate(w, nullptr, 12, 0);
    OTF2_EvtWriter_Leave(w, nullptr, 12, 0);
    OTF2_EvtWriter_Enter(w, nullptr, 13, 77);
    OTF2_EvtWriter_MpiRequestTest(w, nullptr, 14, 5);
  };
  const Otf2Archive archive =
      MustOpen(WriteArchive({.locations = {{.number = 3, .events = events}}}, folder.path()));
  const ReadEvents read = ReadAll(archive, 0);
  std::vector<std::tuple<int64_t, EventKind, std::string>> seen;
  for (const Event& e : read.events)
    seen.emplace_back(e.time.ticks, e.kind, archive.names()[e.name]);
  EXPECT_THAT(seen, ElementsAre(std::tuple(10, EventKind::kMark, "ThreadBegin"),
                                std::tuple(11, EventKind::kEnter, "work"),
                                std::tuple(12, EventKind::kMark, "RmaWinCreate"),
                                std::tuple(12, EventKind::kLeave, "work"),
                                std::tuple(13, EventKind::kEnter, ""),
                                std::tuple(14, EventKind::kMark, "MpiRequestTest")));
  EXPECT_EQ(read.diagnostics.count("rma-record"), 1u);
  EXPECT_EQ(read.diagnostics.count("undefined-region"), 1u);
  EXPECT_EQ(read.diagnostics.count("more-events-than-defined"), 0u);
}

TEST(Otf2Archive, BatchesDoNotShow) {
  const TestFolder folder;
  constexpr uint64_t kEvents = 3 * Otf2EventStream::kBatch + 1;
  const auto events = [](OTF2_EvtWriter* w) {
    for (uint64_t t = 0; t < kEvents; ++t) OTF2_EvtWriter_Enter(w, nullptr, t, 0);
  };
  const Otf2Archive archive =
      MustOpen(WriteArchive({.locations = {{.number = 3, .events = events}}}, folder.path()));
  const ReadEvents read = ReadAll(archive, 0);
  ASSERT_EQ(read.events.size(), kEvents);
  for (uint64_t t = 0; t < kEvents; ++t)
    EXPECT_EQ(read.events[t].time.ticks, static_cast<int64_t>(t));
}

TEST(Otf2Archive, MessagesNameTheMembersOfTheCommunicator) {
  const TestFolder folder;
  // Rank 1 is location 17; its thread 18 receives for it.
  const auto send = [](OTF2_EvtWriter* w) {
    OTF2_EvtWriter_MpiSend(w, nullptr, 1, 1, 0, 5, 64);
    OTF2_EvtWriter_MpiIsend(w, nullptr, 2, 1, 0, 6, 65, 1000);
    OTF2_EvtWriter_MpiIsendComplete(w, nullptr, 3, 1000);
    OTF2_EvtWriter_MpiSend(w, nullptr, 4, 2, 0, 5, 64);  // there is no rank 2
    OTF2_EvtWriter_MpiSend(w, nullptr, 5, 1, 9, 5, 64);  // nor a communicator 9
  };
  const auto receive = [](OTF2_EvtWriter* w) {
    OTF2_EvtWriter_MpiIrecvRequest(w, nullptr, 1, 2000);
    OTF2_EvtWriter_MpiRecv(w, nullptr, 2, 0, 0, 5, 64);
    OTF2_EvtWriter_MpiIrecv(w, nullptr, 3, 0, 0, 6, 65, 2000);
    OTF2_EvtWriter_MpiRequestCancelled(w, nullptr, 4, 2001);
  };
  const Otf2Archive archive =
      MustOpen(WriteArchive({.locations = {{.number = 7, .events = send, .group = 0},
                                           {.number = 17, .group = 1},
                                           {.number = 18, .events = receive, .group = 1}}},
                            folder.path()));
  const ReadEvents sends = ReadAll(archive, 0);
  EXPECT_EQ(sends.events[0].kind, EventKind::kSend);
  EXPECT_EQ(sends.events[0].peer, ProcessId(1));
  EXPECT_EQ(sends.events[0].bytes, 64u);
  EXPECT_EQ(sends.operations[0].kind, MpiKind::kSend);
  EXPECT_EQ(sends.operations[0].tag, 5u);
  EXPECT_EQ(sends.operations[0].own, ProcessId(0));
  EXPECT_EQ(sends.operations[1].kind, MpiKind::kImmediateSend);
  EXPECT_EQ(sends.operations[1].request, 1000u);
  EXPECT_EQ(sends.operations[2].kind, MpiKind::kSendComplete);
  EXPECT_EQ(sends.events[3].kind, EventKind::kMark);
  EXPECT_EQ(sends.events[4].kind, EventKind::kMark);
  EXPECT_EQ(sends.diagnostics.count("mpi-rank-unknown"), 2u);
  const ReadEvents receives = ReadAll(archive, 2);
  std::vector<MpiKind> kinds;
  for (const MpiOperation& operation : receives.operations) kinds.push_back(operation.kind);
  EXPECT_THAT(kinds, ElementsAre(MpiKind::kReceivePosted, MpiKind::kReceive,
                                 MpiKind::kReceiveComplete, MpiKind::kCancelled));
  EXPECT_EQ(receives.operations[1].own, ProcessId(1));
  EXPECT_EQ(receives.events[2].peer, ProcessId(0));
}

void WriteBarrier(OTF2_EvtWriter* w, uint64_t begin, uint64_t end) {
  OTF2_EvtWriter_MpiCollectiveBegin(w, nullptr, begin);
  OTF2_EvtWriter_MpiCollectiveEnd(w, nullptr, end, OTF2_COLLECTIVE_OP_BARRIER, 0,
                                  OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
}

TEST(Otf2Archive, CollectivesBeginAsWhatTheyEnd) {
  const TestFolder folder;
  const auto events = [](OTF2_EvtWriter* w) {
    OTF2_EvtWriter_MpiCollectiveBegin(w, nullptr, 1);
    OTF2_EvtWriter_Enter(w, nullptr, 2, 0);
    OTF2_EvtWriter_Leave(w, nullptr, 3, 0);
    OTF2_EvtWriter_MpiCollectiveEnd(w, nullptr, 4, OTF2_COLLECTIVE_OP_GATHERV, 0, 1, 10, 20);
    OTF2_EvtWriter_NonBlockingCollectiveRequest(w, nullptr, 5, 7);
    OTF2_EvtWriter_NonBlockingCollectiveComplete(w, nullptr, 6, OTF2_COLLECTIVE_OP_BCAST, 0, 0, 1,
                                                 2, 7);
  };
  const Otf2Archive archive = MustOpen(WriteArchive(
      {.locations = {{.number = 7, .group = 0}, {.number = 17, .events = events, .group = 1}}},
      folder.path()));
  const ReadEvents read = ReadAll(archive, 1);
  for (const size_t i : {0u, 3u}) {
    EXPECT_EQ(archive.names()[read.events[i].name], "gatherv");
    EXPECT_EQ(read.events[i].group, 0u);
    EXPECT_TRUE(read.events[i].is_root);
    EXPECT_EQ(read.events[i].bytes, 10u);
    EXPECT_EQ(read.operations[i].bytes_received, 20u);
  }
  EXPECT_EQ(read.events[0].kind, EventKind::kCollectiveBegin);
  EXPECT_EQ(read.events[3].kind, EventKind::kCollectiveEnd);
  EXPECT_EQ(read.operations[4].kind, MpiKind::kCollectivePosted);
  EXPECT_EQ(read.operations[5].kind, MpiKind::kCollectiveComplete);
  EXPECT_EQ(read.operations[5].request, 7u);
  EXPECT_EQ(archive.names()[read.events[5].name], "bcast");
  EXPECT_FALSE(read.events[5].is_root);
}

TEST(Otf2Archive, BeginsAndEndsWithoutEachOtherAreMarks) {
  const TestFolder folder;
  const auto events = [](OTF2_EvtWriter* w) {
    OTF2_EvtWriter_MpiCollectiveEnd(w, nullptr, 1, OTF2_COLLECTIVE_OP_BARRIER, 0,
                                    OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    OTF2_EvtWriter_Enter(w, nullptr, 2, 0);
    OTF2_EvtWriter_MpiCollectiveBegin(w, nullptr, 3);  // its region is left
    OTF2_EvtWriter_Leave(w, nullptr, 4, 0);
    OTF2_EvtWriter_MpiCollectiveBegin(w, nullptr, 5);  // another begins
    WriteBarrier(w, 6, 7);
    OTF2_EvtWriter_MpiCollectiveBegin(w, nullptr, 8);  // the trace ends
  };
  const Otf2Archive archive =
      MustOpen(WriteArchive({.locations = {{.number = 7, .events = events}}}, folder.path()));
  const ReadEvents read = ReadAll(archive, 0);
  std::vector<EventKind> kinds;
  for (const Event& e : read.events) kinds.push_back(e.kind);
  EXPECT_THAT(kinds, ElementsAre(EventKind::kMark, EventKind::kEnter, EventKind::kMark,
                                 EventKind::kLeave, EventKind::kMark, EventKind::kCollectiveBegin,
                                 EventKind::kCollectiveEnd, EventKind::kMark));
  EXPECT_EQ(read.diagnostics.count("collective-without-end"), 3u);
  EXPECT_EQ(read.diagnostics.count("collective-without-begin"), 1u);
}

TEST(Otf2Archive, InterCommunicatorsAndSelfAreKnown) {
  const TestFolder folder;
  const auto definitions = [](OTF2_GlobalDefWriter* w) {
    const uint64_t first[] = {0};
    const uint64_t others[] = {1, 2};
    for (const auto& [group, members, size] : {std::tuple(20u, first, 1u), {21u, others, 2u}}) {
      OTF2_GlobalDefWriter_WriteGroup(w, group, 6, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                      OTF2_GROUP_FLAG_NONE, size, members);
    }
    OTF2_GlobalDefWriter_WriteInterComm(w, 5, 6, 20, 21, 0, OTF2_COMM_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteGroup(w, 22, 6, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, 0, nullptr);
    OTF2_GlobalDefWriter_WriteComm(w, 6, 6, 22, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteComm(w, 7, 6, 99, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
  };
  const auto events = [](OTF2_EvtWriter* w) {
    OTF2_EvtWriter_MpiSend(w, nullptr, 1, 1, 5, 0, 8);  // rank 1 of the other group: process 2
    OTF2_EvtWriter_MpiSend(w, nullptr, 2, 0, 6, 0, 8);  // to itself
    OTF2_EvtWriter_MpiCollectiveBegin(w, nullptr, 3);
    OTF2_EvtWriter_MpiCollectiveEnd(w, nullptr, 4, OTF2_COLLECTIVE_OP_BARRIER, 5,
                                    OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
  };
  const Otf2Archive archive =
      MustOpen(WriteArchive({.locations = {{.number = 7, .events = events, .group = 0},
                                           {.number = 17, .group = 1},
                                           {.number = 27, .group = 2}},
                             .definitions = definitions},
                            folder.path()));
  const ReadEvents read = ReadAll(archive, 0);
  EXPECT_EQ(read.events[0].peer, ProcessId(2));
  EXPECT_EQ(read.operations[1].own, ProcessId(0));
  EXPECT_EQ(read.operations[1].peer, ProcessId(0));
  EXPECT_EQ(read.events[2].kind, EventKind::kMark);
  EXPECT_EQ(read.diagnostics.count("intercommunicator-collective"), 1u);
  EXPECT_EQ(archive.diagnostics().count("communicator-unusable"), 1u);  // group 99
}

TEST(Otf2Archive, NominalTimeCountsFromTheEpochWhereTheArchiveTellsIt) {
  const TestFolder folder;
  // 2.5 ticks per nanosecond; the tick 1000 was at 1'700'000'000 s.
  constexpr uint64_t kEpochNs = 1'700'000'000'000'000'000;
  const auto events = [](OTF2_EvtWriter* w) { WriteMark(w, 1000 + 25); };
  const Otf2Archive archive = MustOpen(WriteArchive({.locations = {{.number = 3, .events = events}},
                                                     .ticks_per_second = 2'500'000'000,
                                                     .global_offset = 1000,
                                                     .realtime_ns = kEpochNs},
                                                    folder.path()));
  const Clock& clock = archive.traces().clocks[0];
  EXPECT_EQ(clock.ticks_per_second, 2'500'000'000);
  EXPECT_EQ(clock.NominalNs(ReadAll(archive, 0).events[0].time),
            static_cast<int64_t>(kEpochNs) + 25 * 10 / 25);
}

TEST(Otf2Archive, ArchiveTimesAreWhatTheLibraryShows) {
  const TestFolder folder;
  const auto events = [](OTF2_EvtWriter* w) {
    for (uint64_t i = 0; i < 1000; ++i) WriteMark(w, 500 + i * 77'777);
  };
  const auto definitions = [](OTF2_DefWriter* w) {
    OTF2_DefWriter_WriteClockOffset(w, 1'000, 39'337'287, 0);
    OTF2_DefWriter_WriteClockOffset(w, 20'000'000, 39'300'001, 0);
    OTF2_DefWriter_WriteClockOffset(w, 50'000'000, 39'900'000, 0);
  };
  const std::string path = WriteArchive(
      {.locations = {{.number = 3, .events = events, .definitions = definitions}}}, folder.path());
  // The oracle: the library with its own defaults.
  std::vector<int64_t> shown;
  {
    const auto reader = OpenReader(path);
    ASSERT_TRUE(reader);
    OTF2_Reader* r = reader->get();
    OTF2_Reader_SelectLocation(r, 3);
    OTF2_Reader_OpenDefFiles(r);
    OTF2_DefReader* local = OTF2_Reader_GetDefReader(r, 3);
    uint64_t count = 0;
    OTF2_Reader_ReadAllLocalDefinitions(r, local, &count);
    OTF2_Reader_OpenEvtFiles(r);
    OTF2_EvtReader* reading = OTF2_Reader_GetEvtReader(r, 3);
    const EventCallbacks callbacks(OTF2_EvtReaderCallbacks_New());
    OTF2_EvtReaderCallbacks_SetProgramEndCallback(
        callbacks.get(), [](OTF2_LocationRef, OTF2_TimeStamp time, uint64_t, void* user,
                            OTF2_AttributeList*, int64_t) {
          static_cast<std::vector<int64_t>*>(user)->push_back(static_cast<int64_t>(time));
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_Reader_RegisterEvtCallbacks(r, reading, callbacks.get(), &shown);
    OTF2_Reader_ReadAllLocalEvents(r, reading, &count);
  }
  ASSERT_EQ(shown.size(), 1000u);
  const Otf2Archive corrected = MustOpen(path, {.times = Otf2Times::kArchive});
  const Otf2Archive recorded = MustOpen(path);
  const ReadEvents c = ReadAll(corrected, 0);
  const ReadEvents r = ReadAll(recorded, 0);
  const Clock& clock = recorded.traces().clocks[0];
  const auto correction = recorded.clock_offsets(ProcessId(0)).ToCorrection(clock);
  ASSERT_TRUE(correction);
  for (size_t i = 0; i < 1000; ++i) {
    const auto raw = static_cast<int64_t>(500 + i * 77'777);
    EXPECT_EQ(c.events[i].time.ticks, shown[i]);
    EXPECT_EQ(c.recorded[i], raw);
    EXPECT_EQ(r.events[i].time.ticks, raw);
    EXPECT_NEAR(static_cast<double>((*correction)(r.events[i].time).ns - shown[i]), 0, 1);
    EXPECT_EQ(clock.NominalNs(c.events[i].time), shown[i]);
  }
  EXPECT_EQ(recorded.clock_offsets(ProcessId(0)).records().size(), 3u);
}

TEST(Otf2Archive, ASingleClockOffsetIsIgnoredAsOtherReadersDoButCounted) {
  const TestFolder folder;
  const auto events = [](OTF2_EvtWriter* w) { WriteMark(w, 100); };
  const auto definitions = [](OTF2_DefWriter* w) { OTF2_DefWriter_WriteClockOffset(w, 1, 50, 0); };
  const Otf2Archive archive = MustOpen(
      WriteArchive({.locations = {{.number = 3, .events = events, .definitions = definitions}}},
                   folder.path()),
      {.times = Otf2Times::kArchive});
  EXPECT_EQ(ReadAll(archive, 0).events[0].time, LocalTime{100});
  EXPECT_EQ(archive.diagnostics().count("single-clock-offset"), 1u);
  EXPECT_FALSE(archive.has_other_definitions(ProcessId(0)));
}

TEST(Otf2Archive, LocalNumbersAreMappedToGlobalOnes) {
  const TestFolder folder;
  const auto events = [](OTF2_EvtWriter* w) { OTF2_EvtWriter_Enter(w, nullptr, 1, 0); };
  const auto definitions = [](OTF2_DefWriter* w) {
    const uint64_t map[] = {1};  // region 0 is 1
    OTF2_IdMap* regions = OTF2_IdMap_CreateFromUint64Array(1, map, false);
    OTF2_DefWriter_WriteMappingTable(w, OTF2_MAPPING_REGION, regions);
    OTF2_IdMap_Free(regions);
  };
  const Otf2Archive archive = MustOpen(WriteArchive(
      {.locations = {{.number = 3, .events = events, .definitions = definitions}}}, folder.path()));
  EXPECT_EQ(archive.names()[ReadAll(archive, 0).events[0].name], "MPI_Recv");
  EXPECT_TRUE(archive.has_other_definitions(ProcessId(0)));
}

TEST(Otf2Archive, RepeatedDefinitionsAreCountedAndTheFirstHolds) {
  const TestFolder folder;
  const auto definitions = [](OTF2_GlobalDefWriter* w) {
    OTF2_GlobalDefWriter_WriteString(w, 1, "work");
    OTF2_GlobalDefWriter_WriteString(w, 1, "play");
  };
  const auto events = [](OTF2_EvtWriter* w) { OTF2_EvtWriter_Enter(w, nullptr, 1, 0); };
  const Otf2Archive archive = MustOpen(WriteArchive(
      {.locations = {{.number = 3, .events = events}}, .definitions = definitions}, folder.path()));
  EXPECT_EQ(archive.diagnostics().count("repeated-definition"), 1u);
  EXPECT_EQ(archive.diagnostics().count("contradicting-definition"), 1u);
  EXPECT_EQ(archive.names()[ReadAll(archive, 0).events[0].name], "work");
}

TEST(Otf2Archive, CursorsOfOneLocationReadIndependently) {
  const TestFolder folder;
  const auto events = [](OTF2_EvtWriter* w) {
    for (uint64_t t = 1; t <= 3; ++t) WriteMark(w, t);
  };
  const std::string path =
      WriteArchive({.locations = {{.number = 3, .events = events}}}, folder.path());
  auto archive = std::make_unique<Otf2Archive>(MustOpen(path));
  auto a = archive->OpenLocation(ProcessId(0));
  auto b = archive->OpenLocation(ProcessId(0));
  archive.reset();
  EXPECT_EQ(a->Next()->time.ticks, 1);
  EXPECT_EQ(a->Next()->time.ticks, 2);
  EXPECT_EQ(b->Next()->time.ticks, 1);
  EXPECT_EQ(a->Next()->time.ticks, 3);
  EXPECT_EQ(a->Next(), nullptr);
  EXPECT_EQ(a->Next(), nullptr);
}

// testdata/ring is what eztrace 2.0 recorded of testdata/ring.c.
TEST(Otf2Archive, EztraceArchivesAreReadWithTheirDefects) {
  const Otf2Archive archive = MustOpen(SYNCLINE_SOURCE_DIR "/src/read/otf2/testdata/ring");
  EXPECT_THAT(ClockNames(archive), ElementsAre("P#0", "P#1", "P#2"));
  // The groups of all locations and of MPI_COMM_WORLD have the same number.
  EXPECT_EQ(archive.traces().groups[0].name, "MPI_COMM_WORLD");
  EXPECT_THAT(archive.traces().groups[0].members,
              ElementsAre(ProcessId(0), ProcessId(1), ProcessId(2)));
  for (uint32_t p = 0; p < 3; ++p) {
    const ReadEvents read = ReadAll(archive, p);
    EXPECT_EQ(read.events.size(), 360u);
    EXPECT_EQ(read.diagnostics.count("more-events-than-defined"), 360u - 2);
    std::map<std::string, int> enters;
    std::map<MpiKind, int> operations;
    for (const Event& e : read.events) {
      if (e.kind == EventKind::kEnter) ++enters[archive.names()[e.name]];
    }
    for (const MpiOperation& operation : read.operations) ++operations[operation.kind];
    // Ten rounds of each; posted receives never complete, and only these kinds are recorded.
    EXPECT_EQ(operations[MpiKind::kReceivePosted], 10);
    EXPECT_EQ(operations[MpiKind::kReceiveComplete], 0);
    EXPECT_EQ(operations[MpiKind::kImmediateSend], 10);
    EXPECT_EQ(operations[MpiKind::kSendComplete], 0);
    EXPECT_EQ(operations[MpiKind::kSend], 10);
    EXPECT_EQ(operations[MpiKind::kReceive], 10);
    EXPECT_EQ(operations[MpiKind::kCollectiveEnd], 3 * 10);  // barrier, gather, alltoall
    EXPECT_EQ(operations[MpiKind::kCollectiveBegin], 4 * 10);
    EXPECT_EQ(read.diagnostics.count("collective-without-end"), 10u);  // MPI_Iallreduce
    for (const char* region : {"MPI_Sendrecv", "MPI_Scan", "MPI_Iallreduce"})
      EXPECT_EQ(enters[region], 10) << region;
  }
}

}  // namespace
}  // namespace syncline
