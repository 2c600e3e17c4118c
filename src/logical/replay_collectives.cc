#include "logical/replay_collectives.h"

namespace syncline {

using Member = CollectiveMember;

ReplayCollectives::ReplayCollectives(const ReplayTrace& trace, const ReplayLinks& links,
                                     const DelayModel& delays, LogicalReport& report)
    : trace_(&trace),
      links_(&links),
      delays_(&delays),
      report_(&report),
      states_(trace.parts.size()),
      running_of_(links.instances().size(), kNotStarted) {}

CollectiveInstance& ReplayCollectives::Running(uint32_t instance) {
  uint32_t& running = running_of_[instance];
  if (running == kNotStarted) {
    if (free_.empty()) {
      free_.push_back(static_cast<uint32_t>(running_.size()));
      running_.emplace_back();
    }
    running = free_.back();
    free_.pop_back();
    running_[running].Start(links_->instances()[instance].group, instance,
                            links_->members(instance).size());
  }
  return running_[running];
}

bool ReplayCollectives::IsReadyElseBlock(uint32_t part) {
  const ReplayTrace::Part& p = trace_->parts[part];
  if (p.kind == LogicalEvent::Kind::kEnterCollective) return true;
  const ReplayLinks::Place place = links_->place(part);
  CollectiveInstance& instance = Running(place.instance);
  Member& member = instance.members()[place.rank];
  member.awaits = AwaitedBy(ReplayTrace::RoleOf(p), place.rank, instance.members().size());
  states_[part].awaits = member.awaits;
  member.is_blocked = !instance.IsReady(place.rank, member.awaits);
  return !member.is_blocked;
}

int64_t ReplayCollectives::MinimumDelay(uint32_t group, uint32_t from_rank, uint32_t to_rank,
                                        uint64_t bytes) const {
  const std::span<const uint32_t> processes = links_->processes(group);
  return delays_
      ->Of(trace_->processes[processes[from_rank]].clock,
           trace_->processes[processes[to_rank]].clock, bytes)
      .ns;
}

ClockBound ReplayCollectives::BoundOf(uint32_t part) {
  const ReplayTrace::Part& p = trace_->parts[part];
  State& state = states_[part];
  if (p.kind == LogicalEvent::Kind::kEnterCollective || state.awaits == Awaited::kNothing) {
    return {};
  }
  const ReplayLinks::Place place = links_->place(part);
  const CollectiveInstance::Latest latest =
      Running(place.instance).LatestFor(place.rank, state.awaits);
  if (latest.rank == kNoRank) return {};
  ++report_->collective_leaves;
  state.delay = MinimumDelay(p.group, latest.rank, place.rank, p.bytes);
  if (!latest.enter.HasRoomFor(state.delay)) ++report_->saturated;
  return latest.enter.After(state.delay);
}

void ReplayCollectives::Take(uint32_t part, const ClockStep& step) {
  const ReplayLinks::Place place = links_->place(part);
  if (trace_->parts[part].kind == LogicalEvent::Kind::kEnterCollective) {
    Enter(place, part, step);
  } else {
    Leave(place, part, step);
  }
}

void ReplayCollectives::Enter(const ReplayLinks::Place& place, uint32_t part,
                              const ClockStep& step) {
  CollectiveInstance& instance = Running(place.instance);
  Member& m = instance.members()[place.rank];
  const ReplayTrace::Part& p = trace_->parts[part];
  m.has_entered = true;
  m.is_root = IsRoot(ReplayTrace::RoleOf(p), place.rank);
  m.is_awaited = IsAwaited(ReplayTrace::RoleOf(p), place.rank, instance.members().size());
  m.enter = {step.simple, step.controlled, step.witness};
  m.state = Member::State::kEntered;
  states_[part].is_awaited = m.is_awaited;
  instance.AddEnter(place.rank);
  instance.Arrive(place.rank);
  const std::span<const uint32_t> processes = links_->processes(instance.group());
  for (const uint32_t rank : instance.TakeReady()) ready_.push_back(processes[rank]);
  if (HasNoLeave(ReplayTrace::RoleOf(p), place.rank)) Go(place);
}

void ReplayCollectives::Leave(const ReplayLinks::Place& place, uint32_t part,
                              const ClockStep& step) {
  CollectiveInstance& instance = Running(place.instance);
  Member& m = instance.members()[place.rank];
  m.has_left = true;
  m.leave = step.controlled;
  m.leave_delay = states_[part].delay;
  Go(place);
}

// Leaves of other shares may be known before the enters they waited for, so that either is last.
void ReplayCollectives::Go(const ReplayLinks::Place& place) {
  CollectiveInstance& instance = Running(place.instance);
  instance.members()[place.rank].state = Member::State::kLeft;
  instance.Go();
  if (instance.is_complete()) Complete(place.instance);
}

// All have gone: the enters' limits are known.
void ReplayCollectives::Complete(uint32_t instance) {
  const CollectiveInstance& running = Running(instance);
  const std::vector<int64_t> earliest = running.EarliestLeaves();
  const std::span<const ReplayLinks::Member> members = links_->members(instance);
  for (uint32_t rank = 0; rank < members.size(); ++rank) {
    if (running.members()[rank].is_awaited) states_[members[rank].enter].latest = earliest[rank];
  }
  free_.push_back(running_of_[instance]);
}

// Of an enter its clocks, of a leave LC' and µ, in the witness's place.
ClockBound ReplayCollectives::ToOthers(uint32_t part, const ClockStep& step) const {
  const bool is_enter = trace_->parts[part].kind == LogicalEvent::Kind::kEnterCollective;
  return {step.simple, step.controlled, is_enter ? step.witness : states_[part].delay};
}

void ReplayCollectives::Adopt(uint32_t part, const ClockBound& told) {
  if (trace_->parts[part].kind == LogicalEvent::Kind::kLeaveCollective) {
    (void)IsReadyElseBlock(part);  // what it waits for; nobody here waits for it
    Running(links_->place(part).instance).members()[links_->place(part).rank].is_blocked = false;
    states_[part].delay = told.witness;
  }
  Take(part, {told.simple, told.controlled, 0, told.witness});
}

ReplayCollectives::Times ReplayCollectives::FinalTimes(uint32_t part) const {
  const ReplayTrace::Part& p = trace_->parts[part];
  const ReplayTrace::Process& process = trace_->processes[p.process.index()];
  if (process.is_elsewhere) return times_elsewhere_.at(part);
  return {process.before[p.event], process.after[p.event]};
}

void ReplayCollectives::ReportLeaves(RetimedMessageSink& sink) const {
  CollectiveInstance scratch;
  for (uint32_t i = 0; i < links_->instances().size(); ++i) {
    const std::span<const ReplayLinks::Member> members = links_->members(i);
    const uint32_t group = links_->instances()[i].group;
    scratch.Start(group, i, members.size());
    for (uint32_t rank = 0; rank < members.size(); ++rank) {
      if (members[rank].enter != ReplayLinks::kNoPart) SetEnter(members[rank].enter, rank, scratch);
      if (members[rank].leave != ReplayLinks::kNoPart) SetLeave(members[rank].leave, rank, scratch);
    }
    scratch.ReportLeaves(links_->processes(group), sink);
  }
}

void ReplayCollectives::SetEnter(uint32_t part, uint32_t rank, CollectiveInstance& instance) const {
  const ReplayTrace::Part& enter = trace_->parts[part];
  const ReplayTrace::Process& process = trace_->processes[enter.process.index()];
  Member& m = instance.members()[rank];
  m.has_entered = true;
  m.is_root = IsRoot(ReplayTrace::RoleOf(enter), rank);
  m.is_awaited = states_[part].is_awaited;
  const Times times = FinalTimes(part);
  m.enter_tag = process.TagOf(enter.event);
  m.enter_before = times.before;
  m.enter_after = times.after;
}

void ReplayCollectives::SetLeave(uint32_t part, uint32_t rank, CollectiveInstance& instance) const {
  const ReplayTrace::Part& leave = trace_->parts[part];
  const ReplayTrace::Process& process = trace_->processes[leave.process.index()];
  Member& m = instance.members()[rank];
  m.has_left = true;
  m.awaits = states_[part].awaits;
  const Times times = FinalTimes(part);
  m.leave_tag = process.TagOf(leave.event);
  m.leave_before = times.before;
  m.leave_after = times.after;
  m.leave_delay = states_[part].delay;
}

}  // namespace syncline
