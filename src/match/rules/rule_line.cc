#include "match/rules/rule_line.h"

#include <array>

namespace syncline {
namespace {

constexpr std::array<std::string_view, 10> kSigns = {
    "<->", "->", "=>", "==", "!=", "<=", "(", ")", ",", "="};

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool IsWordByte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  const bool is_alphanumeric =
      (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  constexpr std::string_view kOthers = "_:.*@/$+-~%[]";
  return is_alphanumeric || byte >= 0x80 || kOthers.find(c) != std::string_view::npos;
}

}  // namespace

void RuleScanner::Advance() {
  last_end_ = token_.end;
  token_ = Scan();
}

RuleToken RuleScanner::Scan() {
  const bool at_start = place_ == 0;
  const size_t before = place_;
  while (place_ < line_.size() && IsBlank(line_[place_])) ++place_;
  const bool after_blank = at_start || place_ > before;
  if (place_ == line_.size()) return {.begin = place_, .end = place_};
  const std::string_view rest = line_.substr(place_);
  if (rest[0] == '#' && after_blank) return {.begin = place_, .end = place_};
  if (rest[0] == '"') return ScanText();
  for (const std::string_view sign : kSigns) {
    if (!rest.starts_with(sign)) continue;
    const size_t begin = place_;
    place_ += sign.size();
    return {RuleToken::Kind::kSign, std::string(sign), begin, place_};
  }
  if (IsWordByte(rest[0])) return ScanWord();
  const auto byte = static_cast<unsigned char>(rest[0]);
  const bool is_visible = byte > 0x20 && byte != 0x7f;
  std::string wrong = is_visible ? std::string("unexpected '") + rest[0] + "'"
                                 : std::string("unexpected control character");
  return {RuleToken::Kind::kWrong, std::move(wrong), place_, place_ + 1};
}

// A word ends where an arrow begins.
RuleToken RuleScanner::ScanWord() {
  const size_t begin = place_;
  while (place_ < line_.size() && IsWordByte(line_[place_]) &&
         !line_.substr(place_).starts_with("->")) {
    ++place_;
  }
  return {RuleToken::Kind::kWord, std::string(line_.substr(begin, place_ - begin)), begin, place_};
}

RuleToken RuleScanner::ScanText() {
  const size_t begin = place_++;
  std::string text;
  std::string pattern;
  while (place_ < line_.size() && line_[place_] != '"') {
    if (line_[place_] == '\\' && place_ + 1 < line_.size()) {
      ++place_;
      if (line_[place_] != '"') pattern += '\\';
    }
    text += line_[place_];
    pattern += line_[place_++];
  }
  if (place_ == line_.size()) {
    return {RuleToken::Kind::kWrong, "missing '\"' at the end of a text", begin, place_};
  }
  ++place_;
  return {RuleToken::Kind::kText, std::move(text), begin, place_, std::move(pattern)};
}

}  // namespace syncline
