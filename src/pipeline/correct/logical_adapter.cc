#include "pipeline/correct/logical_adapter.h"

#include <algorithm>

#include "match/collective_messages.h"

namespace syncline {
LogicalEvent::Kind KindOf(EventKind kind) {
  switch (kind) {
    case EventKind::kSend: return LogicalEvent::Kind::kSend;
    case EventKind::kReceive: return LogicalEvent::Kind::kReceive;
    case EventKind::kBroadcast: return LogicalEvent::Kind::kBroadcast;
    case EventKind::kCollectiveBegin: return LogicalEvent::Kind::kEnterCollective;
    case EventKind::kCollectiveEnd: return LogicalEvent::Kind::kLeaveCollective;
    case EventKind::kBlock:
    case EventKind::kEnter:
    case EventKind::kLeave:
    case EventKind::kMark: return LogicalEvent::Kind::kInternal;
  }
  return LogicalEvent::Kind::kInternal;
}

CollectiveFlow FlowOfCollective(std::string_view kind) {
  if (kind == "exscan") return CollectiveFlow::kExclusivePrefix;
  switch (ShapeOf(kind)) {
    case CollectiveShape::kOneToAll: return CollectiveFlow::kOneToAll;
    case CollectiveShape::kAllToOne: return CollectiveFlow::kAllToOne;
    case CollectiveShape::kAllToAll: return CollectiveFlow::kAllToAll;
    case CollectiveShape::kScan: return CollectiveFlow::kPrefix;
    case CollectiveShape::kFork: return CollectiveFlow::kFork;
    case CollectiveShape::kJoin: return CollectiveFlow::kJoin;
    case CollectiveShape::kNothing: return CollectiveFlow::kNone;
  }
  return CollectiveFlow::kNone;
}

void LogicalAdapter::Declare(const TraceSet& traces) {
  for (; processes_ < traces.processes.size(); ++processes_) {
    filter_->AddProcess(traces.processes[processes_].clock);
  }
  while (groups_.size() < traces.groups.size()) {
    const Group& group = traces.groups[groups_.size()];
    groups_.emplace_back(group.name, filter_->AddGroup(group.members));
    group_of_.clear();  // a name may have been seen before its declaration
    flow_of_.clear();
    instances_of_.clear();
  }
}

void LogicalAdapter::Learn(std::span<const std::string> names) {
  for (size_t i = group_of_.size(); i < names.size(); ++i) {
    const auto group =
        std::ranges::find_if(groups_, [&](const auto& known) { return known.first == names[i]; });
    group_of_.push_back(group == groups_.end() ? kNoGroup : group->second);
    flow_of_.push_back(FlowOfCollective(names[i]));
    instances_of_.push_back(InstanceOfKind(0, names[i]));
  }
}

LogicalEvent LogicalAdapter::Adapt(const Event& event, GlobalTime time, uint64_t tag,
                                   std::span<const std::string> names) {
  LogicalEvent out{.time = time,
                   .process = event.process,
                   .peer = event.peer,
                   .message = event.message,
                   .bytes = event.bytes,
                   .tag = tag,
                   .kind = KindOf(event.kind)};
  const bool is_collective =
      event.kind == EventKind::kCollectiveBegin || event.kind == EventKind::kCollectiveEnd;
  if (!is_collective) return out;
  if (group_of_.size() < names.size()) Learn(names);
  out.group = group_of_[event.group];
  out.message ^= instances_of_[event.name];
  out.flow = flow_of_[event.name];
  out.is_root = event.is_root;
  if (out.group != kNoGroup) return out;
  if (without_group_++ == 0) first_without_group_ = names[event.group];
  out.kind = LogicalEvent::Kind::kInternal;
  return out;
}

void LogicalAdapter::CountFindings(Diagnostics& diagnostics) const {
  if (without_group_ == 0) return;
  diagnostics.Count("collective-without-group", Severity::kWarning, without_group_,
                    first_without_group_);
}

}  // namespace syncline
