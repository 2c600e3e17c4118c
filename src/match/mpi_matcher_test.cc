#include "match/mpi_matcher.h"

#include <map>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "match/match_test_util.h"
#include "match/named_matcher.h"
#include "match/testing/mpi_numbering.h"

namespace syncline {
namespace {

using testing::ElementsAre;

// Programs of a few processes, all members of communicator 0 in order of their numbers.
class World {
 public:
  explicit World(uint32_t processes) : streams_(processes) {
    traces_.clocks.resize(processes);
    traces_.groups.push_back({"world", {}});
    for (uint32_t p = 0; p < processes; ++p) {
      traces_.processes.push_back({std::to_string(p), "", ClockId(p)});
      traces_.groups[0].members.push_back(ProcessId(p));
    }
  }

  // Each returns the event's number within its process.
  size_t Send(uint32_t from, uint32_t to, uint32_t tag = 0) {
    return Transfer(from, EventKind::kSend, MpiKind::kSend, from, to, tag, 0);
  }
  size_t Isend(uint32_t from, uint32_t to, uint64_t request) {
    return Transfer(from, EventKind::kSend, MpiKind::kImmediateSend, from, to, 0, request);
  }
  size_t Receive(uint32_t at, uint32_t from, uint32_t tag = 0) {
    return Transfer(at, EventKind::kReceive, MpiKind::kReceive, at, from, tag, 0);
  }
  size_t Complete(uint32_t at, uint32_t from, uint64_t request, uint32_t tag = 0) {
    return Transfer(at, EventKind::kReceive, MpiKind::kReceiveComplete, at, from, tag, request);
  }
  size_t Post(uint32_t at, uint64_t request) {
    return Request(at, MpiKind::kReceivePosted, request);
  }
  size_t Cancel(uint32_t at, uint64_t request) { return Request(at, MpiKind::kCancelled, request); }
  // A transfer recorded by process `by`, which is a thread of rank `own`.
  size_t Transfer(uint32_t by, EventKind kind, MpiKind mpi_kind, uint32_t own, uint32_t peer,
                  uint32_t tag, uint64_t request) {
    Event event{.process = ProcessId(by), .kind = kind, .peer = ProcessId(peer)};
    MpiOperation operation{.kind = mpi_kind,
                           .tag = tag,
                           .own = ProcessId(own),
                           .peer = ProcessId(peer),
                           .request = request};
    return Add({event, operation});
  }
  size_t Request(uint32_t at, MpiKind kind, uint64_t request) {
    return Add({Event{.process = ProcessId(at)}, {.kind = kind, .request = request}});
  }
  size_t Begin(uint32_t at, uint32_t kind) {
    return Collective(at, EventKind::kCollectiveBegin, MpiKind::kCollectiveBegin, kind, 0);
  }
  size_t End(uint32_t at, uint32_t kind) {
    return Collective(at, EventKind::kCollectiveEnd, MpiKind::kCollectiveEnd, kind, 0);
  }
  size_t PostCollective(uint32_t at, uint64_t request) {
    return Request(at, MpiKind::kCollectivePosted, request);
  }
  size_t CompleteCollective(uint32_t at, uint32_t kind, uint64_t request) {
    return Collective(at, EventKind::kCollectiveEnd, MpiKind::kCollectiveComplete, kind, request);
  }
  size_t Collective(uint32_t at, EventKind event_kind, MpiKind kind, uint32_t name,
                    uint64_t request) {
    return Add({Event{.process = ProcessId(at), .kind = event_kind, .name = name},
                {.kind = kind, .own = ProcessId(at), .request = request}});
  }

  void Run() {
    MpiSurvey survey(traces_);
    std::vector<std::vector<NumberedRecord>> records(streams_.size());
    std::vector<std::vector<uint64_t>> beside(streams_.size());  // the events' numbers
    std::vector<FoundEnds> found(streams_.size());
    for (const auto& stream : streams_) {
      for (size_t i = 0; i < stream.size(); ++i) {
        const Event& event = stream[i].event;
        const auto record = survey.OfProcess(event.process).Record(event, stream[i].operation, i);
        if (!record) continue;
        if (record->is_transfer()) {
          AddTransfer(*record, event.time, found[event.process.index()]);
        }
        records[event.process.index()].push_back(*record);
        beside[event.process.index()].push_back(i);
      }
    }
    const auto pairing = survey.Finish(diagnostics);
    counts = pairing->counts();
    numbered.clear();
    for (uint32_t p = 0; p < streams_.size(); ++p) {
      MpiNumbering numbering(pairing, ProcessId(p));
      numbered.emplace_back();
      for (size_t i = 0; i < streams_[p].size(); ++i)
        numbered.back().push_back(
            numbering.Number(streams_[p][i].event, streams_[p][i].operation, i));
      const std::vector<uint64_t> collectives =
          survey.OfProcess(ProcessId(p)).Number(*pairing, records[p], &beside[p]);
      ExpectRecords(p, records[p], beside[p], collectives);
      ChannelEnds ends = found[p].Take();
      survey.OfProcess(ProcessId(p)).Number(*pairing, ends);
      ExpectEnds(p, *pairing, ends);
    }
  }
  // Whether the send and the receive found each other.
  bool ArePaired(uint32_t sender, size_t send, uint32_t receiver, size_t receive) const {
    const Event& s = numbered[sender][send];
    const Event& r = numbered[receiver][receive];
    return s.kind == EventKind::kSend && r.kind == EventKind::kReceive && s.message == r.message &&
           s.peer == ProcessId(receiver) && r.peer == ProcessId(sender);
  }
  EventKind KindOf(uint32_t process, size_t index) const { return numbered[process][index].kind; }
  uint64_t NumberOf(uint32_t process, size_t index) const {
    return numbered[process][index].message;
  }

  std::vector<std::vector<Event>> numbered;  // by process
  MpiMatchCounts counts;
  Diagnostics diagnostics;

 private:
  // By channel, the same in the order of their numbers.
  void ExpectEnds(uint32_t p, const MpiPairing& pairing, const ChannelEnds& ends) const {
    std::map<uint64_t, uint64_t> messages;  // by channel
    for (const auto& paired : pairing.PairedChannels()) messages[paired.number] = paired.messages;
    std::set<std::pair<uint64_t, uint64_t>> found;  // numbers and events
    for (const ChannelEnds::Run& run : ends.runs()) {
      EndReader reader(ends.BytesOf(run));
      for (uint64_t n = 0; n < messages[run.channel]; ++n) {
        const uint64_t index = reader.Take().index;
        EXPECT_EQ(numbered[p][index].kind == EventKind::kSend, run.is_send);
        found.emplace(run.channel << MpiPairing::kSequenceBits | n, index);
      }
    }
    std::set<std::pair<uint64_t, uint64_t>> expected;
    for (size_t i = 0; i < numbered[p].size(); ++i) {
      const Event& event = numbered[p][i];
      if (event.kind != EventKind::kSend && event.kind != EventKind::kReceive) continue;
      expected.emplace(event.message, i);
    }
    EXPECT_EQ(found, expected) << "process " << p;
  }
  // What the survey kept is what the second pass makes of the events.
  void ExpectRecords(uint32_t p, const std::vector<NumberedRecord>& records,
                     const std::vector<uint64_t>& beside,
                     const std::vector<uint64_t>& collectives) const {
    ASSERT_EQ(records.size(), beside.size());
    std::vector<uint64_t> expected_collectives;
    size_t next = 0;
    for (size_t i = 0; i < streams_[p].size(); ++i) {
      const Event& expected = numbered[p][i];
      if (expected.kind == EventKind::kMark) continue;
      ASSERT_LT(next, records.size());
      const bool is_of_collective = expected.kind == EventKind::kCollectiveBegin ||
                                    expected.kind == EventKind::kCollectiveEnd;
      if (is_of_collective) expected_collectives.push_back(next);
      EXPECT_EQ(beside[next], i);
      const NumberedRecord& record = records[next++];
      EXPECT_EQ(record.index(), i);
      const Event event = record.event(expected.time);
      const auto fields = [](const Event& e) {
        return std::tuple(e.kind, e.is_root, e.peer, e.message, e.bytes, e.name, e.group);
      };
      EXPECT_EQ(fields(event), fields(expected)) << "event " << i << " of process " << p;
    }
    EXPECT_EQ(next, records.size());
    EXPECT_EQ(collectives, expected_collectives);
  }

  size_t Add(const RecordedOperation& recorded) {
    std::vector<RecordedOperation>& stream = streams_[recorded.event.process.index()];
    stream.push_back(recorded);
    return stream.size() - 1;
  }

  TraceSet traces_;
  std::vector<std::vector<RecordedOperation>> streams_;
};

TEST(MpiMatcher, MessagesOfAChannelDoNotOvertake) {
  World w(2);
  const size_t s0 = w.Send(0, 1);
  const size_t s1 = w.Send(0, 1);
  const size_t other = w.Send(0, 1, 9);
  const size_t r9 = w.Receive(1, 0, 9);
  const size_t r0 = w.Receive(1, 0);
  const size_t r1 = w.Receive(1, 0);
  w.Run();
  EXPECT_TRUE(w.ArePaired(0, s0, 1, r0));
  EXPECT_TRUE(w.ArePaired(0, s1, 1, r1));
  EXPECT_TRUE(w.ArePaired(0, other, 1, r9));
  EXPECT_EQ(w.counts, (MpiMatchCounts{.messages = 3}));
}

TEST(MpiMatcher, ReceivesPairInTheOrderTheyWerePosted) {
  World w(2);
  const size_t s0 = w.Send(0, 1);
  const size_t s1 = w.Send(0, 1);
  w.Post(1, 100);
  w.Post(1, 101);
  const size_t second = w.Complete(1, 0, 101);
  const size_t first = w.Complete(1, 0, 100);
  w.Run();
  EXPECT_TRUE(w.ArePaired(0, s0, 1, first));
  EXPECT_TRUE(w.ArePaired(0, s1, 1, second));
}

TEST(MpiMatcher, TheSurplusOfAShortTraceIsUnmatched) {
  World w(2);
  const size_t s0 = w.Send(0, 1);
  const size_t s1 = w.Send(0, 1);
  const size_t r0 = w.Receive(1, 0);
  const size_t lone = w.Receive(0, 1);
  w.Run();
  EXPECT_TRUE(w.ArePaired(0, s0, 1, r0));
  EXPECT_EQ(w.KindOf(0, s1), EventKind::kMark);
  EXPECT_EQ(w.KindOf(0, lone), EventKind::kMark);
  EXPECT_EQ(w.counts,
            (MpiMatchCounts{.messages = 1, .unmatched_sends = 1, .unmatched_receives = 1}));
  EXPECT_EQ(w.diagnostics.count("unmatched-send"), 1u);
}

TEST(MpiMatcher, ReceivesThatNeverCompletedPutOnlyUnequalChannelsInDoubt) {
  World w(2);
  const size_t lost = w.Send(0, 1, 7);
  const size_t s0 = w.Send(0, 1);
  w.Post(1, 100);  // receives tag 7, but nobody recorded it
  const size_t r0 = w.Receive(1, 0);
  w.Run();
  EXPECT_EQ(w.KindOf(0, lost), EventKind::kMark);
  EXPECT_TRUE(w.ArePaired(0, s0, 1, r0));
  EXPECT_EQ(w.counts, (MpiMatchCounts{.messages = 1, .ambiguous = 1, .never_completed = 1}));
  EXPECT_EQ(w.diagnostics.count("ambiguous-message"), 1u);
  EXPECT_EQ(w.diagnostics.count("request-never-completed"), 1u);
}

TEST(MpiMatcher, ACancelledReceiveTakesNoMessage) {
  World w(2);
  const size_t s0 = w.Send(0, 1);
  w.Post(1, 100);
  w.Post(1, 101);
  w.Cancel(1, 100);
  const size_t r0 = w.Complete(1, 0, 101);
  w.Run();
  EXPECT_TRUE(w.ArePaired(0, s0, 1, r0));
  EXPECT_EQ(w.counts, (MpiMatchCounts{.messages = 1}));
}

TEST(MpiMatcher, ACancelledSendPutsItsChannelInDoubt) {
  World w(2);
  const size_t s0 = w.Isend(0, 1, 50);
  w.Cancel(0, 50);
  const size_t r0 = w.Receive(1, 0);
  w.Run();
  EXPECT_EQ(w.KindOf(0, s0), EventKind::kMark);
  EXPECT_EQ(w.KindOf(1, r0), EventKind::kMark);
  EXPECT_EQ(w.counts, (MpiMatchCounts{.ambiguous = 2}));
}

TEST(MpiMatcher, MessagesToItselfAreCountedAndNotPaired) {
  World w(2);
  w.Post(0, 1);
  const size_t s = w.Send(0, 0);
  const size_t r = w.Complete(0, 0, 1);
  w.Run();
  EXPECT_EQ(w.KindOf(0, s), EventKind::kMark);
  EXPECT_EQ(w.KindOf(0, r), EventKind::kMark);
  EXPECT_EQ(w.counts, (MpiMatchCounts{.to_itself = 2}));
}

TEST(MpiMatcher, ThePeerIsTheThreadThatRecordedTheOtherEnd) {
  World w(3);  // process 2 is a thread of rank 1
  const size_t s = w.Send(0, 1);
  const size_t r = w.Transfer(2, EventKind::kReceive, MpiKind::kReceive, 1, 0, 0, 0);
  w.Run();
  EXPECT_TRUE(w.ArePaired(0, s, 2, r));
}

TEST(MpiMatcher, AChannelWithReceivesOfTwoThreadsIsInDoubt) {
  World w(3);
  w.Send(0, 1);
  w.Send(0, 1);
  w.Receive(1, 0);
  w.Transfer(2, EventKind::kReceive, MpiKind::kReceive, 1, 0, 0, 0);
  w.Run();
  EXPECT_EQ(w.counts, (MpiMatchCounts{.ambiguous = 4}));
}

TEST(MpiMatcher, ReceivesWithoutRequestsPairInOrderOfCompletion) {
  World w(2);
  const size_t s0 = w.Send(0, 1);
  const size_t r0 = w.Complete(1, 0, 5);
  w.Run();
  EXPECT_TRUE(w.ArePaired(0, s0, 1, r0));
  EXPECT_EQ(w.diagnostics.count("receive-without-request"), 1u);
}

TEST(MpiMatcher, CollectivesAreNumberedInTheOrderTheyWerePosted) {
  World w(2);
  const size_t post0 = w.PostCollective(0, 5);
  const size_t begin0 = w.Begin(0, 1);
  const size_t end0 = w.End(0, 1);
  const size_t complete0 = w.CompleteCollective(0, 2, 5);
  const size_t post1 = w.PostCollective(1, 5);
  const size_t complete1 = w.CompleteCollective(1, 2, 5);
  const size_t begin1 = w.Begin(1, 1);
  const size_t end1 = w.End(1, 1);
  w.Run();
  for (const auto& [process, index, number] : {std::tuple(0u, post0, 0u),
                                               {0u, begin0, 1u},
                                               {0u, end0, 1u},
                                               {0u, complete0, 0u},
                                               {1u, post1, 0u},
                                               {1u, begin1, 1u},
                                               {1u, end1, 1u},
                                               {1u, complete1, 0u}}) {
    EXPECT_EQ(w.NumberOf(process, index), number) << process << ' ' << index;
  }
  EXPECT_EQ(w.KindOf(0, post0), EventKind::kCollectiveBegin);
  EXPECT_EQ(w.numbered[0][post0].name, 2u);
  EXPECT_EQ(w.counts, (MpiMatchCounts{.collectives = 2}));
}

TEST(MpiMatcher, CollectivesThatNotAllMembersHaveAreMarks) {
  World w(2);
  for (const uint32_t p : {0u, 1u}) {
    w.Begin(p, 1);
    w.End(p, 1);
  }
  const size_t begin = w.Begin(0, 1);
  const size_t end = w.End(0, 1);
  w.Run();
  EXPECT_EQ(w.KindOf(0, 0), EventKind::kCollectiveBegin);
  EXPECT_EQ(w.KindOf(0, begin), EventKind::kMark);
  EXPECT_EQ(w.KindOf(0, end), EventKind::kMark);
  EXPECT_EQ(w.counts, (MpiMatchCounts{.collectives = 1, .unmatched_collectives = 1}));
}

TEST(MpiMatcher, CollectivesOfDifferentKindsAreInDoubt) {
  World w(2);
  for (const uint32_t p : {0u, 1u}) {
    w.Begin(p, 1 + p);
    w.End(p, 1 + p);
  }
  w.Run();
  EXPECT_EQ(w.counts, (MpiMatchCounts{.ambiguous_collectives = 2}));
  EXPECT_EQ(w.KindOf(0, 0), EventKind::kMark);
}

TEST(MpiMatcher, ACollectiveThatNeverEndedPutsUnequalMembersInDoubt) {
  World w(2);
  w.Collective(0, EventKind::kMark, MpiKind::kCollectiveBegin, 0, 0);
  for (const uint32_t p : {1u, 0u, 1u}) {
    w.Begin(p, 1);
    w.End(p, 1);
  }
  w.Run();
  EXPECT_EQ(w.counts, (MpiMatchCounts{.ambiguous_collectives = 3}));
}

// The oracle knows which message every posting takes: the n-th of a channel the n-th sent.
TEST(MpiMatcher, PairsWhatASimulatedMpiPaired) {
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    constexpr uint32_t kProcesses = 4;
    using Channel = std::tuple<uint32_t, uint32_t, uint32_t>;  // from, to, tag
    World w(kProcesses);
    std::map<Channel, std::vector<size_t>> sends;
    std::map<Channel, std::vector<size_t>> receives;  // by posting
    struct Open {
      uint64_t request = 0;
      Channel channel;
      size_t place = 0;
    };
    std::map<uint32_t, std::vector<Open>> open;
    uint64_t request = 0;
    const auto complete = [&](uint32_t at, size_t i) {
      const Open done = open[at][i];
      open[at].erase(open[at].begin() + static_cast<int64_t>(i));
      const auto [from, to, tag] = done.channel;
      receives[done.channel][done.place] = w.Complete(at, from, done.request, tag);
    };
    for (int step = 0; step < 300; ++step) {
      const uint32_t from = random() % kProcesses;
      const uint32_t to = (from + 1 + random() % (kProcesses - 1)) % kProcesses;
      const Channel channel = {from, to, random() % 2};
      sends[channel].push_back(w.Send(from, to, std::get<2>(channel)));
      auto& places = receives[channel];
      if (random() % 2 == 0) {
        places.push_back(w.Receive(to, from, std::get<2>(channel)));
      } else {
        w.Post(to, ++request);
        open[to].push_back({request, channel, places.size()});
        places.push_back(0);
      }
      if (!open[to].empty() && random() % 2 == 0) complete(to, random() % open[to].size());
    }
    for (uint32_t p = 0; p < kProcesses; ++p) {
      while (!open[p].empty()) complete(p, random() % open[p].size());
    }
    w.Run();
    EXPECT_EQ(w.counts, (MpiMatchCounts{.messages = 300}));
    std::set<std::tuple<uint32_t, uint32_t, uint64_t>> keys;
    for (const auto& [channel, places] : sends) {
      const auto [from, to, tag] = channel;
      for (size_t n = 0; n < places.size(); ++n) {
        EXPECT_TRUE(w.ArePaired(from, places[n], to, receives[channel][n]));
        keys.emplace(from, to, w.NumberOf(from, places[n]));
      }
    }
    EXPECT_EQ(keys.size(), 300u);
  }
}

struct PairedNumbers : MessageSink {
  void OnMessage(const Message& m) override { pairs.emplace_back(m.send.index, m.receive.index); }
  void OnBroadcast(const Broadcast&) override {}
  std::vector<std::pair<uint64_t, uint64_t>> pairs;
};

TEST(MpiMatcher, NumberedEventsAreWhatTheNamedMatcherPairs) {
  World w(2);
  const size_t s = w.Send(0, 1);
  w.Send(0, 1, 3);
  w.Begin(1, 1);
  const size_t r = w.Receive(1, 0);
  w.Run();
  PairedNumbers sink;
  NamedMatcher matcher(sink);
  for (const auto& stream : w.numbered) {
    for (size_t i = 0; i < stream.size(); ++i) matcher.Add(stream[i], i);
  }
  Diagnostics diagnostics;
  EXPECT_EQ(matcher.Finish(diagnostics), (NamedMatchCounts{.matched = 1}));
  EXPECT_THAT(sink.pairs, ElementsAre(std::pair(s, r)));
}

}  // namespace
}  // namespace syncline
