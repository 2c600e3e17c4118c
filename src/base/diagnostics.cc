#include "syncline/diagnostics.h"

#include <algorithm>

namespace syncline {
namespace {

void AddTo(std::vector<std::pair<std::string, uint64_t>>& spread, std::string_view example,
           uint64_t count) {
  constexpr size_t kMost = 16;
  if (example.empty()) return;
  const auto known =
      std::ranges::find_if(spread, [&](const auto& entry) { return entry.first == example; });
  if (known != spread.end()) {
    known->second += count;
  } else if (spread.size() < kMost) {
    spread.emplace_back(example, count);
  }
}

}  // namespace

void Diagnostics::Count(std::string_view name, Severity severity, uint64_t count,
                        std::string_view example) {
  if (count == 0) return;
  auto it = by_name_.find(name);
  if (it == by_name_.end()) it = by_name_.emplace(std::string(name), Diagnostic{}).first;
  Diagnostic& entry = it->second;
  entry.severity = std::max(entry.severity, severity);
  entry.count += count;
  if (entry.example.empty()) entry.example = example;
  AddTo(entry.spread, example, count);
}

void Diagnostics::Merge(const Diagnostics& other) {
  for (const auto& [name, entry] : other.by_name_) {
    uint64_t rest = entry.count;
    for (const auto& [example, count] : entry.spread) {
      Count(name, entry.severity, count, example);
      rest -= count;
    }
    Count(name, entry.severity, rest);
  }
}

uint64_t Diagnostics::count(std::string_view name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? 0 : it->second.count;
}

bool Diagnostics::HasAtLeast(Severity severity) const {
  return std::ranges::any_of(by_name_,
                             [&](const auto& entry) { return entry.second.severity >= severity; });
}

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kInfo: return "info";
    case Severity::kWarning: return "warning";
    case Severity::kError: return "error";
  }
  return "error";
}

}  // namespace syncline
