// Messages and collectives of real archives, recorded by eztrace, from the files to violations.

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "match/collective_messages.h"
#include "match/mpi_matcher.h"
#include "match/named_matcher.h"
#include "match/testing/mpi_numbering.h"
#include "read/otf2/archive.h"

namespace syncline {
namespace {

// Counts the messages whose receive, on nominal time, is before their send.
struct ViolationCounter : MessageSink {
  explicit ViolationCounter(const TraceSet& t) : traces(t) {}
  int64_t NominalNs(const EventRef& event) const {
    return traces.clocks[traces.processes[event.process.index()].clock.index()].NominalNs(
        event.time);
  }
  void OnMessage(const Message& m) override {
    ++messages;
    const int64_t delay = NominalNs(m.receive) - NominalNs(m.send);
    if (delay < 0) ++violations;
    least_delay = std::min(least_delay, delay);
  }
  void OnBroadcast(const Broadcast&) override {}

  const TraceSet& traces;
  uint64_t messages = 0;
  uint64_t violations = 0;
  int64_t least_delay = INT64_MAX;
};

// Each end of a collective that the begins of others forbid, by all pairs: the definition.
class CollectiveEnds {
 public:
  explicit CollectiveEnds(const Otf2Archive& archive)
      : archive_(archive), times_(archive.traces()) {}

  void Add(const Event& event, uint64_t index) {
    if (event.kind != EventKind::kCollectiveBegin && event.kind != EventKind::kCollectiveEnd)
      return;
    auto& members = instances_[{event.group, event.message}];
    const int64_t ns = times_.NominalNs({event.process, index, event.time});
    if (event.kind == EventKind::kCollectiveBegin) {
      members.push_back({event, ns, 0});
    } else {
      std::find_if(members.begin(), members.end(), [&](const Member& m) {
        return m.begin.process == event.process;
      })->end_ns = ns;
    }
  }
  // Ends that depend on a begin at all, and those that are before one of them.
  std::pair<uint64_t, uint64_t> Count() const {
    uint64_t constrained = 0;
    uint64_t violated = 0;
    for (const auto& [key, members] : instances_) {
      for (const Member& end : members) {
        bool depends = false;
        bool is_violated = false;
        for (const Member& begin : members) {
          if (!Leads(begin, end)) continue;
          depends = true;
          is_violated |= end.end_ns < begin.begin_ns;
        }
        constrained += depends;
        violated += is_violated;
      }
    }
    return {constrained, violated};
  }

 private:
  struct Member {
    Event begin;
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
  };
  bool Leads(const Member& from, const Member& to) const {
    if (from.begin.process == to.begin.process) return false;
    switch (ShapeOf(archive_.names()[from.begin.name])) {
      case CollectiveShape::kOneToAll: return from.begin.is_root;
      case CollectiveShape::kAllToOne: return to.begin.is_root;
      case CollectiveShape::kAllToAll: return true;
      case CollectiveShape::kScan:
      case CollectiveShape::kFork:
      case CollectiveShape::kJoin:
      case CollectiveShape::kNothing: return false;
    }
    return false;
  }

  const Otf2Archive& archive_;
  ViolationCounter times_;
  std::map<std::pair<uint32_t, uint64_t>, std::vector<Member>> instances_;
};

struct Analysis {
  uint64_t events = 0;
  MpiMatchCounts counts;
  NamedMatchCounts named;
  CollectiveCounts collectives;
  uint64_t messages = 0;
  uint64_t violations = 0;
  int64_t least_delay_ns = 0;
  uint64_t collective_messages = 0;
  uint64_t collective_message_violations = 0;
  std::pair<uint64_t, uint64_t> collective_ends;
  Diagnostics diagnostics;
};

Analysis Analyze(const std::string& path, Otf2Times times) {
  const auto archive = Otf2Archive::Open(path, {.times = times});
  EXPECT_TRUE(archive) << archive.error().ToString();
  Analysis result;
  const TraceSet& traces = archive->traces();
  MpiSurvey survey(traces);
  for (uint32_t p = 0; p < traces.processes.size(); ++p) {
    auto cursor = archive->OpenLocation(ProcessId(p));
    while (const Event* event = cursor->Next())
      survey.Add(*event, cursor->operation(), cursor->index());
    EXPECT_FALSE(cursor->error());
    result.events += cursor->events_read();
  }
  const auto pairing = survey.Finish(result.diagnostics);
  result.counts = pairing->counts();

  ViolationCounter messages(traces);
  ViolationCounter implied(traces);
  NamedMatcher matcher(messages);
  CollectiveMessages collectives(traces.groups, archive->names(), implied);
  CollectiveEnds ends(*archive);
  for (uint32_t p = 0; p < traces.processes.size(); ++p) {
    auto cursor = archive->OpenLocation(ProcessId(p));
    MpiNumbering numbering(pairing, ProcessId(p));
    while (const Event* event = cursor->Next()) {
      const Event numbered = numbering.Number(*event, cursor->operation(), cursor->index());
      matcher.Add(numbered, cursor->index());
      collectives.Add(numbered, cursor->index(), cursor->operation().bytes_received);
      ends.Add(numbered, cursor->index());
    }
  }
  result.named = matcher.Finish(result.diagnostics);
  result.collectives = collectives.Finish(result.diagnostics);
  result.messages = messages.messages;
  result.violations = messages.violations;
  result.least_delay_ns = messages.least_delay;
  result.collective_messages = implied.messages;
  result.collective_message_violations = implied.violations;
  result.collective_ends = ends.Count();
  return result;
}

TEST(MpiArchive, EztraceRingPairsWhatWasRecordedWhole) {
  const Analysis a =
      Analyze(SYNCLINE_SOURCE_DIR "/src/read/otf2/testdata/ring", Otf2Times::kRecorded);
  EXPECT_EQ(a.events, 3u * 360);
  // Ten rounds on three ranks: the blocking messages pair; of the others only the sends are there,
  // and their receives never complete.
  EXPECT_EQ(a.counts.messages, 30u);
  EXPECT_EQ(a.counts.ambiguous, 30u);
  EXPECT_EQ(a.counts.never_completed, 30u);
  EXPECT_EQ(a.counts.unmatched_sends + a.counts.unmatched_receives, 0u);
  EXPECT_EQ(a.named, (NamedMatchCounts{.matched = 30}));
  EXPECT_EQ(a.diagnostics.count("ambiguous-message"), 30u);
  // Ten rounds of a barrier of ranks 0 and 2, one of rank 1 alone, gather and alltoall.
  EXPECT_EQ(a.collectives,
            (CollectiveCounts{.collectives = 40, .messages = 10 * (2 + 0 + 2 + 2 * 2)}));
}

class MpiHaloTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string data = SYNCLINE_DATA_DIR;
    if (data.empty() || !std::filesystem::exists(data + "/otf2/halo"))
      GTEST_SKIP() << "the large test data is not there";
  }
  std::string folder_ = std::string(SYNCLINE_DATA_DIR) + "/otf2/";
};

TEST_F(MpiHaloTest, RecordedTimesOfUnsynchronizedClocksViolateTheClockCondition) {
  const Analysis a = Analyze(folder_ + "halo", Otf2Times::kRecorded);
  EXPECT_EQ(a.events, 141'816u);
  EXPECT_EQ(a.counts, (MpiMatchCounts{.messages = 20'000, .collectives = 362}));
  EXPECT_EQ(a.named, (NamedMatchCounts{.matched = 20'000}));
  EXPECT_EQ(a.messages, 20'000u);
  EXPECT_EQ(a.violations, 7134u);
  EXPECT_EQ(a.collective_ends, std::pair(uint64_t{1128}, uint64_t{632}));
  // 202 of all to all with 2 · 3 messages, 80 broadcasts and 80 reductions with 3.
  EXPECT_EQ(a.collective_messages, 202u * 6 + 160 * 3);
  EXPECT_EQ(a.collectives,
            (CollectiveCounts{.collectives = 362, .messages = a.collective_messages}));
}

TEST_F(MpiHaloTest, ClockOffsetsOfTheArchiveRemoveAllViolations) {
  const Analysis a = Analyze(folder_ + "halo_true", Otf2Times::kArchive);
  EXPECT_EQ(a.events, 141'816u);
  EXPECT_EQ(a.messages, 20'000u);
  EXPECT_EQ(a.violations, 0u);
  EXPECT_EQ(a.collective_ends, std::pair(uint64_t{1128}, uint64_t{0}));
  EXPECT_EQ(a.collective_message_violations, 0u);
  EXPECT_NEAR(static_cast<double>(a.least_delay_ns), 1096, 2 * 175);  // known to ±175 ns per clock
}

TEST_F(MpiHaloTest, RecordedTimesOfTheCorrectedArchiveAreThoseOfTheOther) {
  EXPECT_EQ(Analyze(folder_ + "halo_true", Otf2Times::kRecorded).violations, 7134u);
}

}  // namespace
}  // namespace syncline
