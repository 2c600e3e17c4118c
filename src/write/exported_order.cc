#include "write/exported_order.h"

namespace syncline {

ExportedOrder::ExportedOrder(const ExportedTrace& trace, ExportOrder order)
    : trace_(trace), order_(order), next_(trace.processes.size()) {
  if (order == ExportOrder::kByCause) is_sent_.resize(trace.messages.size());
  for (uint32_t i = 0; i < next_.size(); ++i) Offer(i);
}

std::optional<VisitedExport> ExportedOrder::Next() {
  while (!ready_.empty()) {
    const uint32_t process = ready_.top().second;
    ready_.pop();
    const VisitedExport visited = At(process);
    if (order_ == ExportOrder::kByCause) {
      if (Waits(visited)) continue;
      Release(visited);
    }
    ++next_[process].event;
    next_[process].link += visited.links.size();
    Offer(process);
    return visited;
  }
  return std::nullopt;
}

std::optional<VisitedExport> ExportedOrder::LeftOver() const {
  for (uint32_t i = 0; i < next_.size(); ++i) {
    if (next_[i].event < trace_.processes[i].events.size()) return At(i);
  }
  return std::nullopt;
}

VisitedExport ExportedOrder::At(uint32_t process) const {
  const auto& [events, links] = trace_.processes[process];
  const auto [event, link] = next_[process];
  uint64_t end = link;
  while (end < links.size() && links[end].event == event) ++end;
  return {ProcessId(process), event, events[event], std::span(links).subspan(link, end - link)};
}

void ExportedOrder::Offer(uint32_t process) {
  const auto& events = trace_.processes[process].events;
  const uint64_t next = next_[process].event;
  if (next < events.size()) ready_.emplace(events[next].time.ns, process);
}

bool ExportedOrder::Waits(const VisitedExport& visited) {
  for (const ExportedLink& link : visited.links) {
    if (!trace_.IsReceive(visited.process, link) || is_sent_[link.message]) continue;
    waits_for_.emplace(link.message, visited.process.value);
    return true;
  }
  return false;
}

void ExportedOrder::Release(const VisitedExport& visited) {
  for (const ExportedLink& link : visited.links) {
    if (trace_.IsReceive(visited.process, link)) continue;
    is_sent_[link.message] = true;
    const auto waiting = waits_for_.find(link.message);
    if (waiting == waits_for_.end()) continue;
    Offer(waiting->second);
    waits_for_.erase(waiting);
  }
}

}  // namespace syncline
