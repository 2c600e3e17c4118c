#include "write/ctf_metadata/tsdl_scanner.h"

#include <algorithm>

#include "base/try.h"

namespace syncline::ctf_metadata {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
// A backslash begins a universal character name.
bool IsWordCharacter(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '\\';
}
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

}  // namespace

LineColumn LineColumnOf(std::string_view text, size_t at) {
  const std::string_view before = text.substr(0, at);
  const size_t lines = static_cast<size_t>(std::ranges::count(before, '\n'));
  const size_t line_start = before.rfind('\n') + 1;  // 0 where there is none
  return {lines + 1, at - line_start + 1};
}

Result<void> TsdlScanner::SkipBlanks() {
  while (at_ < text_.size()) {
    const std::string_view rest = text_.substr(at_);
    if (IsBlank(rest.front())) {
      ++at_;
    } else if (rest.starts_with("//")) {
      at_ += std::min(rest.find('\n'), rest.size());
    } else if (rest.starts_with("/*")) {
      const size_t end = rest.find("*/", 2);
      if (end == std::string_view::npos) {
        return Fail(ErrorCode::kMalformed, "a comment of the metadata has no end", {},
                    LineColumnOf(text_, at_));
      }
      at_ += end + 2;
    } else {
      break;
    }
  }
  return {};
}

Result<size_t> TsdlScanner::LiteralEnd(size_t quote) const {
  for (size_t i = quote + 1; i < text_.size(); ++i) {
    if (text_[i] == '\\') {
      ++i;
    } else if (text_[i] == text_[quote]) {
      return i + 1;
    }
  }
  return Fail(ErrorCode::kMalformed, "a text literal of the metadata has no end", {},
              LineColumnOf(text_, quote));
}

size_t TsdlScanner::WordEnd() const {
  const auto end = std::find_if_not(text_.begin() + static_cast<std::ptrdiff_t>(at_), text_.end(),
                                    IsWordCharacter);
  return static_cast<size_t>(end - text_.begin());
}

Result<Token> TsdlScanner::Next() {
  SYNCLINE_TRY(SkipBlanks());
  const size_t start = at_;
  if (start == text_.size()) return Token{Token::Kind::kEnd, {}, start};
  const auto token = [&](Token::Kind kind, size_t end) {
    at_ = end;
    return Token{kind, text_.substr(start, end - start), start};
  };
  const char first = text_[start];
  const bool is_wide = first == 'L' && start + 1 < text_.size() &&
                       (text_[start + 1] == '"' || text_[start + 1] == '\'');
  if (first == '"' || first == '\'' || is_wide) {
    SYNCLINE_ASSIGN(auto end, LiteralEnd(start + (is_wide ? 1 : 0)));
    return token(Token::Kind::kText, end);
  }
  if (IsDigit(first)) return token(Token::Kind::kNumber, WordEnd());
  if (IsWordCharacter(first)) return token(Token::Kind::kWord, WordEnd());
  return token(Token::Kind::kSymbol, start + 1);
}

}  // namespace syncline::ctf_metadata
