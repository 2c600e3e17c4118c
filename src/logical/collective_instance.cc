#include "logical/collective_instance.h"

#include <algorithm>
#include <utility>

#include "syncline/time.h"

namespace syncline {

using Member = CollectiveMember;

namespace {

// Of equal times that of the lowest rank, in whatever order they come.
bool IsLater(int64_t time, uint32_t rank, int64_t than, uint32_t than_rank) {
  return than_rank == kNoRank || time > than || (time == than && rank < than_rank);
}

}  // namespace

void LatestTwo::Add(int64_t time, uint32_t rank) {
  if (rank == first_rank) {
    first = std::max(first, time);
  } else if (IsLater(time, rank, first, first_rank)) {
    second = std::exchange(first, time);
    second_rank = std::exchange(first_rank, rank);
  } else if (IsLater(time, rank, second, second_rank)) {
    second = time;
    second_rank = rank;
  }
}

Awaited AwaitedBy(const LogicalEvent& leave, uint32_t rank, size_t size) {
  if (!leave.takes_part || size < 2) return Awaited::kNothing;
  switch (leave.flow) {
    case CollectiveFlow::kNone: return Awaited::kNothing;
    case CollectiveFlow::kAllToAll: return Awaited::kAll;
    case CollectiveFlow::kOneToAll: return leave.is_root ? Awaited::kNothing : Awaited::kRoot;
    case CollectiveFlow::kAllToOne: return leave.is_root ? Awaited::kAll : Awaited::kNothing;
    case CollectiveFlow::kPrefix:
    case CollectiveFlow::kExclusivePrefix:
      return rank == 0 ? Awaited::kNothing : Awaited::kLowerRanks;
    case CollectiveFlow::kFork: return rank == 0 ? Awaited::kNothing : Awaited::kFirstRank;
    case CollectiveFlow::kJoin: return rank == 0 ? Awaited::kAll : Awaited::kNothing;
  }
  return Awaited::kNothing;
}

bool IsAwaited(const LogicalEvent& enter, uint32_t rank, size_t size) {
  if (!enter.takes_part || size < 2) return false;
  switch (enter.flow) {
    case CollectiveFlow::kNone: return false;
    case CollectiveFlow::kAllToAll: return true;
    case CollectiveFlow::kOneToAll: return enter.is_root;
    case CollectiveFlow::kAllToOne: return !enter.is_root;
    case CollectiveFlow::kPrefix:
    case CollectiveFlow::kExclusivePrefix: return rank + 1 < size;
    case CollectiveFlow::kFork: return rank == 0;
    case CollectiveFlow::kJoin: return rank > 0;
  }
  return false;
}

void CollectiveInstance::Start(uint32_t group, uint64_t id, size_t size) {
  group_ = group;
  id_ = id;
  arrived_ = gone_ = not_final = 0;
  leading_ = 0;
  root_has_entered_ = has_blocked = false;
  members_.assign(size, Member{});
  up_to_.assign(size, Latest{});
  all_controlled_ = all_simple_ = root_controlled_ = root_simple_ = LatestTwo{};
  all_witness_ = root_witness_ = SteadyController::kNoWitness;
  ready_.clear();
}

void CollectiveInstance::AddEnter(uint32_t rank) {
  const Member& m = members_[rank];
  if (!m.is_awaited) return;
  all_controlled_.Add(m.enter.controlled, rank);
  all_simple_.Add(m.enter.simple, rank);
  all_witness_ = std::max(all_witness_, m.enter.witness);
  if (m.is_root) {
    root_witness_ = std::max(root_witness_, m.enter.witness);
    root_controlled_.Add(m.enter.controlled, rank);
    root_simple_.Add(m.enter.simple, rank);
  }
  // Only where it comes again, or late; Arrive() does the others.
  for (uint32_t r = rank; r < leading_; ++r) {
    if (IsLater(m.enter.controlled, rank, up_to_[r].enter.controlled, up_to_[r].rank)) {
      up_to_[r].rank = rank;
    }
    up_to_[r].enter.Raise(m.enter);
  }
}

void CollectiveInstance::Arrive(uint32_t rank) {
  ++arrived_;
  const Member& m = members_[rank];
  if (m.has_entered && m.is_root && !root_has_entered_) {
    root_has_entered_ = true;
    for (uint32_t r = 0; r < members_.size(); ++r) {
      if (members_[r].awaits == Awaited::kRoot) NoteReady(r);
    }
  }
  for (uint32_t r = 1; rank == 0 && r < members_.size(); ++r) {
    if (members_[r].awaits == Awaited::kFirstRank) NoteReady(r);
  }
  while (leading_ < members_.size() && members_[leading_].state != Member::State::kMissing) {
    const Member& next = members_[leading_];
    Latest latest = leading_ == 0 ? Latest{} : up_to_[leading_ - 1];
    if (next.has_entered && next.is_awaited) {
      if (IsLater(next.enter.controlled, leading_, latest.enter.controlled, latest.rank)) {
        latest.rank = leading_;
      }
      latest.enter.Raise(next.enter);
    }
    up_to_[leading_++] = latest;
    if (leading_ < members_.size() && members_[leading_].awaits == Awaited::kLowerRanks) {
      NoteReady(leading_);
    }
  }
  if (arrived_ < members_.size()) return;
  for (uint32_t r = 0; r < members_.size(); ++r) NoteReady(r);
}

void CollectiveInstance::NoteReady(uint32_t rank) {
  if (!members_[rank].is_blocked) return;
  members_[rank].is_blocked = false;
  ready_.push_back(rank);
}

std::vector<uint32_t> CollectiveInstance::TakeReady() { return std::exchange(ready_, {}); }

bool CollectiveInstance::IsReady(uint32_t rank, Awaited awaited) const {
  switch (awaited) {
    case Awaited::kNothing: return true;
    case Awaited::kAll: return arrived_ == members_.size();
    case Awaited::kRoot: return root_has_entered_ || arrived_ == members_.size();
    case Awaited::kLowerRanks: return leading_ >= rank;
    case Awaited::kFirstRank: return members_[0].state != Member::State::kMissing;
  }
  return true;
}

CollectiveInstance::Latest CollectiveInstance::LatestFor(uint32_t rank, Awaited awaited) const {
  switch (awaited) {
    case Awaited::kNothing: break;
    case Awaited::kAll:
      return {{all_simple_.Without(rank), all_controlled_.Without(rank), all_witness_},
              all_controlled_.RankWithout(rank)};
    case Awaited::kRoot:
    case Awaited::kFirstRank:
      return {{root_simple_.Without(rank), root_controlled_.Without(rank), root_witness_},
              root_controlled_.RankWithout(rank)};
    case Awaited::kLowerRanks: return up_to_[rank - 1];
  }
  return {};
}

std::vector<int64_t> CollectiveInstance::EarliestLeaves() const {
  // Times negated: the latest is the earliest.
  LatestTwo all;
  LatestTwo rooted;
  std::vector<int64_t> earliest(members_.size(), INT64_MAX);
  int64_t of_higher_ranks = INT64_MAX;
  const auto limit = [](const Member& m) { return SaturatedDifference(m.leave, m.leave_delay); };
  for (uint32_t r = 0; r < members_.size(); ++r) {
    const Member& m = members_[r];
    if (!m.has_left) continue;
    if (m.awaits == Awaited::kAll) all.Add(SaturatedDifference(0, limit(m)), r);
    if (IsOfRoot(m.awaits)) rooted.Add(SaturatedDifference(0, limit(m)), r);
  }
  for (auto r = static_cast<uint32_t>(members_.size()); r-- > 0;) {
    const Member& m = members_[r];
    earliest[r] = std::min(of_higher_ranks, SaturatedDifference(0, all.Without(r)));
    if (m.is_root) earliest[r] = std::min(earliest[r], SaturatedDifference(0, rooted.Without(r)));
    if (m.has_left && m.awaits == Awaited::kLowerRanks) {
      of_higher_ranks = std::min(of_higher_ranks, limit(m));
    }
  }
  return earliest;
}

void CollectiveInstance::ReportLeaves(std::span<const uint32_t> processes,
                                      RetimedMessageSink& sink) const {
  struct Pair {
    LatestTwo before;
    LatestTwo after;
    void Add(const Member& m, uint32_t rank) {
      before.Add(m.enter_before, rank);
      after.Add(m.enter_after, rank);
    }
  };
  Pair all;
  Pair rooted;
  for (uint32_t rank = 0; rank < members_.size(); ++rank) {
    const Member& m = members_[rank];
    if (!m.has_entered || !m.is_awaited) continue;
    all.Add(m, rank);
    if (m.is_root) rooted.Add(m, rank);
  }
  Pair lower;
  for (uint32_t rank = 0; rank < members_.size(); ++rank) {
    const Member& m = members_[rank];
    const Pair& pair = IsOfRoot(m.awaits) ? rooted : m.awaits == Awaited::kLowerRanks ? lower : all;
    const uint32_t from = pair.before.RankWithout(rank);
    if (m.has_left && m.awaits != Awaited::kNothing && from != kNoRank) {
      sink.OnMessage({ProcessId{processes[from]}, ProcessId{processes[rank]},
                      members_[from].enter_tag, m.leave_tag, GlobalTime{pair.before.Without(rank)},
                      GlobalTime{pair.after.Without(rank)}, GlobalTime{m.leave_before},
                      GlobalTime{m.leave_after}, Duration{m.leave_delay},
                      RetimedMessage::Kind::kCollective});
    }
    if (m.has_entered && m.is_awaited) lower.Add(m, rank);
  }
}

}  // namespace syncline
