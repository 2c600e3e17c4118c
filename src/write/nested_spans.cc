#include "write/nested_spans.h"

namespace syncline {
namespace {

bool IsBegin(EventKind kind) {
  return kind == EventKind::kEnter || kind == EventKind::kCollectiveBegin;
}
bool IsEnd(EventKind kind) {
  return kind == EventKind::kLeave || kind == EventKind::kCollectiveEnd;
}

bool BelongTogether(const ExportedEvent& begin, const ExportedEvent& end) {
  if (begin.name != end.name) return false;
  if (end.kind == EventKind::kLeave) return begin.kind == EventKind::kEnter;
  return begin.kind == EventKind::kCollectiveBegin && begin.message == end.message &&
         begin.group == end.group;
}

}  // namespace

std::vector<bool> FindNestedSpans(const ExportedProcess& process) {
  const std::vector<ExportedEvent>& events = process.events;
  std::vector<bool> is_bar(events.size());
  std::vector<uint64_t> open;
  for (uint64_t i = 0; i < events.size(); ++i) {
    if (IsBegin(events[i].kind)) open.push_back(i);
    if (!IsEnd(events[i].kind)) continue;
    size_t begin = open.size();
    while (begin > 0 && !BelongTogether(events[open[begin - 1]], events[i])) --begin;
    if (begin == 0) continue;
    is_bar[open[begin - 1]] = true;
    is_bar[i] = true;
    open.resize(begin - 1);
  }
  return is_bar;
}

}  // namespace syncline
