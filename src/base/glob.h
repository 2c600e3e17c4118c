// Patterns of names, in which * stands for any run of characters. Tested by: rule_parser_test.cc.
#pragma once

#include <cstddef>
#include <string_view>

namespace syncline {

// Whether all of `name` fits `pattern`. Takes as little as possible for each *, and more when the
// rest then does not fit.
inline bool MatchesGlob(std::string_view pattern, std::string_view name) {
  size_t p = 0;
  size_t n = 0;
  size_t star = std::string_view::npos;
  size_t star_name = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_name = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++star_name;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace syncline
