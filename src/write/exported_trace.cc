#include "write/exported_trace.h"

#include <fmt/format.h>

namespace syncline {

std::string_view ExportedKind(EventKind kind) {
  switch (kind) {
    case EventKind::kSend: return "send";
    case EventKind::kReceive: return "receive";
    case EventKind::kBroadcast: return "broadcast";
    case EventKind::kBlock: return "block";
    case EventKind::kEnter: return "enter";
    case EventKind::kLeave: return "leave";
    case EventKind::kMark: return "mark";
    case EventKind::kCollectiveBegin: return "collective-begin";
    case EventKind::kCollectiveEnd: return "collective-end";
  }
  return "";
}

std::string_view ExportedName(const ExportedTrace& trace, const ExportedEvent& event) {
  const std::string& name = trace.names[event.name];
  return name.empty() ? ExportedKind(event.kind) : std::string_view(name);
}

std::string_view ExportedPeer(const ExportedTrace& trace, const VisitedExport& visited) {
  const bool is_transfer =
      visited.event.kind == EventKind::kSend || visited.event.kind == EventKind::kReceive;
  if (is_transfer && visited.event.peer != kNoPeer) {
    return trace.traces.processes[visited.event.peer].name;
  }
  return "";
}

std::string ExportedMessageName(const ExportedTrace& trace, const ExportedEvent& event) {
  constexpr uint64_t kHashed = uint64_t{1} << 63;
  if (!event.has_message) return {};
  const auto name = trace.message_names.find(event.message);
  if (name != trace.message_names.end()) return name->second;
  return event.message < kHashed ? fmt::format("{}", event.message)
                                 : fmt::format("~{:016x}", event.message);
}

int64_t ExportedOrigin(const ExportedTrace& trace) {
  std::optional<int64_t> origin;
  for (const ExportedProcess& process : trace.processes) {
    for (const ExportedEvent& event : process.events) {
      origin = std::min(origin.value_or(event.time.ns), event.time.ns);
    }
  }
  return origin.value_or(0);
}

Result<ExportFindings> FindShift(const ExportedTrace& trace) {
  const int64_t origin = ExportedOrigin(trace);
  const uint64_t shift = origin < 0 ? -static_cast<uint64_t>(origin) : 0;
  for (const ExportedProcess& process : trace.processes) {
    for (const ExportedEvent& event : process.events) {
      if (static_cast<uint64_t>(event.time.ns) + shift <= uint64_t{INT64_MAX}) continue;
      return Fail(ErrorCode::kUnsupported,
                  "times are more than 292 years apart, which the format's readers do not take");
    }
  }
  return ExportFindings{.shift_ns = shift};
}

}  // namespace syncline
