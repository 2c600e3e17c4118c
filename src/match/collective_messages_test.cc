#include "match/collective_messages.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncline {
namespace {

using testing::IsEmpty;
using testing::IsSubsetOf;
using testing::UnorderedElementsAre;

using MemberPair =
    std::pair<uint32_t, uint32_t>;  // from the begin of a process to the end of another

struct PairedMembers : MessageSink {
  void OnMessage(const Message& m) override {
    EXPECT_EQ(m.send.index, 0u);  // a begin
    EXPECT_EQ(m.receive.index, 1u);
    pairs.emplace_back(m.send.process.value, m.receive.process.value);
  }
  void OnBroadcast(const Broadcast&) override {}
  std::vector<MemberPair> pairs;
};

struct Sizes {
  uint64_t sent = 8;
  uint64_t received = 8;
};

// One collective of `kind` on three members, of which process 1 is the root where there is one.
struct Outcome {
  explicit Outcome(std::string kind, std::vector<Sizes> sizes = {{}, {}, {}}, int roots = 1)
      : names({"", std::move(kind), "other"}) {
    CollectiveMessages messages(groups, names, sink);
    for (uint32_t p = 0; p < 3; ++p) {
      Event event{.process = ProcessId(p), .kind = EventKind::kCollectiveBegin, .name = 1};
      event.is_root = p >= 1 && static_cast<int>(p) <= roots;
      event.bytes = sizes[p].sent;
      messages.Add(event, 0);
      event.kind = EventKind::kCollectiveEnd;
      messages.Add(event, 1, sizes[p].received);
    }
    counts = messages.Finish(diagnostics);
  }
  std::vector<Group> groups = {{"world", {ProcessId(0), ProcessId(1), ProcessId(2)}}};
  std::vector<std::string> names;
  PairedMembers sink;
  Diagnostics diagnostics;
  CollectiveCounts counts;
};

TEST(CollectiveMessages, OneToAllLeadsFromTheRoot) {
  for (const char* kind : {"bcast", "scatter", "scatterv"})
    EXPECT_THAT(Outcome(kind).sink.pairs, UnorderedElementsAre(MemberPair(1, 0), MemberPair(1, 2)))
        << kind;
}

TEST(CollectiveMessages, AllToOneLeadsToTheRoot) {
  for (const char* kind : {"reduce", "gather", "gatherv"})
    EXPECT_THAT(Outcome(kind).sink.pairs, UnorderedElementsAre(MemberPair(0, 1), MemberPair(2, 1)))
        << kind;
}

TEST(CollectiveMessages, AllToAllRelatesEveryMemberToTheFirst) {
  std::vector<MemberPair> all;
  for (uint32_t a = 0; a < 3; ++a) {
    for (uint32_t b = 0; b < 3; ++b) {
      if (a != b) all.emplace_back(a, b);
    }
  }
  for (const char* kind : {"barrier", "allreduce", "allgather", "allgatherv", "alltoall",
                           "reduce_scatter", "reduce_scatter_block"}) {
    const Outcome outcome(kind, {{}, {}, {}}, 0);
    EXPECT_THAT(outcome.sink.pairs, UnorderedElementsAre(MemberPair(0, 1), MemberPair(0, 2),
                                                         MemberPair(1, 0), MemberPair(2, 0)))
        << kind;
    EXPECT_THAT(outcome.sink.pairs, IsSubsetOf(all)) << kind;
  }
}

TEST(CollectiveMessages, AScanLeadsFromEachRankToTheNext) {
  EXPECT_THAT(Outcome("scan", {{}, {}, {}}, 0).sink.pairs,
              UnorderedElementsAre(MemberPair(0, 1), MemberPair(1, 2)));
}

// Rank 0, which is process 2, begins and ends; of the others a fork has ends and a join begins.
TEST(CollectiveMessages, ForksLeadFromRankZeroAndJoinsToIt) {
  const std::vector<Group> groups = {{"team", {ProcessId(2), ProcessId(0), ProcessId(1)}}};
  const std::vector<std::string> names = {std::string(kForkOfThreads), std::string(kJoinOfThreads)};
  PairedMembers sink;
  CollectiveMessages messages(groups, names, sink);
  const auto add = [&](uint32_t process, EventKind kind, uint32_t name) {
    messages.Add({.process = ProcessId(process), .kind = kind, .message = name, .name = name},
                 kind == EventKind::kCollectiveEnd ? 1 : 0);
  };
  add(0, EventKind::kCollectiveEnd, 0);
  add(0, EventKind::kCollectiveBegin, 1);
  for (const uint32_t name : {0U, 1U}) {
    add(2, EventKind::kCollectiveBegin, name);
    add(2, EventKind::kCollectiveEnd, name);
  }
  EXPECT_THAT(sink.pairs, IsEmpty());
  add(1, EventKind::kCollectiveEnd, 0);
  EXPECT_THAT(sink.pairs, UnorderedElementsAre(MemberPair{2, 0}, MemberPair{2, 1}));
  sink.pairs.clear();
  add(1, EventKind::kCollectiveBegin, 1);
  EXPECT_THAT(sink.pairs, UnorderedElementsAre(MemberPair{0, 2}, MemberPair{1, 2}));
  Diagnostics diagnostics;
  EXPECT_EQ(messages.Finish(diagnostics), (CollectiveCounts{.collectives = 2, .messages = 4}));
}

TEST(CollectiveMessages, AForkWithABeginTooManyGivesNothing) {
  const Outcome outcome{std::string(kForkOfThreads)};
  EXPECT_THAT(outcome.sink.pairs, IsEmpty());
  EXPECT_EQ(outcome.counts.ambiguous, 1u);
}

TEST(CollectiveMessages, NothingFollowsFromKindsWherePairsMayExchangeNothing) {
  for (const char* kind : {"alltoallv", "alltoallw", "create_handle", "?"}) {
    const Outcome outcome(kind);
    EXPECT_THAT(outcome.sink.pairs, IsEmpty()) << kind;
    EXPECT_EQ(outcome.counts, (CollectiveCounts{.without_meaning = 1})) << kind;
  }
}

TEST(CollectiveMessages, AMemberWithoutBytesTakesNoPartWhereOthersHaveSome) {
  EXPECT_THAT(Outcome("gatherv", {{0, 0}, {8, 8}, {8, 0}}).sink.pairs,
              UnorderedElementsAre(MemberPair(2, 1)));
  EXPECT_THAT(Outcome("scatterv", {{0, 8}, {8, 8}, {0, 0}}).sink.pairs,
              UnorderedElementsAre(MemberPair(1, 0)));
  EXPECT_THAT(Outcome("allgatherv", {{8, 8}, {8, 8}, {0, 8}}, 0).sink.pairs,
              UnorderedElementsAre(MemberPair(0, 1), MemberPair(0, 2), MemberPair(1, 0)));
  EXPECT_THAT(Outcome("reduce_scatter", {{8, 8}, {8, 0}, {8, 8}}, 0).sink.pairs,
              UnorderedElementsAre(MemberPair(0, 2), MemberPair(1, 0), MemberPair(2, 0)));
}

TEST(CollectiveMessages, NothingFollowsFromSizesThatAreAllZero) {
  for (const char* kind : {"gatherv", "scatterv"}) {
    EXPECT_THAT(Outcome(kind, {{0, 0}, {0, 0}, {0, 0}}).sink.pairs, IsEmpty()) << kind;
  }
  EXPECT_THAT(Outcome("allgatherv", {{0, 0}, {0, 0}, {0, 0}}, 0).sink.pairs, IsEmpty());
}

TEST(CollectiveMessages, WithoutExactlyOneRootNothingFollows) {
  for (const int roots : {0, 2}) {
    const Outcome outcome("bcast", {{}, {}, {}}, roots);
    EXPECT_THAT(outcome.sink.pairs, IsEmpty());
    EXPECT_EQ(outcome.counts, (CollectiveCounts{.ambiguous = 1}));
    EXPECT_EQ(outcome.diagnostics.count("ambiguous-collective"), 1u);
  }
}

TEST(CollectiveMessages, KindsThatDifferAndMembersThatAreMissingGiveNothing) {
  PairedMembers sink;
  const std::vector<Group> groups = {{"world", {ProcessId(0), ProcessId(1)}}};
  const std::vector<std::string> names = {"", "barrier", "allreduce"};
  CollectiveMessages messages(groups, names, sink);
  const auto add = [&](uint32_t process, uint64_t instance, uint32_t name) {
    Event event{.process = ProcessId(process),
                .kind = EventKind::kCollectiveBegin,
                .message = instance,
                .name = name};
    messages.Add(event, 0);
    event.kind = EventKind::kCollectiveEnd;
    messages.Add(event, 1);
  };
  add(0, 0, 1);
  add(1, 0, 2);
  add(0, 1, 1);
  add(5, 1, 1);  // no member
  Diagnostics diagnostics;
  EXPECT_EQ(messages.Finish(diagnostics), (CollectiveCounts{.ambiguous = 1, .incomplete = 1}));
  EXPECT_THAT(sink.pairs, IsEmpty());
}

TEST(CollectiveMessages, PartsThatComeTwiceOrInTheWrongOrderGiveNothing) {
  constexpr auto kBegin = EventKind::kCollectiveBegin;
  constexpr auto kEnd = EventKind::kCollectiveEnd;
  const std::vector<Group> groups = {{"world", {ProcessId(0), ProcessId(1)}}};
  const std::vector<std::string> names = {"barrier"};
  for (const std::vector<EventKind>& parts :
       {std::vector{kBegin, kBegin, kEnd}, {kEnd, kBegin}, {kBegin, kEnd, kEnd}, {kEnd}}) {
    PairedMembers sink;
    CollectiveMessages messages(groups, names, sink);
    for (const EventKind kind : parts) messages.Add({.process = ProcessId(0), .kind = kind}, 0);
    messages.Add({.process = ProcessId(1), .kind = kBegin}, 0);
    messages.Add({.process = ProcessId(1), .kind = kEnd}, 1);
    Diagnostics diagnostics;
    EXPECT_EQ(messages.Finish(diagnostics), (CollectiveCounts{.ambiguous = 1}));
    EXPECT_THAT(sink.pairs, IsEmpty());
  }
}

}  // namespace
}  // namespace syncline
