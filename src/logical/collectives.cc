#include "logical/collectives.h"

#include <algorithm>
#include <utility>

#include "syncline/time.h"

namespace syncline {

using Member = CollectiveMember;

uint32_t Collectives::AddGroup(std::span<const ProcessId> members) {
  Group group;
  for (const ProcessId p : members) {
    group.by_process.emplace_back(p.value, static_cast<uint32_t>(group.members.size()));
    group.members.push_back(p.value);
  }
  std::ranges::sort(group.by_process);
  groups_.push_back(std::move(group));
  return static_cast<uint32_t>(groups_.size() - 1);
}

std::optional<uint32_t> Collectives::RankOf(const Group& group, uint32_t process) const {
  if (process < group.members.size() && group.members[process] == process) return process;
  const auto it = std::ranges::lower_bound(group.by_process, std::pair{process, uint32_t{0}});
  if (it == group.by_process.end() || it->first != process) return std::nullopt;
  return it->second;
}

std::optional<Collectives::Place> Collectives::Find(const LogicalEvent& event) {
  if (event.group >= groups_.size() || groups_[event.group].members.size() < 2) return std::nullopt;
  const auto rank = RankOf(groups_[event.group], event.process.value);
  if (!rank) return std::nullopt;
  const auto it = by_name_.find({event.group, event.message});
  if (it == by_name_.end()) return Place{Start(event), *rank};
  const Place place{it->second, *rank};
  // A member that is through with an instance which is kept for others begins the next one.
  if (!instances_[place.instance].is_kept || IsFirst(place, event.kind)) return place;
  by_name_.erase(it);
  FreeIfFinal(place.instance);
  return Place{Start(event), *rank};
}

uint32_t Collectives::Start(const LogicalEvent& event) {
  if (free_.empty()) {
    free_.push_back(static_cast<uint32_t>(instances_.size()));
    instances_.emplace_back();
  }
  const uint32_t index = free_.back();
  free_.pop_back();
  const Group& group = groups_[event.group];
  CollectiveInstance& instance = instances_[index];
  instance.Start(event.group, event.message, group.members.size());
  by_name_[{event.group, event.message}] = index;
  open_.push_back(index);
  ExtendDeadlines(instance, event.time.ns);
  for (uint32_t rank = 0; rank < group.members.size(); ++rank) {
    if ((*progress_)[group.members[rank]].is_done) MarkAbsent(index, rank);
  }
  return index;
}

// Members that have not entered are waited for since `due`.
void Collectives::ExtendDeadlines(CollectiveInstance& instance, int64_t due) {
  const Group& group = groups_[instance.group()];
  for (uint32_t rank = 0; rank < group.members.size(); ++rank) {
    Member& m = instance.members()[rank];
    if (m.state == Member::State::kMissing) SetDeadline(m, group.members[rank], due);
  }
}

void Collectives::SetDeadline(Member& member, uint32_t process, int64_t due) {
  member.deadline = Deadline((*progress_)[process], due, options_->max_horizon_ns);
  deadlines_[process] = std::min(deadlines_[process], member.deadline);
  (*progress_)[process].SetAlarm(member.deadline);
}

bool Collectives::IsFirst(Place place, LogicalEvent::Kind kind) const {
  const Member& m = instances_[place.instance].members()[place.rank];
  if (kind == LogicalEvent::Kind::kLeaveCollective) return !m.has_left;
  return !m.has_entered && !m.has_left;
}

bool Collectives::IsReadyElseBlock(Place place, const LogicalEvent& leave) {
  CollectiveInstance& instance = instances_[place.instance];
  Member& m = instance.members()[place.rank];
  const size_t size = instance.members().size();
  m.awaits = AwaitedBy(leave, place.rank, size);
  if (m.state == Member::State::kMissing) {  // a leave without enter
    m.state = Member::State::kEntered;
    m.is_excused = true;
    instance.Arrive(place.rank);
    CollectReady(place.instance);
  }
  if (instance.IsReady(place.rank, m.awaits)) return true;
  m.is_blocked = true;
  if (!instance.has_blocked) {
    instance.has_blocked = true;
    ExtendDeadlines(instance, leave.time.ns);
  }
  return false;
}

std::optional<Collectives::Partner> Collectives::MissingPartner(Place place) const {
  const CollectiveInstance& instance = instances_[place.instance];
  const Awaited awaited = instance.members()[place.rank].awaits;
  const auto end = awaited == Awaited::kLowerRanks ? place.rank
                   : awaited == Awaited::kFirstRank
                       ? 1
                       : static_cast<uint32_t>(instance.members().size());
  for (uint32_t rank = 0; rank < end; ++rank) {
    const Member& m = instance.members()[rank];
    if (m.state != Member::State::kMissing) continue;
    return Partner{groups_[instance.group()].members[rank], m.deadline};
  }
  return std::nullopt;
}

void Collectives::GiveUp(Place place) {
  while (const auto partner = MissingPartner(place)) MarkPartnerAbsent(place, partner->process);
}

void Collectives::WaitForNobody(Place place) {
  CollectiveMember& member = instances_[place.instance].members()[place.rank];
  member.awaits = Awaited::kNothing;
  member.is_blocked = false;
}

void Collectives::MarkPartnerAbsent(Place place, uint32_t process) {
  const Group& group = groups_[instances_[place.instance].group()];
  if (const auto rank = RankOf(group, process)) MarkAbsent(place.instance, *rank);
}

void Collectives::Excuse(Place place, uint32_t process) {
  CollectiveInstance& instance = instances_[place.instance];
  const auto rank = RankOf(groups_[instance.group()], process);
  if (!rank) return;
  Member& m = instance.members()[*rank];
  m.is_excused = true;
  m.state = Member::State::kEntered;
  instance.Arrive(*rank);
  CollectReady(place.instance);
}

void Collectives::MarkAbsent(uint32_t index, uint32_t rank) {
  CollectiveInstance& instance = instances_[index];
  Member& m = instance.members()[rank];
  const bool has_arrived = m.state != Member::State::kMissing;
  if (m.state == Member::State::kLeft || m.state == Member::State::kAbsent) return;
  m.state = Member::State::kAbsent;
  ++report_->given_up;
  if (!has_arrived) instance.Arrive(rank);
  instance.Go();
  CollectReady(index);
  CompleteIfGone(index);
}

void Collectives::CollectReady(uint32_t index) {
  const Group& group = groups_[instances_[index].group()];
  for (const uint32_t rank : instances_[index].TakeReady()) ready_.push_back(group.members[rank]);
}

int64_t Collectives::MinimumDelay(uint32_t group, uint32_t from_rank, uint32_t to_rank,
                                  uint64_t bytes) const {
  const std::vector<uint32_t>& members = groups_[group].members;
  return delays_
      ->Of((*progress_)[members[from_rank]].clock, (*progress_)[members[to_rank]].clock, bytes)
      .ns;
}

// The latest enter where the amortization may have moved the enters already.
CollectiveInstance::Latest Collectives::LatestAfterAll(const CollectiveInstance& instance,
                                                       uint32_t rank, Awaited awaited) const {
  CollectiveInstance::Latest latest = instance.LatestFor(rank, awaited);
  for (uint32_t r = 0; r < instance.members().size(); ++r) {
    const Member& m = instance.members()[r];
    if (!m.has_entered || !m.is_awaited || r == rank) continue;
    if (IsOfRoot(awaited) && !m.is_root) continue;
    if (awaited == Awaited::kLowerRanks && r > rank) continue;
    const int64_t present =
        m.enter_is_final ? m.enter_after
                         : output_->Current(groups_[instance.group()].members[r], m.sequence);
    if (present <= latest.enter.controlled) continue;
    latest.enter.controlled = present;
    latest.rank = r;
  }
  return latest;
}

ClockBound Collectives::BoundOf(Place place, const LogicalEvent& leave) const {
  const CollectiveInstance& instance = instances_[place.instance];
  const Awaited awaited = AwaitedBy(leave, place.rank, instance.members().size());
  if (awaited == Awaited::kNothing) return {};
  const CollectiveInstance::Latest latest = instance.is_complete()
                                                ? LatestAfterAll(instance, place.rank, awaited)
                                                : instance.LatestFor(place.rank, awaited);
  if (latest.rank == kNoRank) return {};
  const int64_t delay = MinimumDelay(instance.group(), latest.rank, place.rank, leave.bytes);
  if (!latest.enter.HasRoomFor(delay)) ++report_->saturated;
  return latest.enter.After(delay);
}

Amortizer::Hold Collectives::Enter(Place place, const LogicalEvent& enter, const ClockStep& step) {
  CollectiveInstance& instance = instances_[place.instance];
  Member& m = instance.members()[place.rank];
  const bool is_late = m.state == Member::State::kAbsent;
  m.has_entered = true;
  m.is_root = IsRoot(enter, place.rank);
  m.is_awaited = IsAwaited(enter, place.rank, instance.members().size());
  m.enter = {step.simple, step.controlled};
  m.enter_before = enter.time.ns;
  m.enter_tag = enter.tag;
  ++instance.not_final;
  instance.AddEnter(place.rank);
  if (is_late) {
    ++report_->late_partners;
    CheckLateEnter(instance, place.rank);
    if (HasNoLeave(enter, place.rank)) m.state = Member::State::kLeft;
    return Amortizer::Hold::kNone;
  }
  m.state = Member::State::kEntered;
  SetDeadline(m, enter.process.value, enter.time.ns);
  if (!m.is_excused) instance.Arrive(place.rank);
  CollectReady(place.instance);
  if (HasNoLeave(enter, place.rank)) {
    m.state = Member::State::kLeft;
    instance.Go();
    // The others are gone or absent: nobody is left to wait for this enter.
    if (instance.is_complete()) m.is_awaited = false;
    CompleteIfGone(place.instance);
  }
  return m.is_awaited ? Amortizer::Hold::kWaits : Amortizer::Hold::kNone;
}

// Leaves that went on without this enter: does the condition hold anyway?
void Collectives::CheckLateEnter(const CollectiveInstance& instance, uint32_t rank) {
  const Member& late = instance.members()[rank];
  if (!late.is_awaited) return;
  for (uint32_t r = 0; r < instance.members().size(); ++r) {
    const Member& m = instance.members()[r];
    if (!m.has_left || r == rank || m.awaits == Awaited::kNothing) continue;
    if (IsOfRoot(m.awaits) && !late.is_root) continue;
    if (m.awaits == Awaited::kLowerRanks && r < rank) continue;
    if (m.leave_after < SaturatedSum(late.enter.controlled, m.leave_delay)) ++report_->broken;
  }
}

void Collectives::SetSequence(Place place, uint64_t sequence) {
  instances_[place.instance].members()[place.rank].sequence = sequence;
}

void Collectives::Leave(Place place, const LogicalEvent& leave, const ClockStep& step) {
  CollectiveInstance& instance = instances_[place.instance];
  Member& m = instance.members()[place.rank];
  m.awaits = AwaitedBy(leave, place.rank, instance.members().size());
  m.has_left = true;
  m.is_blocked = false;
  m.leave_before = leave.time.ns;
  m.leave = m.leave_after = step.controlled;
  m.leave_tag = leave.tag;
  const uint32_t latest = instance.LatestFor(place.rank, m.awaits).rank;
  if (latest != kNoRank) {
    m.leave_delay = MinimumDelay(instance.group(), latest, place.rank, leave.bytes);
    ++report_->collective_leaves;
  }
  ++instance.not_final;
  if (m.state == Member::State::kAbsent) {
    ++report_->late_partners;
    if (instance.is_complete()) LimitEnters(place.instance);
    return;
  }
  if (m.state == Member::State::kMissing) {
    m.state = Member::State::kEntered;
    instance.Arrive(place.rank);
    CollectReady(place.instance);
  }
  m.state = Member::State::kLeft;
  instance.Go();
  CompleteIfGone(place.instance);
}

void Collectives::LimitEnters(uint32_t index) {
  const CollectiveInstance& instance = instances_[index];
  const std::vector<int64_t> earliest = instance.EarliestLeaves();
  for (uint32_t rank = 0; rank < earliest.size(); ++rank) {
    const Member& m = instance.members()[rank];
    if (!m.has_entered || !m.is_awaited || m.enter_is_final || earliest[rank] == INT64_MAX)
      continue;
    output_->Limit(groups_[instance.group()].members[rank], m.sequence, earliest[rank]);
  }
}

void Collectives::CompleteIfGone(uint32_t index) {
  CollectiveInstance& instance = instances_[index];
  if (!instance.is_complete()) return;
  open_.erase(std::ranges::find(open_, index));
  LimitEnters(index);
  ++instance.not_final;  // keeps the instance while its holds end
  const std::vector<uint32_t>& members = groups_[instance.group()].members;
  for (uint32_t rank = 0; rank < members.size(); ++rank) {
    const Member& m = instance.members()[rank];
    if (m.has_entered && m.is_awaited && !m.enter_is_final) {
      output_->Release(members[rank], m.sequence);
    }
  }
  --instance.not_final;
  FreeIfFinal(index);
}

void Collectives::Expire(uint32_t process) {
  const ProcessProgress& progress = (*progress_)[process];
  int64_t next = INT64_MAX;
  const std::vector<uint32_t> open = open_;
  for (const uint32_t index : open) {
    const auto rank = RankOf(groups_[instances_[index].group()], process);
    if (!rank) continue;
    const Member& m = instances_[index].members()[*rank];
    if (m.state != Member::State::kMissing && m.state != Member::State::kEntered) continue;
    if (progress.is_done || m.deadline < progress.reach) {
      MarkAbsent(index, *rank);
    } else {
      next = std::min(next, m.deadline);
    }
  }
  deadlines_[process] = next;
}

void Collectives::OnFinal(const FinalLink& link, int64_t after) {
  CollectiveInstance& instance = instances_[link.index()];
  Member& m = instance.members()[link.rank()];
  if (link.kind() == FinalLink::Kind::kEnter) {
    m.enter_is_final = true;
    m.enter_after = after;
    if (after > m.enter.controlled) {
      m.enter.controlled = after;
      if (!instance.is_complete()) instance.AddEnter(link.rank());
    }
  } else {
    m.leave_after = after;
  }
  --instance.not_final;
  FreeIfFinal(link.index());
}

void Collectives::OnDone(uint32_t process) {
  Expire(process);
  const std::deque<uint32_t> kept = kept_;
  for (const uint32_t index : kept) {
    if (RankOf(groups_[instances_[index].group()], process)) FreeIfFinal(index);
  }
}

bool Collectives::IsNamed(uint32_t index) const {
  const auto named = by_name_.find({instances_[index].group(), instances_[index].id()});
  return named != by_name_.end() && named->second == index;
}

bool Collectives::MaySomebodyCome(uint32_t index) const {
  const CollectiveInstance& instance = instances_[index];
  if (!IsNamed(index)) return false;
  const std::vector<uint32_t>& processes = groups_[instance.group()].members;
  for (uint32_t rank = 0; rank < processes.size(); ++rank) {
    const Member& m = instance.members()[rank];
    const bool is_under_way = m.state == Member::State::kAbsent && !m.has_left;
    if (is_under_way && !(*progress_)[processes[rank]].is_done) return true;
  }
  return false;
}

void Collectives::FreeIfFinal(uint32_t index) {
  constexpr size_t kMostKept = size_t{1} << 16;
  CollectiveInstance& instance = instances_[index];
  if (!instance.is_complete() || instance.not_final > 0) return;
  if (!MaySomebodyCome(index)) {
    if (std::exchange(instance.is_kept, false)) {
      kept_members_ -= instance.members().size();
      kept_.erase(std::ranges::find(kept_, index));
    }
    return Free(index);
  }
  if (std::exchange(instance.is_kept, true)) return;
  kept_.push_back(index);
  kept_members_ += instance.members().size();
  while (kept_members_ > kMostKept) {
    const uint32_t oldest = kept_.front();
    kept_.pop_front();
    kept_members_ -= instances_[oldest].members().size();
    instances_[oldest].is_kept = false;
    // Else its events are under way; it comes back when they are final.
    if (instances_[oldest].not_final == 0) Free(oldest);
  }
}

void Collectives::Free(uint32_t index) {
  const CollectiveInstance& instance = instances_[index];
  instance.ReportLeaves(groups_[instance.group()].members, *sink_);
  if (IsNamed(index)) by_name_.erase({instance.group(), instance.id()});
  free_.push_back(index);
}

}  // namespace syncline
