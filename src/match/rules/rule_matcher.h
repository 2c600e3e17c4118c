// Pairs events into messages by the rules a user gave: those of one rule that agree in their keys.
//
// Events may come in any order; result and order of delivery depend on neither that nor time. All
// events of a key are looked at together, and what is in doubt is never paired: a second send or
// receive of a key makes all its events ambiguous. RuleKind says what a key may have:
//   ->   one send and one receive; a message, if they are in different processes
//   =>   one send and any number of receives; a message to each in another process. Receives of two
//        or more clocks other than the sender's are a Broadcast too, the first one of each; so are
//        receives without any send, if no clock has two.
//   <->  events of at most two clocks, one send and one receive each: up to two messages, from one
//        clock to the other.
// Errors: temporary storage. Ownership: values are not kept. Cost: 40 bytes per event, in temporary
// disk space beyond memory_bytes, and about 300 ns; keys have 128 bits (key_hash.h).
// Tested by: rule_matcher_test.cc (against a quadratic oracle).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "syncline/diagnostics.h"
#include "syncline/message.h"
#include "syncline/result.h"

#include "match/rules/rule.h"
#include "match/rules/rule_binding.h"
#include "match/rules/rule_event_store.h"

namespace syncline {

// What became of the events that a rule names. Every event of `sends` and `receives` is in exactly
// one of the groups from `matched_sends` on.
struct RuleMatchCounts {
  uint64_t messages = 0;
  uint64_t broadcasts = 0;
  uint64_t without_key = 0;  // events without a field that their class has; not among the others
  uint64_t sends = 0;
  uint64_t receives = 0;
  uint64_t matched_sends = 0;     // part of a message
  uint64_t matched_receives = 0;  // part of a message, or of a broadcast without recorded send
  uint64_t unmatched_sends = 0;
  uint64_t unmatched_receives = 0;
  uint64_t ambiguous = 0;
  uint64_t to_itself = 0;  // both ends in one process
  friend bool operator==(const RuleMatchCounts&, const RuleMatchCounts&) = default;
};

struct RuleMatchOptions {
  // Events kept in memory before they go to temporary disk space.
  size_t memory_bytes = size_t{64} << 20;
};

class RuleMatcher {
 public:
  // `rules` outlives the matcher. Requires at most kMaxRules.
  explicit RuleMatcher(std::span<const Rule> rules, RuleMatchOptions options = {});

  // By what name events call the host of this clock, in fields that tell the other end. Without
  // it, the name is empty. To be called before the clock's events are added.
  void NameHost(ClockId clock, std::string_view name);

  // Says that there is an event class of this binding, perhaps without events; for rules that find
  // no messages.
  void Note(const RuleBinding& binding);

  // An event of `binding`'s class. Requires event.index < 2^48. `earliest`: stands for the event
  // where it is a send that may have been stamped late.
  Result<void> Add(const RuleBinding& binding, std::span<const RuleValue> values,
                   const EventRef& event, ClockId clock,
                   const std::optional<EventRef>& earliest = std::nullopt);

  // Delivers the messages; counts by rule. The matcher is used up afterwards. Diagnostics:
  // "rule-without-messages" and "rule-keys-not-unique" (warning), with the rule and its counts;
  // "unmatched-send", "unmatched-receive", "message-to-itself", "event-without-key" (info).
  Result<std::vector<RuleMatchCounts>> Finish(MessageSink& sink, Diagnostics& diagnostics);

 private:
  // Whether event classes have the name and the fields of a side.
  struct Presence {
    bool is_there = false;
    std::string missing;  // of one that has the name alone
  };
  // Of one rule, while its events are added.
  struct Progress {
    RuleMatchCounts counts;
    Presence send;
    Presence receive;
    // Events with the least keys, of either side, in words: an even sample of all keys that does
    // not depend on the order of events.
    std::map<std::pair<uint64_t, RuleSideKind>, std::string> sample;
    std::string ambiguous;  // an example
    // Of an event without key: its name, and the field that it lacks; the first ones by name.
    std::pair<std::string_view, std::string_view> without_key;
  };

  Result<void> AddSide(const BoundSide& side, std::span<const RuleValue> values,
                       const EventRef& event, ClockId clock);
  KeyHash HashKey(const BoundSide& side, std::span<const RuleValue> values, ClockId clock) const;
  void TakeSample(const BoundSide& side, std::span<const RuleValue> values, uint64_t key);
  void Resolve(std::span<const RuleEvent> events, MessageSink& sink);
  Result<void> ResolveAll(MessageSink& sink);
  void CountDiagnostics(Diagnostics& diagnostics) const;
  static std::string WhyNoMessages(const Rule& rule, const Progress& progress);

  std::span<const Rule> rules_;
  std::vector<Progress> progress_;  // by rule
  std::vector<std::string> hosts_;  // by clock
  RuleEventStore store_;
};

}  // namespace syncline
