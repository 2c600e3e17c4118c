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

#include "base/pattern.h"
#include "match/rules/rule_value.h"
#include "model/log_source.h"

namespace syncline {

enum class RuleKind : uint8_t {
  kMessage,    // ->   a key names one message
  kBroadcast,  // =>   a key names one send and any number of receives
  kExchange,   // <->  a key names a request and its reply, between two hosts
};

enum class RuleSideKind : uint8_t { kSend, kReceive };

enum class RuleComparison : uint8_t { kEqual, kNotEqual, kFits };

// Only events whose field compares so with the value, or fits the pattern, take part.
struct RuleCondition {
  std::string field;
  RuleComparison comparison = RuleComparison::kEqual;
  OwnedRuleValue value;
  std::optional<Pattern> pattern = std::nullopt;  // of kFits; its named groups are fields as well
};

// Fields are named as in the trace; a dot leads into a structure.
struct RuleSide {
  std::string event;              // the event's name; * stands for any run of characters
  std::vector<std::string> keys;  // the n-th of one side belongs to the n-th of the other
  std::optional<std::string> size;
  // Holds the name of the other host: of the receiver in a send, of the sender in a receive.
  std::optional<std::string> peer;
  std::vector<RuleCondition> conditions;
  int64_t late_ns = 0;  // how long after a send its event may have been stamped
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

struct RuleSet {
  std::vector<Rule> rules;
  std::vector<LogSource> sources;  // how logs are read
};

// All rules of a text, one per line; `name` is what errors call it, a file or an option.
Result<RuleSet> ParseRules(std::string_view text, const std::string& name);
// The same of a file.
Result<RuleSet> ReadRules(const std::string& path);
// Rules from a command line: texts (--match), then files (--rules), in order. A text or a file
// without any rule or source is an error, and so are more than kMaxRules of either.
Result<RuleSet> GatherRules(const std::vector<std::string>& texts,
                            const std::vector<std::string>& files);

}  // namespace syncline
