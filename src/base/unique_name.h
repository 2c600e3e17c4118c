// Names that no two things have. Tested by: unique_name_test.cc.
#pragma once

#include <set>
#include <string>

namespace syncline {

// The first of NAME, NAME-2, NAME-3, … that is not taken, with `ending` behind; it is taken then.
inline std::string UniqueName(const std::string& name, std::set<std::string>& taken,
                              const std::string& ending = "") {
  std::string unique = name + ending;
  for (int number = 2; !taken.insert(unique).second; ++number) {
    unique = name + "-" + std::to_string(number) + ending;
  }
  return unique;
}

}  // namespace syncline
