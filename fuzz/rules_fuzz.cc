// Reads any bytes as matching rules, and holds parser, binding and matcher to:
// - each rule's text, parsed alone, is the same rule;
// - both sides have as many keys, and none has a name that is empty;
// - an event is bound to every rule that names it, and asks for each field once;
// - of the events that take part, each has one fate, and messages join two processes.

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "match/rules/rule_matcher.h"

namespace syncline {
namespace {

bool AreSame(const RuleSide& x, const RuleSide& y) {
  const auto same = [](const RuleCondition& a, const RuleCondition& b) {
    return a.field == b.field && a.comparison == b.comparison && a.value == b.value;
  };
  return x.event == y.event && x.keys == y.keys && x.size == y.size && x.peer == y.peer &&
         std::equal(x.conditions.begin(), x.conditions.end(), y.conditions.begin(),
                    y.conditions.end(), same);
}

void CheckRule(const Rule& rule) {
  const auto again = ParseRules(rule.text, "again");
  SYNCLINE_CHECK(again.has_value() && again->rules.size() == 1);
  SYNCLINE_CHECK(again->rules.front().kind == rule.kind);
  SYNCLINE_CHECK(AreSame(again->rules.front().send, rule.send));
  SYNCLINE_CHECK(AreSame(again->rules.front().receive, rule.receive));
  SYNCLINE_CHECK(!rule.send.keys.empty());
  SYNCLINE_CHECK(rule.send.keys.size() == rule.receive.keys.size());
  for (const RuleSide* side : {&rule.send, &rule.receive}) {
    SYNCLINE_CHECK(!side->event.empty());
    for (const std::string& key : side->keys) SYNCLINE_CHECK(!key.empty());
  }
}

struct Sink : MessageSink {
  void OnMessage(const Message& message) override {
    SYNCLINE_CHECK(message.send.process != message.receive.process);
    ++messages;
  }
  void OnBroadcast(const Broadcast& broadcast) override {
    SYNCLINE_CHECK(broadcast.receives.size() >= 2);
  }
  uint64_t messages = 0;
};

// Values that repeat, taken from the input.
std::vector<RuleValue> Values(size_t count, std::string_view text, uint64_t number) {
  std::vector<RuleValue> values;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t byte = static_cast<unsigned char>(text[(number + i) % text.size()]);
    switch (byte % 5) {
      case 0: values.emplace_back(byte / 64); break;
      case 1: values.emplace_back(static_cast<int64_t>(byte) - 128); break;
      case 2: values.emplace_back(text.substr(0, byte % 3)); break;
      case 3: values.emplace_back(static_cast<double>(byte) / 4); break;
      default: values.emplace_back();
    }
  }
  return values;
}

void CheckMatching(const std::vector<Rule>& rules, std::string_view text) {
  Diagnostics diagnostics;
  RuleMatcher matcher(rules);
  uint64_t number = 0;
  for (const Rule& rule : rules) {
    for (const std::string& event : {rule.send.event, rule.receive.event}) {
      const RuleBinding binding = BindRules(
          rules, event, [](std::string_view) { return true; }, diagnostics);
      SYNCLINE_CHECK(!binding.empty());
      const auto fields = binding.fields();
      SYNCLINE_CHECK(std::set(fields.begin(), fields.end()).size() == fields.size());
      const auto process = static_cast<uint32_t>(number % 3);
      const auto values = Values(fields.size(), text, number);
      const EventRef ref = {ProcessId(process), number, LocalTime{INT64_MAX}};
      SYNCLINE_CHECK(matcher.Add(binding, values, ref, ClockId(process)).has_value());
      ++number;
    }
  }
  Sink sink;
  const auto counts = matcher.Finish(sink, diagnostics);
  SYNCLINE_CHECK(counts.has_value() && counts->size() == rules.size());
  uint64_t messages = 0;
  for (const RuleMatchCounts& c : *counts) {
    SYNCLINE_CHECK(c.sends + c.receives == c.matched_sends + c.matched_receives +
                                               c.unmatched_sends + c.unmatched_receives +
                                               c.ambiguous + c.to_itself);
    messages += c.messages;
  }
  SYNCLINE_CHECK(messages == sink.messages);
}

}  // namespace
}  // namespace syncline

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto rules = syncline::ParseRules(text, "rules");
  if (!rules) {
    SYNCLINE_CHECK(!rules.error().message.empty());
    return 0;
  }
  for (const syncline::Rule& rule : rules->rules) syncline::CheckRule(rule);
  if (rules->rules.size() <= 20) syncline::CheckMatching(rules->rules, text);
  return 0;
}
