#include "match/named_matcher.h"

#include <array>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string Show(const EventRef& e) {
  return fmt::format("{}#{}@{}", e.process.value, e.index, e.time.ticks);
}

void Append(std::string& line, const std::string& word) {
  if (!line.empty()) line += ' ';
  line += word;
}

struct Recorder : MessageSink {
  void OnMessage(const Message& m) override {
    messages.push_back(Show(m.send) + " > " + Show(m.receive));
  }
  void OnBroadcast(const Broadcast& b) override {
    std::string line;
    for (const EventRef& receive : b.receives) Append(line, Show(receive));
    broadcasts.push_back(line);
  }
  std::vector<std::string> messages;
  std::vector<std::string> broadcasts;
};

// Feeds a matcher; numbers the events of each process, which also serve as times (·10).
class Feed {
 public:
  void Send(uint32_t from, uint32_t to, uint64_t message) {
    Add(EventKind::kSend, from, to, message);
  }
  void Receive(uint32_t at, uint32_t from, uint64_t message) {
    Add(EventKind::kReceive, at, from, message);
  }
  void SendToAll(uint32_t from, uint64_t message) { Add(EventKind::kBroadcast, from, 0, message); }
  NamedMatchCounts Finish() { return matcher.Finish(diagnostics); }

  void Add(EventKind kind, uint32_t process, uint32_t peer, uint64_t message) {
    const uint64_t index = numbers_[process]++;
    Event event;
    event.time = {static_cast<int64_t>(index * 10)};
    event.process = ProcessId(process);
    event.kind = kind;
    event.peer = ProcessId(peer);
    event.message = message;
    events.push_back({event, index});
    matcher.Add(event, index);
  }

  Recorder found;
  NamedMatcher matcher{found};
  Diagnostics diagnostics;
  std::vector<std::pair<Event, uint64_t>> events;

 private:
  std::map<uint32_t, uint64_t> numbers_;
};

TEST(NamedMatcher, PairsInBothOrders) {
  Feed feed;
  feed.Send(0, 1, 7);
  feed.Receive(1, 0, 7);
  feed.Receive(0, 1, 7);  // the other direction is another message
  feed.Send(1, 0, 7);
  EXPECT_EQ(feed.Finish(), (NamedMatchCounts{.matched = 2}));
  EXPECT_THAT(feed.found.messages, ElementsAre("0#0@0 > 1#0@0", "1#1@10 > 0#1@10"));
  EXPECT_TRUE(feed.diagnostics.all().empty());
}

TEST(NamedMatcher, KeepsReceiversAndSendersApart) {
  Feed feed;
  feed.Send(0, 1, 7);
  feed.Send(0, 2, 7);
  feed.Send(3, 1, 7);
  feed.Receive(2, 0, 7);
  feed.Receive(1, 3, 7);
  feed.Receive(1, 0, 7);
  feed.Finish();
  EXPECT_THAT(feed.found.messages,
              ElementsAre("0#1@10 > 2#0@0", "3#0@0 > 1#0@0", "0#0@0 > 1#1@10"));
}

TEST(NamedMatcher, TakesAnIdAgainOnceItsMessageIsComplete) {
  Feed feed;
  for (int i = 0; i < 3; ++i) {
    feed.Send(0, 1, 7);
    feed.Receive(1, 0, 7);
  }
  EXPECT_EQ(feed.Finish(), (NamedMatchCounts{.matched = 3}));
  EXPECT_THAT(feed.found.messages,
              ElementsAre("0#0@0 > 1#0@0", "0#1@10 > 1#1@10", "0#2@20 > 1#2@20"));
}

TEST(NamedMatcher, CallsProcessesByTheirNames) {
  Feed feed;
  feed.Send(0, 1, 2);
  feed.matcher.Finish(feed.diagnostics, [](ProcessId) { return std::string("client"); });
  EXPECT_EQ(feed.diagnostics.all().at("unmatched-send").example, "event 0 of client");
}

TEST(NamedMatcher, CountsWhatHasNoPartner) {
  Feed feed;
  feed.Send(1, 0, 1);
  feed.Send(0, 1, 2);
  feed.Receive(1, 0, 3);
  feed.SendToAll(0, 4);
  EXPECT_EQ(feed.Finish(), (NamedMatchCounts{.unmatched_sends = 3, .unmatched_receives = 1}));
  EXPECT_EQ(feed.diagnostics.count("unmatched-send"), 3u);
  EXPECT_EQ(feed.diagnostics.all().at("unmatched-send").example, "event 0 of process number 0");
  EXPECT_EQ(feed.diagnostics.count("unmatched-receive"), 1u);
  EXPECT_FALSE(feed.diagnostics.HasAtLeast(Severity::kWarning));
  EXPECT_THAT(feed.found.messages, IsEmpty());
}

TEST(NamedMatcher, NeverPairsASecondSendWhileTheFirstWaits) {
  Feed feed;
  feed.Send(0, 1, 7);
  feed.Send(0, 1, 7);
  feed.Receive(1, 0, 7);
  feed.Receive(1, 0, 7);
  feed.Send(0, 1, 8);
  feed.Receive(1, 0, 8);
  EXPECT_EQ(feed.Finish(), (NamedMatchCounts{.matched = 1, .ambiguous = 4}));
  EXPECT_EQ(feed.diagnostics.count("ambiguous-message"), 4u);
  EXPECT_TRUE(feed.diagnostics.HasAtLeast(Severity::kWarning));
  EXPECT_THAT(feed.found.messages, ElementsAre("0#2@20 > 1#2@20"));
}

TEST(NamedMatcher, NeverPairsASecondReceiveWhileTheFirstWaits) {
  Feed feed;
  feed.Receive(1, 0, 7);
  feed.Receive(1, 0, 7);
  feed.Send(0, 1, 7);
  EXPECT_EQ(feed.Finish(), (NamedMatchCounts{.ambiguous = 3}));
  EXPECT_THAT(feed.found.messages, IsEmpty());
}

TEST(NamedMatcher, DoesNotPairAProcessWithItself) {
  Feed feed;
  feed.Send(0, 0, 7);
  feed.Receive(0, 0, 7);
  EXPECT_EQ(feed.Finish(), (NamedMatchCounts{.to_itself = 2}));
  EXPECT_EQ(feed.diagnostics.count("message-to-itself"), 2u);
  EXPECT_THAT(feed.found.messages, IsEmpty());
}

TEST(NamedMatcher, GivesABroadcastToAllItsReceiversWhereverItStands) {
  Feed feed;
  feed.Receive(3, 0, 7);
  feed.SendToAll(0, 7);
  feed.Receive(1, 0, 7);
  feed.Receive(2, 0, 7);
  EXPECT_EQ(feed.Finish(), (NamedMatchCounts{.matched = 3, .broadcasts = 1}));
  EXPECT_THAT(feed.found.messages, ElementsAre("0#0@0 > 1#0@0", "0#0@0 > 2#0@0", "0#0@0 > 3#0@0"));
  EXPECT_THAT(feed.found.broadcasts, ElementsAre("1#0@0 2#0@0 3#0@0"));
}

TEST(NamedMatcher, MakesAMessageButNoBroadcastOfOneReceiver) {
  Feed feed;
  feed.SendToAll(0, 7);
  feed.Receive(1, 0, 7);
  EXPECT_EQ(feed.Finish(), (NamedMatchCounts{.matched = 1}));
  EXPECT_THAT(feed.found.messages, ElementsAre("0#0@0 > 1#0@0"));
  EXPECT_THAT(feed.found.broadcasts, IsEmpty());
}

TEST(NamedMatcher, LeavesASecondBroadcastOfAnIdAndItsReceiversUnmatched) {
  Feed feed;
  feed.SendToAll(0, 7);
  feed.Receive(1, 0, 7);
  feed.SendToAll(0, 7);
  feed.SendToAll(0, 7);
  feed.Receive(2, 0, 7);
  EXPECT_EQ(feed.Finish(), (NamedMatchCounts{.ambiguous = 5}));
}

TEST(NamedMatcher, PairsNeitherWithASendNorWithABroadcastWhenBothAreOpen) {
  const std::vector<std::function<void(Feed&)>> steps = {
      [](Feed& feed) { feed.Send(0, 1, 7); },
      [](Feed& feed) { feed.SendToAll(0, 7); },
      [](Feed& feed) { feed.Receive(1, 0, 7); },
  };
  for (const auto& order :
       {std::array{0, 1, 2}, std::array{1, 0, 2}, std::array{1, 2, 0}, std::array{2, 1, 0}}) {
    Feed feed;
    for (const int step : order) steps[step](feed);
    feed.Receive(2, 0, 7);  // in no doubt
    EXPECT_EQ(feed.Finish(), (NamedMatchCounts{.matched = 1, .ambiguous = 2}));
    EXPECT_THAT(feed.found.messages, ElementsAre(testing::EndsWith("> 2#0@0")));
  }
}

TEST(NamedMatcher, StartsAnewAfterFinish) {
  Feed feed;
  feed.Send(0, 1, 7);
  EXPECT_EQ(feed.Finish(), (NamedMatchCounts{.unmatched_sends = 1}));
  feed.Receive(1, 0, 7);
  EXPECT_EQ(feed.Finish(), (NamedMatchCounts{.unmatched_receives = 1}));
}

// The definition in named_matcher.h, by looking back over all earlier events.
class Oracle {
 public:
  explicit Oracle(const std::vector<std::pair<Event, uint64_t>>& events) : events_(events) {
    state_.resize(events.size(), State::kWaiting);
    for (size_t i = 0; i < events.size(); ++i) Take(i);
    for (size_t i = 0; i < events.size(); ++i) GiveToReceivers(i);
    for (size_t i = 0; i < events.size(); ++i) CountRest(i);
  }
  NamedMatchCounts counts;
  std::multiset<std::string> messages;
  std::multiset<std::string> broadcasts;

 private:
  enum class State { kWaiting, kDone, kAmbiguous };

  const Event& At(size_t i) const { return events_[i].first; }
  std::string Name(size_t i) const { return Show({At(i).process, events_[i].second, At(i).time}); }
  bool IsSend(size_t i) const { return At(i).kind == EventKind::kSend; }
  bool IsBroadcast(size_t i) const { return At(i).kind == EventKind::kBroadcast; }
  ProcessId Sender(size_t i) const {
    return At(i).kind == EventKind::kReceive ? At(i).peer : At(i).process;
  }
  ProcessId Receiver(size_t i) const { return IsSend(i) ? At(i).peer : At(i).process; }
  bool SameId(size_t i, size_t j) const {
    return Sender(i) == Sender(j) && At(i).message == At(j).message;
  }
  bool SameKey(size_t i, size_t j) const {
    if (IsBroadcast(i) || IsBroadcast(j)) return IsBroadcast(i) && IsBroadcast(j) && SameId(i, j);
    return SameId(i, j) && Receiver(i) == Receiver(j);
  }

  void Take(size_t i) {
    if (!IsBroadcast(i) && Sender(i) == Receiver(i)) {
      state_[i] = State::kDone;
      ++counts.to_itself;
      return;
    }
    for (size_t j = 0; j < i; ++j) {
      if (!SameKey(i, j) || state_[j] == State::kDone) continue;
      bool doubt = state_[j] == State::kAmbiguous || IsSend(i) == IsSend(j);
      for (size_t k = 0; k < i; ++k) doubt = doubt || (IsBroadcast(k) && SameId(k, i));
      if (doubt) {
        state_[i] = state_[j] = State::kAmbiguous;
        continue;
      }
      state_[i] = state_[j] = State::kDone;
      AddMessage(IsSend(i) ? i : j, IsSend(i) ? j : i);
    }
  }
  void AddMessage(size_t send, size_t receive) {
    ++counts.matched;
    messages.insert(Name(send) + " > " + Name(receive));
  }
  void GiveToReceivers(size_t i) {
    if (!IsBroadcast(i)) return;
    std::map<ProcessId, std::string> receives;
    for (size_t j = 0; j < events_.size(); ++j) {
      if (At(j).kind != EventKind::kReceive || !SameId(i, j) || state_[j] == State::kDone) continue;
      if (state_[i] == State::kAmbiguous) state_[j] = State::kAmbiguous;
      if (state_[j] == State::kAmbiguous) continue;
      state_[j] = State::kDone;
      AddMessage(i, j);
      receives[Receiver(j)] = Name(j);
    }
    if (state_[i] == State::kAmbiguous || receives.empty()) return;
    state_[i] = State::kDone;
    if (receives.size() < 2) return;
    ++counts.broadcasts;
    std::string line;
    for (const auto& [process, name] : receives) Append(line, name);
    broadcasts.insert(line);
  }
  void CountRest(size_t i) {
    if (state_[i] == State::kAmbiguous) ++counts.ambiguous;
    if (state_[i] != State::kWaiting) return;
    ++(At(i).kind == EventKind::kReceive ? counts.unmatched_receives : counts.unmatched_sends);
  }

  const std::vector<std::pair<Event, uint64_t>>& events_;
  std::vector<State> state_;
};

template <typename T>
std::multiset<T> Sorted(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}

TEST(NamedMatcher, AgreesWithTheQuadraticOracle) {
  const uint64_t seed = 20240620;
  std::mt19937_64 random(seed);
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE(fmt::format("seed {} round {}", seed, round));
    const uint32_t processes = 2 + random() % 4;
    const uint64_t ids = 1 + random() % 30;
    const uint64_t broadcast_share = random() % 30;  // percent
    Feed feed;
    for (uint64_t i = random() % 60; i > 0; --i) {
      const auto process = static_cast<uint32_t>(random() % processes);
      const auto peer = static_cast<uint32_t>(random() % processes);
      const uint64_t message = random() % ids;
      const bool is_broadcast = random() % 100 < broadcast_share;
      const auto transfer = random() % 2 == 0 ? EventKind::kSend : EventKind::kReceive;
      feed.Add(is_broadcast ? EventKind::kBroadcast : transfer, process, peer, message);
    }
    const Oracle oracle(feed.events);
    ASSERT_EQ(feed.Finish(), oracle.counts);
    ASSERT_EQ(Sorted(feed.found.messages), oracle.messages);
    ASSERT_EQ(Sorted(feed.found.broadcasts), oracle.broadcasts);
  }
}

}  // namespace
}  // namespace syncline
