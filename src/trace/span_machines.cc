#include "trace/span_machines.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace syncline {

void SpanMachines::NoteClockBy(const SpanResource& resource, const LoadedInput& input) {
  if (clock_by_.empty()) return;
  if (!resource.attributes[SpanResource::kClockBy].empty()) {
    has_clock_by_ = true;
    return;
  }
  loaded_.diagnostics.Count("clock-by-missing", Severity::kInfo, 1, input.input.path);
  if (!has_clock_by_) attribute_names_.insert(resource.names.begin(), resource.names.end());
}

Result<void> SpanMachines::CheckClockBy() const {
  if (clock_by_.empty() || has_clock_by_ || machines_.empty()) return {};
  return Fail(ErrorCode::kUsage,
              fmt::format("--clock-by: no resource of the spans has the attribute {}{}{}",
                          clock_by_, attribute_names_.empty() ? "" : "; there are ",
                          fmt::join(attribute_names_, ", ")));
}

// Two resources with the same value of their highest attribute run on one machine.
Result<ClockId> SpanMachines::ClockOf(const SpanResource& resource, const LoadedInput& input) {
  size_t attribute = 0;
  while (attribute < SpanResource::kAttributes && resource.attributes[attribute].empty()) {
    ++attribute;
  }
  const std::string value = attribute < SpanResource::kAttributes
                                ? resource.attributes[attribute]
                                : std::filesystem::path(input.input.path).filename().string();
  std::pair<size_t, std::string> machine(attribute, value);
  const auto known = machines_.find(machine);
  if (known != machines_.end()) {
    const std::string& name = loaded_.traces.clocks[known->second.index()].name;
    if (input.input.is_named && name != input.input.name) {
      return Fail(ErrorCode::kUsage,
                  fmt::format("holds spans of {}, which another input has, too; so its clock "
                              "cannot be called {}",
                              name, input.input.name),
                  input.input.path);
    }
    return known->second;
  }
  const auto which = static_cast<SpanResource::Attribute>(attribute);
  std::string name = ClockName(resource, which, input);
  if (input.input.is_named) {
    for (const auto& [other, clock] : machines_) {
      if (loaded_.traces.clocks[clock.index()].name != name || other.first != attribute) continue;
      return Fail(ErrorCode::kUsage,
                  fmt::format("one name, {}, is given to spans of two machines, {} and {}", name,
                              other.second, value),
                  input.input.path);
    }
  }
  const ClockId clock = loaded_.ClockNamed({.name = std::move(name)});
  machines_.emplace(std::move(machine), clock);
  return clock;
}

std::string SpanMachines::ClockName(const SpanResource& resource, SpanResource::Attribute attribute,
                                    const LoadedInput& input) {
  if (input.input.is_named) return input.input.name;
  const std::string& path = input.input.path;
  if (attribute == SpanResource::kAttributes) {
    loaded_.diagnostics.Count("machine-unknown", Severity::kWarning, 1,
                              path + ": no attribute tells it; one machine is assumed");
    return std::filesystem::path(path).filename().string();
  }
  const std::string& value = resource.attributes[attribute];
  if (attribute == SpanResource::kInstance) {
    loaded_.diagnostics.Count("machine-by-instance", Severity::kInfo, 1, path + ": " + value);
  }
  if (attribute == SpanResource::kService) {
    loaded_.diagnostics.Count("machine-unknown", Severity::kWarning, 1,
                              fmt::format("{}: all of service {} is taken to be one", path, value));
  }
  const std::string& host = resource.attributes[SpanResource::kHostName];
  const std::string& name = attribute == SpanResource::kHostId && !host.empty() ? host : value;
  std::string unique = name;
  const auto is_taken = [&](const std::string& wanted) {
    return std::ranges::any_of(machines_, [&](const auto& machine) {
      return loaded_.traces.clocks[machine.second.index()].name == wanted;
    });
  };
  for (int number = 2; is_taken(unique); ++number) unique = fmt::format("{}-{}", name, number);
  if (unique != name) {
    loaded_.diagnostics.Count("hosts-of-one-name", Severity::kWarning, 1,
                              fmt::format("{}: {} ({}) is called {}", path, name, value, unique));
  }
  return unique;
}

std::vector<ClockId> SpanMachines::SortFrom(size_t first) {
  std::vector<Clock>& clocks = loaded_.traces.clocks;
  const std::vector<Clock> before = clocks;
  std::ranges::sort(std::span(clocks).subspan(first), {}, &Clock::name);
  std::vector<ClockId> sorted;
  for (const Clock& clock : before) sorted.push_back(loaded_.ClockNamed(clock));
  for (auto& [machine, clock] : machines_) clock = sorted[clock.index()];
  return sorted;
}

}  // namespace syncline
