#include "match/collective_messages.h"

#include <algorithm>
#include <array>
#include <utility>

namespace syncline {
namespace {

using Shape = CollectiveShape;

constexpr std::array<std::pair<std::string_view, Shape>, 17> kShapes = {{
    {"barrier", Shape::kAllToAll},
    {"bcast", Shape::kOneToAll},
    {"gather", Shape::kAllToOne},
    {"gatherv", Shape::kAllToOne},
    {"scatter", Shape::kOneToAll},
    {"scatterv", Shape::kOneToAll},
    {"allgather", Shape::kAllToAll},
    {"allgatherv", Shape::kAllToAll},
    {"alltoall", Shape::kAllToAll},
    {"allreduce", Shape::kAllToAll},
    {"reduce", Shape::kAllToOne},
    {"reduce_scatter", Shape::kAllToAll},
    {"reduce_scatter_block", Shape::kAllToAll},
    {"scan", Shape::kScan},
    {"exscan", Shape::kScan},
    {kForkOfThreads, Shape::kFork},
    {kJoinOfThreads, Shape::kJoin},
}};

}  // namespace

CollectiveShape ShapeOf(std::string_view kind) {
  for (const auto& [name, shape] : kShapes) {
    if (name == kind) return shape;
  }
  return Shape::kNothing;
}

CollectiveMessages::CollectiveMessages(const std::vector<Group>& groups,
                                       const std::vector<std::string>& names, MessageSink& sink)
    : groups_(groups), names_(names), sink_(sink) {}

void CollectiveMessages::Add(const Event& event, uint64_t index, uint64_t bytes_received) {
  const bool is_begin = event.kind == EventKind::kCollectiveBegin;
  if (!is_begin && event.kind != EventKind::kCollectiveEnd) return;
  const Ranks& ranks = RanksOf(event.group);
  const auto rank = ranks.find(event.process);
  if (rank == ranks.end()) return;
  const auto [it, is_new] = instances_.try_emplace(Key{event.group, event.message});
  Instance& instance = it->second;
  if (is_new) instance.parts.resize(groups_[event.group].members.size());
  Part& part = instance.parts[rank->second];
  const Shape shape = rank->second > 0 ? TeamShapeOf(event.name) : Shape::kNothing;
  part.is_root |= event.is_root;
  part.has_sent |= event.bytes > 0;
  part.name = event.name;
  if (is_begin) {
    part.begin = {event.process, index, event.time};
    if (std::exchange(part.has_begin, true)) instance.is_sound = false;
    if (shape != Shape::kJoin) return;
  } else {
    if (part.has_begin == (shape == Shape::kFork) || part.has_end) instance.is_sound = false;
    part.end = {event.process, index, event.time};
  }
  part.has_received = bytes_received > 0;
  if (!std::exchange(part.has_end, true)) ++instance.ends;
  if (instance.ends < instance.parts.size()) return;
  Deliver(instance);
  instances_.erase(it);
}

CollectiveShape CollectiveMessages::TeamShapeOf(uint32_t name) const {
  return names_[name] == kForkOfThreads   ? Shape::kFork
         : names_[name] == kJoinOfThreads ? Shape::kJoin
                                          : Shape::kNothing;
}

const CollectiveMessages::Ranks& CollectiveMessages::RanksOf(uint32_t group) {
  const auto [it, is_new] = ranks_.try_emplace(group);
  if (is_new) {
    const std::vector<ProcessId>& members = groups_[group].members;
    for (uint32_t rank = 0; rank < members.size(); ++rank) it->second.emplace(members[rank], rank);
  }
  return it->second;
}

void CollectiveMessages::Deliver(const Instance& instance) {
  const std::vector<Part>& parts = instance.parts;
  const bool is_one_kind =
      std::ranges::all_of(parts, [&](const Part& part) { return part.name == parts[0].name; });
  if (!instance.is_sound || !is_one_kind) {
    ++counts_.ambiguous;
    return;
  }
  const std::string_view kind = names_[parts[0].name];
  const CollectiveShape shape = ShapeOf(kind);
  switch (shape) {
    case Shape::kNothing: ++counts_.without_meaning; return;
    case Shape::kOneToAll:
    case Shape::kAllToOne: return DeliverRooted(instance, shape, kind);
    case Shape::kAllToAll: return DeliverAllToAll(instance, kind);
    case Shape::kFork:
    case Shape::kJoin: return DeliverTeam(instance, shape);
    case Shape::kScan:
      ++counts_.collectives;
      for (size_t rank = 1; rank < parts.size(); ++rank) Send(parts[rank - 1], parts[rank]);
      return;
  }
}

void CollectiveMessages::DeliverRooted(const Instance& instance, CollectiveShape shape,
                                       std::string_view kind) {
  const std::vector<Part>& parts = instance.parts;
  const auto is_root = [](const Part& part) { return part.is_root; };
  if (std::ranges::count_if(parts, is_root) != 1) {
    ++counts_.ambiguous;
    return;
  }
  ++counts_.collectives;
  const Part& root = *std::ranges::find_if(parts, is_root);
  const auto takes_part = [&](const Part& part) {
    return shape == Shape::kOneToAll ? part.has_received : part.has_sent;
  };
  const bool sizes_count = kind == "gatherv" || kind == "scatterv";
  for (const Part& part : parts) {
    if (part.is_root || (sizes_count && !takes_part(part))) continue;
    if (shape == Shape::kOneToAll) {
      Send(root, part);
    } else {
      Send(part, root);
    }
  }
}

void CollectiveMessages::DeliverTeam(const Instance& instance, CollectiveShape shape) {
  const std::vector<Part>& parts = instance.parts;
  ++counts_.collectives;
  for (size_t rank = 1; rank < parts.size(); ++rank) {
    if (shape == Shape::kFork) {
      Send(parts[0], parts[rank]);
    } else {
      Send(parts[rank], parts[0]);
    }
  }
}

void CollectiveMessages::DeliverAllToAll(const Instance& instance, std::string_view kind) {
  const std::vector<Part>& parts = instance.parts;
  ++counts_.collectives;
  const bool sent_counts = kind == "allgatherv";
  const bool received_counts =
      kind == "reduce_scatter" && std::ranges::any_of(parts, &Part::has_received);
  const auto send = [&](const Part& from, const Part& to) {
    if (sent_counts && !from.has_sent) return;
    if (received_counts && !to.has_received) return;
    Send(from, to);
  };
  for (size_t rank = 1; rank < parts.size(); ++rank) {
    send(parts[0], parts[rank]);
    send(parts[rank], parts[0]);
  }
}

void CollectiveMessages::Send(const Part& from, const Part& to) {
  ++counts_.messages;
  sink_.OnMessage({from.begin, to.end});
}

CollectiveCounts CollectiveMessages::Finish(Diagnostics& diagnostics) {
  counts_.incomplete = instances_.size();
  diagnostics.Count("ambiguous-collective", Severity::kWarning, counts_.ambiguous);
  instances_.clear();
  return std::exchange(counts_, {});
}

}  // namespace syncline
