// The words, texts and signs of a line of rules.
//
// Errors: none; what is no token has kind kWrong and says what is wrong with it. Tested by:
// rule_parser_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace syncline {

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

}  // namespace syncline
