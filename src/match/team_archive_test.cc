// Teams of threads, from an archive to the messages that their forks, barriers and joins imply.
#include "read/otf2/testing/team_archive.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "match/collective_messages.h"
#include "match/mpi_matcher.h"
#include "match/testing/mpi_numbering.h"
#include "read/otf2/archive.h"
#include "read/otf2/testing/test_folder.h"

namespace syncline {
namespace {

using testing::UnorderedElementsAreArray;

// Of a message: the threads, and when it was sent and received by their clocks.
struct Implied {
  uint32_t from = 0;
  uint32_t to = 0;
  int64_t sent = 0;
  int64_t received = 0;
  friend bool operator==(const Implied&, const Implied&) = default;
};
void PrintTo(const Implied& m, std::ostream* out) {
  *out << m.from << " at " << m.sent << " to " << m.to << " at " << m.received;
}

struct Sink : MessageSink {
  void OnMessage(const Message& m) override {
    messages.push_back(
        {m.send.process.value, m.receive.process.value, m.send.time.ticks, m.receive.time.ticks});
  }
  void OnBroadcast(const Broadcast&) override {}
  std::vector<Implied> messages;
};

// By the records that a survey keeps, or numbered in a second pass.
enum class Way { kKept, kNumbered };

std::vector<Implied> ImpliedBy(const Otf2Archive& archive, Way way) {
  const TraceSet& traces = archive.traces();
  MpiSurvey survey(traces);
  std::vector<std::vector<LocalTime>> times(traces.processes.size());
  std::vector<std::vector<NumberedRecord>> records(traces.processes.size());
  for (uint32_t p = 0; p < traces.processes.size(); ++p) {
    auto cursor = archive.OpenLocation(ProcessId(p));
    while (const Event* event = cursor->Next()) {
      const auto record =
          survey.OfProcess(ProcessId(p)).Record(*event, cursor->operation(), cursor->index());
      if (record) records[p].push_back(*record);
      times[p].push_back(event->time);
    }
  }
  Diagnostics diagnostics;
  const auto pairing = survey.Finish(diagnostics);
  EXPECT_TRUE(diagnostics.all().empty());
  Sink sink;
  CollectiveMessages collectives(traces.groups, archive.names(), sink);
  for (uint32_t p = 0; p < traces.processes.size(); ++p) {
    if (way == Way::kKept) {
      survey.OfProcess(ProcessId(p)).Number(*pairing, records[p]);
      for (const NumberedRecord& record : records[p]) {
        Event event = record.event(times[p][record.index()]);
        event.process = ProcessId(p);
        collectives.Add(event, record.index());
      }
      continue;
    }
    auto cursor = archive.OpenLocation(ProcessId(p));
    MpiNumbering numbering(pairing, ProcessId(p));
    while (const Event* event = cursor->Next()) {
      collectives.Add(numbering.Number(*event, cursor->operation(), cursor->index()),
                      cursor->index());
    }
  }
  EXPECT_EQ(collectives.Finish(diagnostics), (CollectiveCounts{.collectives = 6, .messages = 16}));
  return sink.messages;
}

TEST(TeamArchive, ForksBarriersAndJoinsRelateTheThreadsClocks) {
  const TestFolder folder;
  const auto archive =
      Otf2Archive::Open(WriteTeamArchive(folder.path()), {.clock_per = ClockPer::kLocation});
  ASSERT_TRUE(archive) << archive.error().ToString();
  constexpr int64_t kAhead = kThreadAhead;
  std::vector<Implied> expected;
  for (const int64_t start : {0, 100}) {
    const auto at = [&](uint32_t thread, int64_t time) { return start + thread * kAhead + time; };
    const std::vector<Implied> one = {
        {0, 1, at(0, 10), at(1, 13)}, {0, 2, at(0, 10), at(2, 15)},  // fork
        {0, 1, at(0, 20), at(1, 31)}, {0, 2, at(0, 20), at(2, 32)},  // barrier
        {1, 0, at(1, 21), at(0, 31)}, {2, 0, at(2, 30), at(0, 31)},
        {1, 0, at(1, 45), at(0, 46)}, {2, 0, at(2, 41), at(0, 46)}};  // join
    expected.insert(expected.end(), one.begin(), one.end());
  }
  EXPECT_THAT(ImpliedBy(*archive, Way::kKept), UnorderedElementsAreArray(expected));
  EXPECT_THAT(ImpliedBy(*archive, Way::kNumbered), UnorderedElementsAreArray(expected));
}

TEST(TeamArchive, ThreadsOfOneClockGiveNoMessages) {
  const TestFolder folder;
  const auto archive = Otf2Archive::Open(WriteTeamArchive(folder.path()));
  ASSERT_TRUE(archive) << archive.error().ToString();
  MpiSurvey survey(archive->traces());
  auto cursor = archive->OpenLocation(ProcessId(0));
  while (const Event* event = cursor->Next()) {
    EXPECT_EQ(cursor->operation().kind, MpiKind::kNone);
    survey.Add(*event, cursor->operation(), cursor->index());
  }
  Diagnostics diagnostics;
  EXPECT_EQ(survey.Finish(diagnostics)->counts(), MpiMatchCounts{});
}

}  // namespace
}  // namespace syncline
