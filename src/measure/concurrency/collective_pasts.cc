#include "measure/concurrency/collective_pasts.h"

#include <algorithm>
#include <utility>

namespace syncline {
namespace {

bool IsPrefix(CollectiveFlow flow) {
  return flow == CollectiveFlow::kPrefix || flow == CollectiveFlow::kExclusivePrefix;
}

// A team's fork has ends without begins.
bool EndsAlone(const CollectivePart& part) {
  return part.flow == CollectiveFlow::kFork && !part.is_root;
}

void MergeInto(std::optional<PastStamp>& merged, const PastStamp& stamp) {
  if (merged) {
    merged->Merge(stamp);
  } else {
    merged = stamp;
  }
}

}  // namespace

CollectivePasts::CollectivePasts(std::span<const std::vector<ProcessId>> groups) {
  for (const std::vector<ProcessId>& members : groups) {
    auto& ranks = ranks_.emplace_back();
    for (const ProcessId member : members) {
      ranks.emplace(member.value, static_cast<uint32_t>(ranks.size()));
      if (uses_.size() <= member.index()) uses_.resize(member.index() + 1);
    }
  }
}

CollectivePasts::Use& CollectivePasts::UseOf(const CollectivePart& part) {
  return uses_[part.process.index()][{part.group, part.instance}];
}

std::optional<uint32_t> CollectivePasts::RankOf(const CollectivePart& part) const {
  if (part.group >= ranks_.size()) return std::nullopt;
  const auto rank = ranks_[part.group].find(part.process.value);
  if (rank == ranks_[part.group].end()) return std::nullopt;
  return rank->second;
}

// What members that take part wait for: all begins, the root's, those of lower ranks, or nothing.
CollectivePasts::Awaited CollectivePasts::AwaitedBy(const CollectivePart& part) {
  if (!part.takes_part) return Awaited::kNothing;
  switch (part.flow) {
    case CollectiveFlow::kNone: return Awaited::kNothing;
    case CollectiveFlow::kAllToAll: return Awaited::kAll;
    case CollectiveFlow::kOneToAll:
    case CollectiveFlow::kFork: return part.is_root ? Awaited::kNothing : Awaited::kRoot;
    case CollectiveFlow::kAllToOne:
    case CollectiveFlow::kJoin: return part.is_root ? Awaited::kAll : Awaited::kNothing;
    case CollectiveFlow::kPrefix:
    case CollectiveFlow::kExclusivePrefix: return Awaited::kLowerRanks;
  }
  return Awaited::kNothing;
}

// Whether an end, which has been counted, was the last. A join has one, of its root.
bool CollectivePasts::IsOver(const CollectivePart& part, const Instance& instance, size_t members) {
  return part.flow == CollectiveFlow::kJoin || instance.ended == members;
}

bool CollectivePasts::IsReady(Awaited awaited, const Instance& instance, uint32_t rank,
                              size_t members) {
  switch (awaited) {
    case Awaited::kNothing: return true;
    case Awaited::kAll: return instance.begins.size() >= members;
    case Awaited::kRoot: return instance.root.has_value();
    case Awaited::kLowerRanks:
      return std::ranges::count_if(instance.begins,
                                   [&](const Begun& b) { return b.rank < rank; }) >= rank;
  }
  return true;
}

std::vector<ProcessId> CollectivePasts::Begin(const CollectivePart& part, const PastStamp& stamp,
                                              EventOrigin origin) {
  const auto rank = RankOf(part);
  if (!rank) return {};
  Instance& instance = instances_[{part.group, part.instance, UseOf(part).begun++}];
  if (part.takes_part) MergeInto(instance.all, stamp);
  if (part.is_root) instance.root = stamp;
  Begun begun{*rank, part.is_root, part.takes_part, origin, {}};
  if (IsPrefix(part.flow)) begun.stamp = stamp;
  instance.begins.push_back(std::move(begun));
  const bool may_wake =
      part.is_root || IsPrefix(part.flow) || instance.begins.size() == ranks_[part.group].size();
  return may_wake ? std::exchange(instance.waiting, {}) : std::vector<ProcessId>{};
}

std::optional<CollectivePasts::Learned> CollectivePasts::End(const CollectivePart& part) {
  const auto rank = RankOf(part);
  if (!rank) return Learned{};
  Use& use = UseOf(part);
  if (use.ended == use.begun && !EndsAlone(part)) return Learned{};
  const Key key{part.group, part.instance, use.ended};
  Instance& instance = instances_[key];
  const Awaited awaited = AwaitedBy(part);
  const size_t members = ranks_[part.group].size();
  const bool is_given_up = has_given_up_ && !to_come_.contains(key);
  if (!is_given_up && !IsReady(awaited, instance, *rank, members)) {
    instance.waiting.push_back(part.process);
    return std::nullopt;
  }
  Learned learned = Learn(awaited, instance, *rank);
  ++use.ended;
  ++instance.ended;
  if (IsOver(part, instance, members)) instances_.erase(key);
  return learned;
}

CollectivePasts::Learned CollectivePasts::Learn(Awaited awaited, const Instance& instance,
                                                uint32_t rank) const {
  if (awaited == Awaited::kNothing) return {};
  Learned learned;
  const bool is_prefix = awaited == Awaited::kLowerRanks;
  if (!is_prefix) learned.stamp = awaited == Awaited::kRoot ? instance.root : instance.all;
  if (!is_prefix && !keeps_origins_) return learned;
  for (const Begun& begun : instance.begins) {
    const bool is_awaited = begun.takes_part && (!is_prefix || begun.rank < rank) &&
                            (awaited != Awaited::kRoot || begun.is_root);
    if (!is_awaited) continue;
    learned.from.push_back(begun.origin);
    if (begun.stamp && is_prefix) MergeInto(learned.stamp, *begun.stamp);
  }
  return learned;
}

void CollectivePasts::GiveUpMissing(std::span<const CollectivePart> to_come) {
  has_given_up_ = true;
  to_come_.clear();
  for (const CollectivePart& part : to_come) {
    if (!part.takes_part || !RankOf(part)) continue;
    to_come_.insert({part.group, part.instance, UseOf(part).begun});
  }
}

}  // namespace syncline
