// The words of TSDL, the language of CTF 1.8 metadata, with their places in the text.
//
// Comments and white space are left out; literals of text and characters are one token each, so
// what they hold is never taken for the language.
// Errors: kMalformed with line and column for a comment or literal without an end.
// Ownership: tokens view the text. Cost: linear. Tested by: clock_blocks_test.cc.
#pragma once

#include <cstddef>
#include <string_view>

#include "syncline/result.h"

namespace syncline::ctf_metadata {

struct Token {
  enum class Kind { kWord, kNumber, kText, kSymbol, kEnd };
  Kind kind = Kind::kEnd;
  std::string_view text;  // as written, with quotes
  size_t at = 0;          // bytes before it
  bool Is(char symbol) const { return kind == Kind::kSymbol && text.front() == symbol; }
  size_t end() const { return at + text.size(); }
};

class TsdlScanner {
 public:
  explicit TsdlScanner(std::string_view text) : text_(text) {}
  Result<Token> Next();

 private:
  Result<void> SkipBlanks();
  Result<size_t> LiteralEnd(size_t quote) const;
  size_t WordEnd() const;

  std::string_view text_;
  size_t at_ = 0;
};

// Of the byte at a place.
LineColumn LineColumnOf(std::string_view text, size_t at);

}  // namespace syncline::ctf_metadata
