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

// Ends wait for nobody but the root.
bool IsFromRoot(CollectiveFlow flow) {
  return flow == CollectiveFlow::kOneToAll || flow == CollectiveFlow::kFork;
}

void MergeInto(std::optional<PastStamp>& merged, const PastStamp& stamp) {
  if (merged) {
    merged->Merge(stamp);
  } else {
    merged = stamp;
  }
}

}  // namespace

CollectivePasts::CollectivePasts(std::span<const std::vector<ProcessId>> groups,
                                 const MeterShare* share)
    : share_(share) {
  for (const std::vector<ProcessId>& group : groups) {
    Members& members = members_.emplace_back();
    for (const ProcessId member : group) {
      const auto rank = static_cast<uint32_t>(members.ranks.size());
      const bool is_new = members.ranks.emplace(member.value, rank).second;
      const bool is_here = share == nullptr || share->is_here[member.index()];
      if (is_new && is_here) ++members.here;
      if (uses_.size() <= member.index()) uses_.resize(member.index() + 1);
    }
  }
}

CollectivePasts::Use& CollectivePasts::UseOf(const CollectivePart& part) {
  return uses_[part.process.index()][{part.group, part.instance}];
}

std::optional<uint32_t> CollectivePasts::RankOf(uint32_t group, ProcessId process) const {
  if (group >= members_.size()) return std::nullopt;
  const auto rank = members_[group].ranks.find(process.value);
  if (rank == members_[group].ranks.end()) return std::nullopt;
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

bool CollectivePasts::MayWake(CollectiveFlow flow, bool is_root, const Instance& instance,
                              const Members& members) {
  return is_root || IsPrefix(flow) || instance.begun == members.ranks.size();
}

// Whether nobody asks for it any more. A join has one end, of its root. Of several shares, all
// must have told what they tell.
bool CollectivePasts::IsOver(CollectiveFlow flow, const Instance& instance,
                             const Members& members) {
  const bool is_join = flow == CollectiveFlow::kJoin;
  if (!members.are_shared()) return is_join || instance.ended == members.ranks.size();
  const bool has_heard_all =
      flow == CollectiveFlow::kNone ||
      (IsFromRoot(flow) ? instance.root.has_value() : instance.begun == members.ranks.size());
  if (!has_heard_all) return false;
  if (is_join) return instance.ended > 0 || !instance.has_root_here;
  return instance.ended == members.here;
}

bool CollectivePasts::IsReady(Awaited awaited, const Instance& instance, uint32_t rank,
                              size_t members) {
  switch (awaited) {
    case Awaited::kNothing: return true;
    case Awaited::kAll: return instance.begun >= members;
    case Awaited::kRoot: return instance.root.has_value();
    case Awaited::kLowerRanks:
      return std::ranges::count_if(instance.begins,
                                   [&](const Begun& b) { return b.rank < rank; }) >= rank;
  }
  return true;
}

std::vector<ProcessId> CollectivePasts::Begin(const CollectivePart& part, const PastStamp& stamp,
                                              EventOrigin origin) {
  const auto rank = RankOf(part.group, part.process);
  if (!rank) return {};
  const Members& members = members_[part.group];
  const Key key{part.group, part.instance, UseOf(part).begun++};
  Instance& instance = instances_[key];
  ++instance.begun;
  ++instance.begun_here;
  if (part.takes_part) MergeInto(members.are_shared() ? instance.all_here : instance.all, stamp);
  if (part.is_root) instance.root = stamp;
  instance.has_root_here |= part.is_root;
  Begun begun{*rank, part.is_root, part.takes_part, origin, {}};
  if (IsPrefix(part.flow)) begun.stamp = stamp;
  instance.begins.push_back(std::move(begun));
  if (members.are_shared()) TellOthers(part, key, instance);
  if (!MayWake(part.flow, part.is_root, instance, members)) return {};
  auto waiting = std::exchange(instance.waiting, {});
  if (members.are_shared() && IsOver(part.flow, instance, members)) instances_.erase(key);
  return waiting;
}

// `part` has just begun.
void CollectivePasts::TellOthers(const CollectivePart& part, const Key& key,
                                 Instance& instance) const {
  if (part.flow == CollectiveFlow::kNone) return;
  BeginsElsewhere told{key.group, part.flow, key.instance, key.use, 1, {}, {}};
  const auto add = [&](const Begun& begun) {
    told.members.push_back({begun.origin, begun.is_root, begun.takes_part});
  };
  if (IsPrefix(part.flow)) {
    told.stamp = instance.begins.back().stamp;
    add(instance.begins.back());
  } else if (IsFromRoot(part.flow)) {
    if (!part.is_root) return;
    told.stamp = instance.root;
    if (keeps_origins_) add(instance.begins.back());
  } else {
    if (instance.begun_here < members_[key.group].here) return;
    told.count = instance.begun_here;
    for (const Begun& begun : instance.begins) {
      const bool is_here = share_->is_here[begun.origin.process.index()];
      if (keeps_origins_ && is_here) add(begun);
    }
    told.stamp = instance.all_here;
    if (instance.all_here) MergeInto(instance.all, *instance.all_here);
  }
  share_->tell_begins(told);
}

std::vector<ProcessId> CollectivePasts::Adopt(const BeginsElsewhere& begins) {
  const Members& members = members_[begins.group];
  const Key key{begins.group, begins.instance, begins.use};
  Instance& instance = instances_[key];
  instance.begun += begins.count;
  const bool is_root = IsFromRoot(begins.flow);
  if (begins.stamp && is_root) instance.root = begins.stamp;
  if (begins.stamp && !is_root) MergeInto(instance.all, *begins.stamp);
  for (const BeginsElsewhere::Member& member : begins.members) {
    Begun begun{*RankOf(begins.group, member.origin.process),
                member.is_root,
                member.takes_part,
                member.origin,
                {}};
    if (IsPrefix(begins.flow)) begun.stamp = begins.stamp;
    instance.begins.push_back(std::move(begun));
  }
  if (!MayWake(begins.flow, is_root, instance, members)) return {};
  auto waiting = std::exchange(instance.waiting, {});
  if (IsOver(begins.flow, instance, members)) instances_.erase(key);
  return waiting;
}

std::optional<CollectivePasts::Learned> CollectivePasts::End(const CollectivePart& part) {
  const auto rank = RankOf(part.group, part.process);
  if (!rank) return Learned{};
  Use& use = UseOf(part);
  if (use.ended == use.begun && !EndsAlone(part)) return Learned{};
  const Key key{part.group, part.instance, use.ended};
  Instance& instance = instances_[key];
  const Awaited awaited = AwaitedBy(part);
  const Members& members = members_[part.group];
  const bool is_given_up = has_given_up_ && !to_come_.contains(key);
  if (!is_given_up && !IsReady(awaited, instance, *rank, members.ranks.size())) {
    instance.waiting.push_back(part.process);
    return std::nullopt;
  }
  Learned learned = Learn(awaited, instance, *rank);
  ++use.ended;
  ++instance.ended;
  if (IsOver(part.flow, instance, members)) instances_.erase(key);
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
    if (!part.takes_part || !RankOf(part.group, part.process)) continue;
    to_come_.insert({part.group, part.instance, UseOf(part).begun});
  }
}

}  // namespace syncline
