// One line of rules while it is parsed: its tokens, and errors with their place.
//
// Tested by: rule_parser_test.cc, log_source_parser_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "syncline/result.h"

#include "base/pattern.h"

namespace syncline {

// The words, texts and signs of a line of rules. Errors: none; what is no token has kind kWrong and
// says what is wrong with it.
struct RuleToken {
  enum class Kind : uint8_t { kWord, kText, kSign, kEnd, kWrong };
  Kind kind = Kind::kEnd;
  std::string text = {};  // a word or sign as written, a text without quotes, or what is wrong
  size_t begin = 0;       // place in the line, in bytes
  size_t end = 0;
  std::string pattern = {};  // of a text: as a regular expression, where only \" is an escape
  bool Is(std::string_view sign) const { return kind == Kind::kSign && text == sign; }
};

class RuleScanner {
 public:
  // Lifetime: `line`, which has no line end, outlives the scanner.
  explicit RuleScanner(std::string_view line) : line_(line) { Advance(); }

  const RuleToken& token() const { return token_; }
  void Advance();
  // Where the last token but this one ended.
  size_t last_end() const { return last_end_; }

 private:
  RuleToken Scan();
  RuleToken ScanWord();
  RuleToken ScanText();

  std::string_view line_;
  size_t place_ = 0;
  size_t last_end_ = 0;
  RuleToken token_;
};

class RuleLine {
 public:
  // `line` and `name`, what errors call the file, must outlive this object.
  RuleLine(std::string_view line, uint64_t number, const std::string& name)
      : line_(line), number_(number), name_(name), scanner_(line) {}

  bool is_blank() const { return scanner_.token().kind == Token::kEnd; }
  // It says how a log is read.
  bool is_source() const {
    if (!IsWord("read")) return false;
    RuleScanner behind = scanner_;
    behind.Advance();
    return !behind.token().Is("(");
  }

 protected:
  using Token = RuleToken::Kind;

  std::string place() const { return fmt::format("{}:{}", name_, number_); }
  // What was taken from `begin` on.
  std::string TextFrom(size_t begin) const {
    return std::string(line_.substr(begin, scanner_.last_end() - begin));
  }
  bool IsWord(std::string_view word) const {
    return scanner_.token().kind == Token::kWord && scanner_.token().text == word;
  }

  tl::unexpected<Error> FailAt(size_t place, std::string message) const {
    return Fail(ErrorCode::kUsage, std::move(message), name_, LineColumn{number_, place + 1});
  }
  tl::unexpected<Error> Expected(std::string_view what) const {
    const RuleToken& token = scanner_.token();
    if (token.kind == Token::kWrong) return FailAt(token.begin, token.text);
    if (token.kind == Token::kEnd) {
      return FailAt(token.begin, fmt::format("expected {}, but the rule ends here", what));
    }
    return FailAt(token.begin, fmt::format("expected {}, found '{}'", what, token.text));
  }

  RuleToken Take() {
    RuleToken token = scanner_.token();
    scanner_.Advance();
    return token;
  }
  Result<std::string> ParseName(std::string_view what) {
    const Token kind = scanner_.token().kind;
    const bool is_name = kind == Token::kWord || kind == Token::kText;
    if (!is_name || scanner_.token().text.empty()) return Expected(what);
    return Take().text;
  }
  Result<Pattern> ParsePattern() {
    if (scanner_.token().kind != Token::kText) return Expected("a regular expression in quotes");
    const RuleToken token = Take();
    auto pattern = Pattern::Compile(token.pattern);
    if (!pattern) return FailAt(token.begin, pattern.error().message);
    return pattern;
  }

  std::string_view line_;
  uint64_t number_;
  const std::string& name_;
  RuleScanner scanner_;
};

}  // namespace syncline
