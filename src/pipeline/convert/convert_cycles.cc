#include "pipeline/convert/convert_cycles.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "logical/causal_cycles.h"
#include "report/table.h"

namespace syncline {
namespace {

int64_t DelayNs(const ExportedTrace& trace, const ExportedMessage& message) {
  return (trace.ReceiveOf(message).time - trace.SendOf(message).time).ns;
}

// The others move up.
void RemoveMessages(const std::vector<uint32_t>& numbers, ExportedTrace& trace) {
  constexpr uint64_t kRemoved = UINT64_MAX;
  std::vector<uint64_t> number_of(trace.messages.size(), 0);
  for (const uint32_t number : numbers) number_of[number] = kRemoved;
  std::vector<ExportedMessage> kept;
  kept.reserve(trace.messages.size() - numbers.size());
  for (size_t i = 0; i < trace.messages.size(); ++i) {
    if (number_of[i] == kRemoved) continue;
    number_of[i] = kept.size();
    kept.push_back(trace.messages[i]);
  }
  trace.messages = std::move(kept);
  for (ExportedProcess& process : trace.processes) {
    std::erase_if(process.links,
                  [&](const ExportedLink& link) { return number_of[link.message] == kRemoved; });
    for (ExportedLink& link : process.links) link.message = number_of[link.message];
  }
}

}  // namespace

void TakeOutCycles(ExportedTrace& trace, Diagnostics& found) {
  std::vector<CausalLink> links;
  links.reserve(trace.messages.size());
  for (const ExportedMessage& m : trace.messages) {
    links.push_back({m.from, m.to, m.send, m.receive, DelayNs(trace, m)});
  }
  const std::vector<uint32_t> numbers = LinksToLeaveOut(trace.processes.size(), links);
  if (numbers.empty()) return;
  const ExportedMessage& first = trace.messages[numbers.front()];
  const auto name = [&](uint32_t process) { return trace.traces.processes[process].name; };
  found.Count("cycle-messages", Severity::kWarning, numbers.size(),
              fmt::format("event {} of {} to event {} of {}: would have taken {}", first.send,
                          name(first.from), first.receive, name(first.to),
                          FormatDuration(DelayNs(trace, first))));
  RemoveMessages(numbers, trace);
}

}  // namespace syncline
