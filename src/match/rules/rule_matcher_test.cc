#include "match/rules/rule_matcher.h"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::string Show(const EventRef& e) { return fmt::format("{}#{}", e.process.value, e.index); }

struct Recorder : MessageSink {
  void OnMessage(const Message& m) override {
    messages.push_back(fmt::format("{} > {}", Show(m.send), Show(m.receive)));
  }
  void OnBroadcast(const Broadcast& b) override {
    std::string line;
    for (const EventRef& receive : b.receives) {
      line += fmt::format("{}{}", line.empty() ? "" : " ", Show(receive));
    }
    broadcasts.push_back(line);
  }
  std::vector<std::string> messages;
  std::vector<std::string> broadcasts;
};

// Processes 2c and 2c + 1 are of clock c, called "host c". Events have the fields k and peer.
class Trace {
 public:
  explicit Trace(const std::string& rules, RuleMatchOptions options = {})
      : rules_(ParseRules(rules, "t")->rules), matcher_(rules_, options) {
    for (uint32_t c = 0; c < 4; ++c) matcher_.NameHost(ClockId(c), fmt::format("host {}", c));
  }

  void Add(const std::string& event, uint32_t process, uint64_t index, RuleValue key,
           RuleValue peer = {}, int64_t time = 0) {
    const RuleBinding binding = BindRules(
        rules_, event, [](std::string_view) { return true; }, diagnostics);
    std::vector<RuleValue> values;
    for (const std::string& field : binding.fields()) values.push_back(field == "k" ? key : peer);
    const EventRef ref = {ProcessId(process), index, LocalTime{time}};
    ASSERT_TRUE(matcher_.Add(binding, values, ref, ClockId(process / 2)).has_value());
  }

  RuleMatchCounts Finish() { return FinishAll().front(); }
  std::vector<RuleMatchCounts> FinishAll() {
    auto counts = matcher_.Finish(found, diagnostics);
    EXPECT_TRUE(counts.has_value());
    return *counts;
  }

  Diagnostics diagnostics;
  Recorder found;

 private:
  std::vector<Rule> rules_;
  RuleMatcher matcher_;
};

TEST(RuleMatcher, PairsASendWithTheReceiveOfTheSameKey) {
  Trace trace("s(k) -> r(k)");
  trace.Add("r", 2, 0, uint64_t{8});
  trace.Add("s", 0, 0, uint64_t{7});
  trace.Add("s", 0, 1, uint64_t{8});
  trace.Add("r", 2, 1, "7");
  const RuleMatchCounts counts = trace.Finish();
  EXPECT_THAT(trace.found.messages, UnorderedElementsAre("0#0 > 2#1", "0#1 > 2#0"));
  EXPECT_THAT(trace.found.broadcasts, IsEmpty());
  EXPECT_EQ(
      counts,
      (RuleMatchCounts{
          .messages = 2, .sends = 2, .receives = 2, .matched_sends = 2, .matched_receives = 2}));
  EXPECT_TRUE(trace.diagnostics.all().empty());
}

TEST(RuleMatcher, CountsWhatHasNoPartner) {
  Trace trace("s(k) -> r(k)");
  trace.Add("s", 0, 0, uint64_t{1});
  trace.Add("s", 0, 1, uint64_t{2});
  trace.Add("r", 2, 0, uint64_t{2});
  trace.Add("r", 2, 1, uint64_t{3});
  trace.Add("r", 2, 2, uint64_t{4});
  const RuleMatchCounts counts = trace.Finish();
  EXPECT_EQ(counts.unmatched_sends, 1);
  EXPECT_EQ(counts.unmatched_receives, 2);
  EXPECT_EQ(trace.diagnostics.count("unmatched-send"), 1);
  EXPECT_EQ(trace.diagnostics.count("unmatched-receive"), 2);
}

TEST(RuleMatcher, NeverPairsAKeyThatComesAgain) {
  Trace trace("s(k) -> r(k)");
  trace.Add("s", 0, 0, uint64_t{1});
  trace.Add("r", 2, 0, uint64_t{1});
  trace.Add("s", 0, 1, uint64_t{1});
  trace.Add("s", 0, 2, uint64_t{2});
  trace.Add("r", 2, 1, uint64_t{2});
  const RuleMatchCounts counts = trace.Finish();
  EXPECT_THAT(trace.found.messages, ElementsAre("0#2 > 2#1"));
  EXPECT_EQ(counts.ambiguous, 3);
  const Diagnostic& found = trace.diagnostics.all().at("rule-keys-not-unique");
  EXPECT_EQ(found.count, 3);
  EXPECT_EQ(found.severity, Severity::kWarning);
  EXPECT_EQ(found.example, "t:1: s(k) -> r(k): s(k=1) is not the only one");
}

TEST(RuleMatcher, ProcessesOfOneClockExchangeMessagesButNotAProcessWithItself) {
  Trace trace("s(k) -> r(k)");
  trace.Add("s", 0, 0, uint64_t{1});
  trace.Add("r", 1, 0, uint64_t{1});
  trace.Add("s", 0, 1, uint64_t{2});
  trace.Add("r", 0, 2, uint64_t{2});
  const RuleMatchCounts counts = trace.Finish();
  EXPECT_THAT(trace.found.messages, ElementsAre("0#0 > 1#0"));
  EXPECT_EQ(counts.to_itself, 2);
  EXPECT_EQ(trace.diagnostics.count("message-to-itself"), 2);
}

TEST(RuleMatcher, BroadcastReachesEveryOtherProcess) {
  Trace trace("s(k) => r(k)");
  trace.Add("s", 0, 0, uint64_t{1});
  trace.Add("r", 0, 1, uint64_t{1});               // to itself
  trace.Add("r", 1, 0, uint64_t{1});               // another process of the sender's clock
  trace.Add("r", 2, 0, uint64_t{1}, {}, 50);       // clock 1, the later one
  trace.Add("r", 3, 0, uint64_t{1}, {}, 40);       // clock 1, the first
  trace.Add("r", 4, 0, uint64_t{1}, {}, 1 << 30);  // clock 2
  const RuleMatchCounts counts = trace.Finish();
  EXPECT_THAT(trace.found.messages,
              UnorderedElementsAre("0#0 > 1#0", "0#0 > 2#0", "0#0 > 3#0", "0#0 > 4#0"));
  EXPECT_THAT(trace.found.broadcasts, ElementsAre("3#0 4#0"));
  EXPECT_EQ(counts, (RuleMatchCounts{.messages = 4,
                                     .broadcasts = 1,
                                     .sends = 1,
                                     .receives = 5,
                                     .matched_sends = 1,
                                     .matched_receives = 4,
                                     .to_itself = 1}));
}

TEST(RuleMatcher, BroadcastWithoutRecordedSendIsItsReceives) {
  Trace trace("s(k) => r(k)");
  trace.Add("r", 2, 0, uint64_t{1});
  trace.Add("r", 4, 0, uint64_t{1});
  trace.Add("r", 2, 1, uint64_t{2});  // clock 1 has it twice
  trace.Add("r", 3, 0, uint64_t{2});
  trace.Add("r", 4, 1, uint64_t{2});
  trace.Add("r", 4, 2, uint64_t{3});
  const RuleMatchCounts counts = trace.Finish();
  EXPECT_THAT(trace.found.messages, IsEmpty());
  EXPECT_THAT(trace.found.broadcasts, ElementsAre("2#0 4#0"));
  EXPECT_EQ(counts.matched_receives, 2);
  EXPECT_EQ(counts.unmatched_receives, 4);
}

TEST(RuleMatcher, TwoSendsMakeABroadcastAmbiguous) {
  Trace trace("s(k) => r(k)");
  trace.Add("s", 0, 0, uint64_t{1});
  trace.Add("s", 2, 0, uint64_t{1});
  trace.Add("r", 4, 0, uint64_t{1});
  EXPECT_EQ(trace.Finish().ambiguous, 3);
  EXPECT_THAT(trace.found.messages, IsEmpty());
}

TEST(RuleMatcher, ExchangeIsTwoMessagesOfOneKey) {
  Trace trace("s(k) <-> r(k)");
  trace.Add("s", 0, 0, uint64_t{1});  // request
  trace.Add("r", 2, 0, uint64_t{1});
  trace.Add("s", 3, 0, uint64_t{1});  // reply, from another process of that clock
  trace.Add("r", 0, 1, uint64_t{1});
  EXPECT_EQ(trace.Finish().messages, 2);
  EXPECT_THAT(trace.found.messages, UnorderedElementsAre("0#0 > 2#0", "3#0 > 0#1"));
}

TEST(RuleMatcher, HalfAnExchangeIsOneMessage) {
  Trace trace("s(k) <-> r(k)");
  trace.Add("s", 0, 0, uint64_t{1});
  trace.Add("r", 2, 0, uint64_t{1});
  trace.Add("s", 2, 1, uint64_t{1});  // its reply was lost
  trace.Add("s", 0, 2, uint64_t{2});  // between 0 and a host that is not there
  trace.Add("r", 0, 3, uint64_t{2});
  const RuleMatchCounts counts = trace.Finish();
  EXPECT_THAT(trace.found.messages, ElementsAre("0#0 > 2#0"));
  EXPECT_EQ(counts.unmatched_sends, 2);
  EXPECT_EQ(counts.unmatched_receives, 1);
}

TEST(RuleMatcher, ExchangeOfThreeClocksOrWithARepetitionIsAmbiguous) {
  Trace trace("s(k) <-> r(k)");
  trace.Add("s", 0, 0, uint64_t{1});
  trace.Add("r", 2, 0, uint64_t{1});
  trace.Add("r", 4, 0, uint64_t{1});
  trace.Add("s", 0, 1, uint64_t{2});
  trace.Add("s", 1, 1, uint64_t{2});
  trace.Add("r", 2, 1, uint64_t{2});
  EXPECT_EQ(trace.Finish().ambiguous, 6);
  EXPECT_THAT(trace.found.messages, IsEmpty());
  EXPECT_THAT(trace.diagnostics.all().at("rule-keys-not-unique").example,
              HasSubstr("is not the only one"));
}

TEST(RuleMatcher, PeerFieldsNameTheOtherHost) {
  Trace trace("s(k) to peer -> r(k) from peer");
  trace.Add("s", 0, 0, uint64_t{1}, "host 1");
  trace.Add("s", 4, 0, uint64_t{1}, "host 1");
  trace.Add("s", 2, 0, uint64_t{1}, "host 0");
  trace.Add("r", 2, 1, uint64_t{1}, "host 2");
  trace.Add("r", 3, 0, uint64_t{1}, "host 0");
  trace.Add("r", 4, 1, uint64_t{1}, "host 0");
  EXPECT_EQ(trace.Finish().messages, 2);
  EXPECT_THAT(trace.found.messages, UnorderedElementsAre("0#0 > 3#0", "4#0 > 2#1"));
}

TEST(RuleMatcher, OnePeerFieldIsEnough) {
  Trace trace("s(k) to peer -> r(k)");
  trace.Add("s", 0, 0, uint64_t{1}, "host 1");
  trace.Add("s", 0, 1, uint64_t{1}, "host 2");
  trace.Add("r", 2, 0, uint64_t{1});
  trace.Add("r", 4, 0, uint64_t{1});
  EXPECT_EQ(trace.Finish().messages, 2);
  EXPECT_THAT(trace.found.messages, UnorderedElementsAre("0#0 > 2#0", "0#1 > 4#0"));
}

TEST(RuleMatcher, EventsOfDifferentRulesNeverMeet) {
  Trace trace("s(k) -> r(k)\nt(k) -> u(k)");
  trace.Add("s", 0, 0, uint64_t{1});
  trace.Add("u", 2, 0, uint64_t{1});
  const auto counts = trace.FinishAll();
  EXPECT_EQ(counts[0].unmatched_sends, 1);
  EXPECT_EQ(counts[1].unmatched_receives, 1);
}

TEST(RuleMatcher, EventsWithoutAKeyFieldAreCounted) {
  Trace trace("s(k) -> r(k)");
  trace.Add("s", 0, 0, std::monostate());
  trace.Add("r", 2, 0, std::monostate());
  const RuleMatchCounts counts = trace.Finish();
  EXPECT_EQ(counts.without_key, 2);
  EXPECT_EQ(counts.sends + counts.receives, 0);
  EXPECT_EQ(trace.diagnostics.count("event-without-key"), 2);
  EXPECT_EQ(trace.diagnostics.all().at("event-without-key").example,
            "t:1: s(k) -> r(k): r without k");
  EXPECT_EQ(trace.diagnostics.all().at("rule-without-messages").example,
            "t:1: s(k) -> r(k): 0 sends, 0 receives; 2 events of these names lack a field of the "
            "key, such as r without k");
}

std::string WhyNoMessages(Trace& trace) {
  trace.Finish();
  const Diagnostic& found = trace.diagnostics.all().at("rule-without-messages");
  EXPECT_EQ(found.severity, Severity::kWarning);
  return found.example;
}

TEST(RuleMatcher, ARuleWithoutMessagesSaysWhatItFound) {
  Trace trace("s(k) -> r(k)\nt(k) -> u(k)");
  trace.Add("s", 0, 0, uint64_t{1});
  trace.Add("s", 0, 1, uint64_t{2});
  EXPECT_EQ(WhyNoMessages(trace), "t:1: s(k) -> r(k): 2 sends, 0 receives; no event is called r");
  EXPECT_EQ(trace.diagnostics.count("rule-without-messages"), 2);
}

TEST(RuleMatcher, ARuleWithoutMessagesNamesTheKeysThatAreNotUnique) {
  Trace trace("s(k) -> r(k)");
  for (uint64_t i = 0; i < 3; ++i) trace.Add("s", 0, i, "tcp");
  trace.Add("r", 2, 0, "tcp");
  EXPECT_EQ(WhyNoMessages(trace),
            "t:1: s(k) -> r(k): 3 sends, 1 receives; 4 have keys that are not unique, such as "
            "s(k=\"tcp\")");
}

TEST(RuleMatcher, ARuleWithoutMessagesShowsKeysThatDiffer) {
  Trace trace("s(k) -> r(k)");
  trace.Add("s", 0, 0, uint64_t{7});
  trace.Add("r", 2, 0, "07");
  EXPECT_EQ(WhyNoMessages(trace),
            "t:1: s(k) -> r(k): 1 sends, 1 receives; no keys are equal, such as s(k=7) and "
            "r(k=\"07\")");
}

TEST(RuleMatcher, ARuleWithoutMessagesNamesTheFieldThatIsMissing) {
  const auto parsed = ParseRules("s(k) -> r(kk)", "t");
  ASSERT_TRUE(parsed.has_value());
  const std::vector<Rule>& rules = parsed->rules;
  RuleMatcher matcher(rules);
  Diagnostics diagnostics;
  const auto has_field = [](std::string_view field) { return field == "k"; };
  for (const std::string_view event : {"s", "r"}) {
    matcher.Note(BindRules(rules, event, has_field, diagnostics));
  }
  Recorder found;
  ASSERT_TRUE(matcher.Finish(found, diagnostics).has_value());
  EXPECT_EQ(diagnostics.all().at("rule-without-messages").example,
            "t:1: s(k) -> r(kk): 0 sends, 0 receives; r has no field 'kk'");
}

TEST(RuleMatcher, ShowsTheSameAmbiguousKeyInAnyOrderOfEvents) {
  const auto example = [](uint64_t step) {
    Trace trace("s(k) -> r(k)");
    for (uint64_t i = 0; i < 10'000; ++i) {
      const uint64_t key = i * step % 10'000;
      trace.Add("s", 0, key, key);
      if (key % 10 == 0) trace.Add("s", 2, key, key);
    }
    EXPECT_EQ(trace.Finish().ambiguous, 2 * 1000);
    return trace.diagnostics.all().at("rule-keys-not-unique").example;
  };
  const std::string expected = example(1);
  EXPECT_THAT(expected, testing::MatchesRegex(
                            "t:1: s\\(k\\) -> r\\(k\\): s\\(k=[0-9]+0\\) is not the only one"));
  EXPECT_EQ(example(7), expected);
}

TEST(RuleMatcher, NamesAnAmbiguousEventWhoseKeyIsNotInTheSample) {
  Trace trace("s(k) -> r(k)");
  for (uint64_t i = 0; i < 20'000; ++i) trace.Add("s", 0, i, i);
  trace.Add("s", 2, 7, uint64_t{12'345});
  EXPECT_EQ(trace.Finish().ambiguous, 2);
  EXPECT_EQ(trace.diagnostics.all().at("rule-keys-not-unique").example,
            "t:1: s(k) -> r(k): event 12345 of process number 0 is not the only one");
}

TEST(RuleMatcher, CountsEventsThatRepeatWithoutEndInBoundedMemory) {
  constexpr uint64_t kEvents = 10'000;
  Trace trace("s(k) -> r(k)", {.memory_bytes = 0});
  for (uint64_t i = 0; i < kEvents; ++i) trace.Add("s", 0, i, uint64_t{1});
  const RuleMatchCounts counts = trace.Finish();
  EXPECT_EQ(counts.sends, kEvents);
  EXPECT_EQ(counts.ambiguous, kEvents);
}

// By definition, for every pair of a send and a receive; quadratic.
struct OracleEvent {
  size_t rule = 0;
  RuleSideKind side = RuleSideKind::kSend;
  uint64_t key = 0;
  uint32_t process = 0;
  uint64_t index = 0;
};
constexpr RuleKind kKinds[] = {RuleKind::kMessage, RuleKind::kBroadcast, RuleKind::kExchange};

bool BelongTogether(const std::vector<OracleEvent>& events, const OracleEvent& s,
                    const OracleEvent& r) {
  if (s.side != RuleSideKind::kSend || r.side != RuleSideKind::kReceive) return false;
  if (s.rule != r.rule || s.key != r.key || s.process == r.process) return false;
  std::map<RuleSideKind, int> by_side;
  std::map<std::pair<RuleSideKind, uint32_t>, int> by_clock_and_side;
  std::set<uint32_t> clocks;
  for (const OracleEvent& e : events) {
    if (e.rule != s.rule || e.key != s.key) continue;
    ++by_side[e.side];
    ++by_clock_and_side[{e.side, e.process / 2}];
    clocks.insert(e.process / 2);
  }
  switch (kKinds[s.rule]) {
    case RuleKind::kMessage:
      return by_side[RuleSideKind::kSend] == 1 && by_side[RuleSideKind::kReceive] == 1;
    case RuleKind::kBroadcast: return by_side[RuleSideKind::kSend] == 1;
    case RuleKind::kExchange:
      return s.process / 2 != r.process / 2 && clocks.size() <= 2 &&
             std::all_of(by_clock_and_side.begin(), by_clock_and_side.end(),
                         [](const auto& entry) { return entry.second == 1; });
  }
  return false;
}

std::vector<OracleEvent> RandomEvents(std::mt19937_64& random) {
  const auto below = [&](uint64_t n) { return random() % n; };
  const uint64_t keys = 1 + below(60);
  std::vector<OracleEvent> events(1 + below(150));
  for (size_t i = 0; i < events.size(); ++i) {
    events[i] = {below(3), static_cast<RuleSideKind>(below(2)), below(keys),
                 static_cast<uint32_t>(below(8)), i};
  }
  return events;
}

TEST(RuleMatcher, AgreesWithTheDefinitionInAnyOrderOfEvents) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::mt19937_64 random(seed);
    std::vector<OracleEvent> events = RandomEvents(random);
    std::vector<std::string> expected;
    for (const OracleEvent& s : events) {
      for (const OracleEvent& r : events) {
        if (!BelongTogether(events, s, r)) continue;
        expected.push_back(fmt::format("{}#{} > {}#{}", s.process, s.index, r.process, r.index));
      }
    }
    std::shuffle(events.begin(), events.end(), random);
    Trace trace("s0(k) -> r0(k)\ns1(k) => r1(k)\ns2(k) <-> r2(k)");
    for (const OracleEvent& e : events) {
      const char side = e.side == RuleSideKind::kSend ? 's' : 'r';
      trace.Add(fmt::format("{}{}", side, e.rule), e.process, e.index, e.key);
    }
    const auto counts = trace.FinishAll();
    EXPECT_THAT(trace.found.messages, testing::UnorderedElementsAreArray(expected));
    for (const RuleMatchCounts& c : counts) {
      EXPECT_EQ(c.sends + c.receives, c.matched_sends + c.matched_receives + c.unmatched_sends +
                                          c.unmatched_receives + c.ambiguous + c.to_itself);
    }
  }
}

}  // namespace
}  // namespace syncline
