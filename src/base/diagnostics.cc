#include "syncline/diagnostics.h"

#include <algorithm>

namespace syncline {

void Diagnostics::Count(std::string_view name, Severity severity, uint64_t count,
                        std::string_view example) {
  if (count == 0) return;
  auto it = by_name_.find(name);
  if (it == by_name_.end()) it = by_name_.emplace(std::string(name), Diagnostic{}).first;
  Diagnostic& entry = it->second;
  entry.severity = std::max(entry.severity, severity);
  entry.count += count;
  if (entry.example.empty()) entry.example = example;
}

void Diagnostics::Merge(const Diagnostics& other) {
  for (const auto& [name, entry] : other.by_name_) {
    Count(name, entry.severity, entry.count, entry.example);
  }
}

uint64_t Diagnostics::count(std::string_view name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? 0 : it->second.count;
}

bool Diagnostics::HasAtLeast(Severity severity) const {
  return std::any_of(by_name_.begin(), by_name_.end(),
                     [&](const auto& entry) { return entry.second.severity >= severity; });
}

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "info";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  return "error";
}

}  // namespace syncline
