// Every method of estimation there is, in one list: what `compare` runs side by side.
//
// To add a method, add its line to the list in methods.cc. Tested by: methods_test.cc,
// compare_command_test.cc.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "syncline/result.h"

#include "estimate/pair.h"
#include "pipeline/estimate/solve.h"

namespace syncline {

struct Method {
  std::string_view name;  // its --group, and after a slash its --method where it has one
  GroupMethod group = GroupMethod::kTreeError;
  std::optional<LineMethod> line;  // of a pair; none where the group method does without
  std::string_view needs;          // what it can do nothing without
  std::string_view about;          // in a few words

  std::string_view GroupName() const;  // as --group takes it
  std::string_view LineName() const;   // as --method takes it; empty without
};

// In the order of tables. The first one's choice of the reference holds for all.
std::span<const Method> AllMethods();

// Names with commas between them, in the order of AllMethods(), each once; a --group or --method
// alone stands for all that use it, "all" for everything. Errors: kUsage for an unknown name.
Result<std::vector<Method>> ParseMethods(const std::string& list);

// The list as a table for people.
std::string MethodListText();

}  // namespace syncline
