// Recursive descent over the grammar of docs/formats/rules.md, one line at a time.

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text_scanner.h"
#include "base/try.h"
#include "match/rules/log_source_parser.h"
#include "match/rules/rule.h"
#include "match/rules/rule_line.h"

namespace syncline {
namespace {

// NAME=FIELD has a label; FIELD alone has none.
struct Key {
  std::string label;
  std::string field;
  size_t begin = 0;
  friend bool operator==(const Key&, const Key&) = default;
};

struct ParsedSide {
  RuleSide side;
  std::vector<Key> keys;
  size_t keys_end = 0;  // where the closing parenthesis is
};

Result<OwnedRuleValue> NumberFrom(const std::string& word) {
  const bool negative = word.starts_with('-');
  const bool is_hex = word.starts_with("0x") || word.starts_with("0X");
  const char* const end = word.data() + word.size();
  uint64_t natural = 0;
  int64_t whole = 0;
  const auto read =
      negative ? std::from_chars(word.data(), end, whole)
               : std::from_chars(word.data() + (is_hex ? 2 : 0), end, natural, is_hex ? 16 : 10);
  if (read.ec != std::errc() || read.ptr != end) return Fail(ErrorCode::kUsage, {});
  return negative ? OwnedRuleValue(whole) : OwnedRuleValue(natural);
}

class LineParser : RuleLine {
 public:
  using RuleLine::RuleLine;

  Result<Rule> Parse() {
    Rule rule;
    rule.place = place();
    const size_t begin = scanner_.token().begin;
    SYNCLINE_ASSIGN(auto send, ParseSide(RuleSideKind::kSend));
    SYNCLINE_ASSIGN(auto kind, ParseArrow());
    rule.kind = kind;
    SYNCLINE_ASSIGN(auto receive, ParseSide(RuleSideKind::kReceive));
    if (!is_blank()) return Expected("the end of the rule");
    SYNCLINE_TRY(PairKeys(send, receive));
    rule.text = TextFrom(begin);
    rule.send = std::move(send.side);
    rule.receive = std::move(receive.side);
    return rule;
  }

 private:
  Result<ParsedSide> ParseSide(RuleSideKind kind) {
    ParsedSide parsed;
    SYNCLINE_ASSIGN(auto event,
                    ParseName(kind == RuleSideKind::kSend ? "the name of a send event"
                                                          : "the name of a receive event"));
    parsed.side.event = std::move(event);
    if (!scanner_.token().Is("(")) return Expected("'(' and the fields of the key");
    do {
      scanner_.Advance();
      SYNCLINE_ASSIGN(auto key, ParseKey());
      parsed.keys.push_back(std::move(key));
    } while (scanner_.token().Is(","));
    if (!scanner_.token().Is(")")) return Expected("',' or ')' after a field");
    parsed.keys_end = Take().begin;
    SYNCLINE_TRY(ParseClauses(kind, parsed.side));
    return parsed;
  }

  Result<Key> ParseKey() {
    const size_t begin = scanner_.token().begin;
    SYNCLINE_ASSIGN(auto name, ParseName("a field"));
    if (!scanner_.token().Is("=")) return Key{{}, std::move(name), begin};
    scanner_.Advance();
    SYNCLINE_ASSIGN(auto field, ParseName("a field after '='"));
    return Key{std::move(name), std::move(field), begin};
  }

  Result<void> ParseClauses(RuleSideKind kind, RuleSide& side) {
    const std::string_view peer = kind == RuleSideKind::kSend ? "to" : "from";
    while (scanner_.token().kind == Token::kWord) {
      const RuleToken word = Take();
      Result<void> done;
      if (word.text == "size") {
        done = ParseField(word, side.size);
      } else if (word.text == peer) {
        done = ParseField(word, side.peer);
      } else if (word.text == "late" && kind == RuleSideKind::kSend) {
        done = ParseLate(word, side.late_ns);
      } else if (word.text == "where" && side.conditions.empty()) {
        done = ParseConditions(side);
      } else {
        return FailAt(word.begin, ClauseMessage(word.text, kind));
      }
      if (!done) return done;
    }
    return {};
  }

  static std::string ClauseMessage(std::string_view word, RuleSideKind kind) {
    if (word == "to") return "'to' belongs to a send event; a receive event has 'from'";
    if (word == "from") return "'from' belongs to a receive event; a send event has 'to'";
    if (word == "late") return "'late' belongs to a send event; a late receive does no harm";
    if (word == "where") return "a second 'where'; further conditions follow 'and'";
    return fmt::format("expected {}, 'size', '{}' or 'where', found '{}'",
                       kind == RuleSideKind::kSend ? "an arrow" : "the end of the rule",
                       kind == RuleSideKind::kSend ? "to" : "from", word);
  }

  Result<void> ParseField(const RuleToken& clause, std::optional<std::string>& into) {
    if (into) return FailAt(clause.begin, fmt::format("a second '{}'", clause.text));
    SYNCLINE_ASSIGN(auto field, ParseName(fmt::format("a field after '{}'", clause.text)));
    into = std::move(field);
    return {};
  }

  Result<void> ParseLate(const RuleToken& clause, int64_t& into) {
    if (into != 0) return FailAt(clause.begin, "a second 'late'");
    if (!scanner_.token().Is("<=")) return Expected("'<=' and a time, as late <= 5ms");
    scanner_.Advance();
    if (scanner_.token().kind != Token::kWord) return Expected("a time, as 5ms");
    const RuleToken word = Take();
    TextScanner scan(word.text);
    const int64_t ns = scan.DurationNs();
    const auto late = scan.Finish(ns);
    if (!late) return FailAt(word.begin, late.error().message);
    if (*late <= 0) return FailAt(word.begin, "expected a time above 0");
    into = *late;
    return {};
  }

  Result<void> ParseConditions(RuleSide& side) {
    for (;;) {
      SYNCLINE_ASSIGN(auto condition, ParseCondition());
      side.conditions.push_back(std::move(condition));
      const RuleToken& token = scanner_.token();
      if (token.kind != Token::kWord || token.text != "and") return {};
      scanner_.Advance();
    }
  }

  Result<RuleCondition> ParseCondition() {
    SYNCLINE_ASSIGN(auto field, ParseName("a field"));
    if (scanner_.token().kind == Token::kWord && scanner_.token().text == "~") {
      scanner_.Advance();
      SYNCLINE_ASSIGN(auto pattern, ParsePattern());
      return RuleCondition{std::move(field), RuleComparison::kFits, {}, std::move(pattern)};
    }
    const bool is_equal = scanner_.token().Is("==");
    if (!is_equal && !scanner_.token().Is("!=")) return Expected("'==', '!=' or '~'");
    scanner_.Advance();
    SYNCLINE_ASSIGN(auto value, ParseValue());
    return RuleCondition{std::move(field),
                         is_equal ? RuleComparison::kEqual : RuleComparison::kNotEqual,
                         std::move(value)};
  }

  Result<OwnedRuleValue> ParseValue() {
    constexpr std::string_view kWhat = "a number or a text in quotes";
    if (scanner_.token().kind == Token::kText) return OwnedRuleValue(Take().text);
    if (scanner_.token().kind != Token::kWord) return Expected(kWhat);
    auto number = NumberFrom(scanner_.token().text);
    if (!number) return Expected(kWhat);
    scanner_.Advance();
    return number;
  }

  Result<RuleKind> ParseArrow() {
    RuleKind kind = RuleKind::kMessage;
    if (scanner_.token().Is("=>")) {
      kind = RuleKind::kBroadcast;
    } else if (scanner_.token().Is("<->")) {
      kind = RuleKind::kExchange;
    } else if (!scanner_.token().Is("->")) {
      return Expected("'->', '=>' (many receives) or '<->' (request and reply)");
    }
    scanner_.Advance();
    return kind;
  }

  // Labelled keys belong to the key of that label, or else to the field of that name, on the other
  // side; what remains belongs together in order.
  Result<void> PairKeys(ParsedSide& send, ParsedSide& receive) {
    SYNCLINE_TRY(PairLabels(send, receive, RuleSideKind::kSend));
    SYNCLINE_TRY(PairLabels(receive, send, RuleSideKind::kReceive));
    if (send.keys.size() != receive.keys.size()) {
      const ParsedSide& shorter = send.keys.size() < receive.keys.size() ? send : receive;
      return FailAt(shorter.keys_end,
                    fmt::format("expected as many fields on both sides: {} in the send event, {} "
                                "in the receive event",
                                send.side.keys.size() + send.keys.size(),
                                receive.side.keys.size() + receive.keys.size()));
    }
    for (Key& key : send.keys) send.side.keys.push_back(std::move(key.field));
    for (Key& key : receive.keys) receive.side.keys.push_back(std::move(key.field));
    return {};
  }

  Result<void> PairLabels(ParsedSide& from, ParsedSide& to, RuleSideKind from_side) {
    for (size_t i = 0; i < from.keys.size();) {
      const Key key = from.keys[i];
      if (key.label.empty()) {
        ++i;
        continue;
      }
      const auto partner = FindLabel(to.keys, key.label);
      if (partner == to.keys.end()) {
        return FailAt(key.begin, fmt::format("the {} event has no key called '{}'",
                                             from_side == RuleSideKind::kSend ? "receive" : "send",
                                             key.label));
      }
      from.side.keys.push_back(key.field);
      to.side.keys.push_back(partner->field);
      to.keys.erase(partner);
      from.keys.erase(from.keys.begin() + static_cast<ptrdiff_t>(i));
    }
    return {};
  }

  static std::vector<Key>::iterator FindLabel(std::vector<Key>& keys, const std::string& label) {
    const auto labelled = std::ranges::find(keys, label, &Key::label);
    if (labelled != keys.end()) return labelled;
    return std::ranges::find_if(
        keys, [&](const Key& key) { return key.label.empty() && key.field == label; });
  }
};

Result<void> CheckSize(const RuleSet& all, const std::string& name) {
  if (all.rules.size() <= kMaxRules && all.sources.size() <= kMaxRules) return {};
  return Fail(ErrorCode::kUsage, fmt::format("more than {} rules", kMaxRules), name);
}

Result<void> Append(RuleSet& all, Result<RuleSet> more, const std::string& name) {
  if (!more) return tl::unexpected(more.error());
  if (more->rules.empty() && more->sources.empty()) {
    return Fail(ErrorCode::kUsage, "no rule; expected SEND_EVENT(KEYS) -> RECV_EVENT(KEYS)", name);
  }
  std::ranges::move(more->rules, std::back_inserter(all.rules));
  std::ranges::move(more->sources, std::back_inserter(all.sources));
  return CheckSize(all, name);
}

}  // namespace

Result<RuleSet> ParseRules(std::string_view text, const std::string& name) {
  RuleSet all;
  for (uint64_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const RuleLine begun(line, number, name);
    if (begun.is_blank()) continue;
    if (begun.is_source()) {
      SYNCLINE_ASSIGN(auto source, ParseLogSource(line, number, name));
      all.sources.push_back(std::move(source));
    } else {
      SYNCLINE_ASSIGN(auto rule, LineParser(line, number, name).Parse());
      all.rules.push_back(std::move(rule));
    }
    SYNCLINE_TRY(CheckSize(all, name));
  }
  return all;
}

Result<RuleSet> ReadRules(const std::string& path) {
  SYNCLINE_ASSIGN(auto text, ReadWholeFile(path));
  return ParseRules(text, path);
}

Result<RuleSet> GatherRules(const std::vector<std::string>& texts,
                            const std::vector<std::string>& files) {
  RuleSet all;
  for (const std::string& text : texts) {
    SYNCLINE_TRY(Append(all, ParseRules(text, "--match"), "--match"));
  }
  for (const std::string& file : files) SYNCLINE_TRY(Append(all, ReadRules(file), file));
  return all;
}

}  // namespace syncline
