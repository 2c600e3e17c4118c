#include "write/nested_spans.h"

#include <cstdint>
#include <tuple>

#include <absl/container/flat_hash_map.h>

namespace syncline {
namespace {

bool IsBegin(EventKind kind) {
  return kind == EventKind::kEnter || kind == EventKind::kCollectiveBegin;
}
bool IsEnd(EventKind kind) {
  return kind == EventKind::kLeave || kind == EventKind::kCollectiveEnd;
}

// Equal for a begin and an end that belong together: regions of one name, collectives of one
// instance.
using BarKey = std::tuple<bool, uint32_t, uint32_t, uint64_t>;
BarKey KeyOf(const ExportedEvent& event) {
  const bool is_region = event.kind == EventKind::kEnter || event.kind == EventKind::kLeave;
  if (is_region) return {true, event.name, 0, 0};
  return {false, event.name, event.group, event.message};
}

// Of the events that `is_taken`.
template <typename IsTaken>
std::vector<bool> Find(const ExportedProcess& process, const IsTaken& is_taken) {
  const std::vector<ExportedEvent>& events = process.events;
  std::vector<bool> is_bar(events.size());
  std::vector<uint64_t> open;
  absl::flat_hash_map<BarKey, uint64_t> count;  // of the open ones
  for (uint64_t i = 0; i < events.size(); ++i) {
    if (!is_taken(events[i].kind)) continue;
    const BarKey key = KeyOf(events[i]);
    if (IsBegin(events[i].kind)) {
      open.push_back(i);
      ++count[key];
    }
    // Without a begin nothing is closed; else everything down to it, once.
    if (!IsEnd(events[i].kind) || count[key] == 0) continue;
    while (KeyOf(events[open.back()]) != key) {
      --count[KeyOf(events[open.back()])];
      open.pop_back();
    }
    is_bar[open.back()] = true;
    is_bar[i] = true;
    open.pop_back();
    --count[key];
  }
  return is_bar;
}

}  // namespace

std::vector<bool> FindNestedSpans(const ExportedProcess& process) {
  return Find(process, [](EventKind /*kind*/) { return true; });
}

std::vector<bool> FindNestedRegions(const ExportedProcess& process) {
  return Find(process, [](EventKind kind) {
    return kind == EventKind::kEnter || kind == EventKind::kLeave;
  });
}

}  // namespace syncline
