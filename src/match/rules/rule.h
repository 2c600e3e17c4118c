// Rules by which a user says what events are messages: their names, and the fields they agree in.
//
// The language: docs/formats/rules.md. Errors carry file, line and column, and say what was
// expected; they are kUsage, for rules are part of the request. Tested by: rule_parser_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "syncline/result.h"

#include "match/rules/rule_value.h"

namespace syncline {

enum class RuleKind : uint8_t {
  kMessage,    // ->   a key names one message
  kBroadcast,  // =>   a key names one send and any number of receives
  kExchange,   // <->  a key names a request and its reply, between two hosts
};

enum class RuleSideKind : uint8_t { kSend, kReceive };

enum class RuleComparison : uint8_t { kEqual, kNotEqual };

// Only events whose field compares so with the value take part.
struct RuleCondition {
  std::string field;
  RuleComparison comparison = RuleComparison::kEqual;
  OwnedRuleValue value;
};

// Fields are named as in the trace; a dot leads into a structure.
struct RuleSide {
  std::string event;              // the event's name; * stands for any run of characters
  std::vector<std::string> keys;  // the n-th of one side belongs to the n-th of the other
  std::optional<std::string> size;
  // Holds the name of the other host: of the receiver in a send, of the sender in a receive.
  std::optional<std::string> peer;
  std::vector<RuleCondition> conditions;
};

struct Rule {
  RuleKind kind = RuleKind::kMessage;
  RuleSide send;
  RuleSide receive;
  std::string text;   // as written, without comment
  std::string place;  // "FILE:LINE"

  const RuleSide& side(RuleSideKind kind_of_side) const {
    return kind_of_side == RuleSideKind::kSend ? send : receive;
  }
};

inline constexpr size_t kMaxRules = 1000;

// All rules of a text, one per line; `name` is what errors call it, a file or an option.
Result<std::vector<Rule>> ParseRules(std::string_view text, const std::string& name);
// The same of a file.
Result<std::vector<Rule>> ReadRules(const std::string& path);
// Rules from a command line: texts (--match), then files (--rules), in order. A text or a file
// without any rule is an error, and so are more than kMaxRules.
Result<std::vector<Rule>> GatherRules(const std::vector<std::string>& texts,
                                      const std::vector<std::string>& files);

// Whether a rule's event name, perhaps with *, is that of an event.
bool MatchesEventName(std::string_view pattern, std::string_view name);

}  // namespace syncline
