#include "match/rules/log_source_parser.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/parse_number.h"
#include "base/try.h"
#include "match/rules/rule_line.h"

namespace syncline {
namespace {

constexpr std::array<std::pair<std::string_view, LogForm>, 4> kForms = {{{"json", LogForm::kJson},
                                                                         {"csv", LogForm::kCsv},
                                                                         {"tsv", LogForm::kTsv},
                                                                         {"text", LogForm::kText}}};
constexpr std::array<std::pair<std::string_view, LogUnit>, 4> kUnits = {
    {{"s", LogUnit::kSeconds},
     {"ms", LogUnit::kMilliseconds},
     {"us", LogUnit::kMicroseconds},
     {"ns", LogUnit::kNanoseconds}}};

// +01:00, -0530, +01, Z
std::optional<int> ZoneFrom(std::string_view text) {
  if (text == "Z" || text == "UTC") return 0;
  if (text.size() < 3 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const auto hours = ParseNumber<uint32_t>(text.substr(1, 2));
  std::string_view rest = text.substr(3);
  if (rest.starts_with(':')) rest.remove_prefix(1);
  const auto minutes = rest.empty() ? std::optional(0U) : ParseNumber<uint32_t>(rest);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const int seconds = static_cast<int>(*hours * 3600 + *minutes * 60);
  return text[0] == '-' ? -seconds : seconds;
}

class SourceParser : RuleLine {
 public:
  using RuleLine::RuleLine;

  Result<LogSource> Parse() {
    const size_t begin = Take().begin;
    SYNCLINE_TRY(ParseForm());
    while (!is_blank()) SYNCLINE_TRY(ParseSetting());
    source_.place = place();
    source_.text = TextFrom(begin);
    SYNCLINE_TRY(CheckWhole());
    return std::move(source_);
  }

 private:
  Result<void> ParseForm() {
    const auto form = std::ranges::find_if(kForms, [&](const auto& f) { return IsWord(f.first); });
    if (form == kForms.end()) return Expected("'json', 'csv', 'tsv' or 'text' after 'read'");
    scanner_.Advance();
    source_.form = form->second;
    if (source_.form != LogForm::kText) return {};
    SYNCLINE_ASSIGN(source_.pattern, ParsePattern());
    for (const std::string& name : source_.pattern->names()) {
      if (name == "time") source_.time = name;
      if (name == "host") source_.host = name;
      if (name == "kind") source_.kind = name;
    }
    return {};
  }

  Result<void> ParseSetting() {
    const RuleToken word = scanner_.token();
    if (word.kind != Token::kWord) return Expected("a setting, as time=FIELD");
    scanner_.Advance();
    if (word.text == "in") {
      SYNCLINE_ASSIGN(source_.in, ParseName("the name of a file"));
      return {};
    }
    if (word.text == "as") {
      SYNCLINE_ASSIGN(source_.as, ParseName("a kind"));
      return {};
    }
    return ParseValue(word);
  }

  Result<void> ParseValue(const RuleToken& word) {
    if (word.text == "time") return ParseTime(LogMoment::kAll);
    if (word.text == "begin") return ParseTime(LogMoment::kBegin);
    if (word.text == "end") return ParseTime(LogMoment::kEnd);
    if (word.text == "took") {
      SYNCLINE_TRY(ParseField(source_.took));
      if (!scanner_.token().Is("(")) return Expected("the unit, as took=FIELD(ms)");
      return ParseUnit(source_.took_unit);
    }
    if (word.text == "host") return ParseField(source_.host);
    if (word.text == "kind") return ParseField(source_.kind);
    if (word.text == "year") return ParseYear();
    if (word.text == "zone") return ParseZone();
    return FailAt(word.begin,
                  fmt::format("expected time=, begin=, end=, took=, host=, kind=, year=, zone=, as "
                              "or in, found '{}'",
                              word.text));
  }

  Result<void> ParseTime(LogMoment moment) {
    source_.moment = moment;
    SYNCLINE_TRY(ParseField(source_.time));
    return scanner_.token().Is("(") ? ParseUnit(source_.time_unit) : Result<void>();
  }

  Result<std::string> ParseAssigned(std::string_view what) {
    if (!scanner_.token().Is("=")) return Expected("'='");
    scanner_.Advance();
    return ParseName(what);
  }

  Result<void> ParseField(std::string& into) {
    const size_t begin = scanner_.token().end;
    SYNCLINE_ASSIGN(into, ParseAssigned("a field after '='"));
    if (!source_.pattern) return {};
    const auto& names = source_.pattern->names();
    if (std::ranges::find(names, into) != names.end()) return {};
    return FailAt(begin, fmt::format("the regular expression has no group called '{}'", into));
  }

  Result<void> ParseUnit(LogUnit& into) {
    scanner_.Advance();
    const auto unit = std::ranges::find_if(kUnits, [&](const auto& u) { return IsWord(u.first); });
    if (unit == kUnits.end()) return Expected("'s', 'ms', 'us' or 'ns'");
    into = unit->second;
    scanner_.Advance();
    if (!scanner_.token().Is(")")) return Expected("')'");
    scanner_.Advance();
    return {};
  }

  Result<void> ParseYear() {
    const size_t begin = scanner_.token().end;
    SYNCLINE_ASSIGN(const std::string text, ParseAssigned("a year"));
    source_.year = ParseNumber<int>(text);
    if (source_.year && *source_.year >= 1970 && *source_.year <= 2261) return {};
    return FailAt(begin, fmt::format("expected a year from 1970 to 2261, found '{}'", text));
  }

  Result<void> ParseZone() {
    const size_t begin = scanner_.token().end;
    SYNCLINE_ASSIGN(const std::string text, ParseAssigned("a zone, as +01:00"));
    const auto zone = ZoneFrom(text);
    if (!zone) return FailAt(begin, fmt::format("expected a zone, as +01:00, found '{}'", text));
    source_.zone_s = *zone;
    return {};
  }

  Result<void> CheckWhole() const {
    if (source_.time.empty()) {
      return Expected(source_.form == LogForm::kText
                          ? "a group called time, or time=GROUP, begin=GROUP or end=GROUP"
                          : "time=FIELD, begin=FIELD or end=FIELD");
    }
    if (source_.took.empty() != (source_.moment == LogMoment::kAll)) {
      return Expected(source_.took.empty() ? "took=FIELD(UNIT), which begin= and end= need"
                                           : "begin=FIELD or end=FIELD, which took= needs");
    }
    return {};
  }

  LogSource source_;
};

}  // namespace

Result<LogSource> ParseLogSource(std::string_view line, uint64_t number, const std::string& name) {
  return SourceParser(line, number, name).Parse();
}

}  // namespace syncline
