// Counted, named findings about traces that are defective but usable.
//
// Nothing is dropped silently: whoever skips, repairs or distrusts something counts it here, and
// text output, JSON and report show every count. Names are kebab-case, stable, and explained in
// docs/diagnostics.md.
// Cost: Count() is a hash look-up; in an inner loop count locally and add once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "syncline/export.h"

namespace syncline {

enum class Severity {
  kInfo,     // worth knowing, the result is not weaker for it
  kWarning,  // the result holds, but part of the input could not be used (exit code 3)
  kError,    // a stated guarantee does not hold (exit code 3)
};

struct Diagnostic {
  Severity severity = Severity::kInfo;
  uint64_t count = 0;
  std::string example;  // where it was first seen, for a person to look at
  // How often with which example, such as an input, of the first 16 that differ.
  std::vector<std::pair<std::string, uint64_t>> spread;
};

class SYNCLINE_EXPORT Diagnostics {
 public:
  // Adds `count` occurrences of `name`. The first non-empty example is kept, and the highest
  // severity.
  void Count(std::string_view name, Severity severity, uint64_t count = 1,
             std::string_view example = {});
  void Merge(const Diagnostics& other);

  uint64_t count(std::string_view name) const;  // 0 when never counted
  bool HasAtLeast(Severity severity) const;
  const std::map<std::string, Diagnostic, std::less<>>& all() const { return by_name_; }
  // For the library itself: what travels to another of its processes.
  static auto Members(auto& self) { return std::tie(self.by_name_); }

 private:
  std::map<std::string, Diagnostic, std::less<>> by_name_;
};

SYNCLINE_EXPORT std::string_view SeverityName(Severity severity);  // "info", "warning", "error"

}  // namespace syncline
