// Regular expressions, in time linear in the text.
//
// Syntax: RE2's, over bytes; groups may be named (?P<name>…) or (?<name>…). Errors: kUsage with
// what is wrong. Cost: copies share what was compiled, at most 8 MB. Tested by: pattern_test.cc.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "syncline/result.h"

namespace re2 {
class RE2;
}

namespace syncline {

class Pattern {
 public:
  static constexpr int kMaxGroups = 32;

  static Result<Pattern> Compile(std::string_view text);

  const std::string& text() const { return text_; }
  // Of the named groups, in the order of their numbers.
  const std::vector<std::string>& names() const { return names_; }
  // The first match in `text`: what its named groups hold, in the order of names(), views into
  // `text`, without data where a group took no part. Requires as many elements. False: no match.
  bool Find(std::string_view text, std::span<std::string_view> groups) const;

  friend bool operator==(const Pattern& x, const Pattern& y) { return x.text_ == y.text_; }

 private:
  std::string text_;
  std::shared_ptr<const re2::RE2> expression_;
  std::vector<std::string> names_;
  std::vector<int> numbers_;  // of the named groups
};

}  // namespace syncline
