#include "logical/replay_links.h"

#include <utility>

#include <absl/container/flat_hash_map.h>

namespace syncline {

using LinkTo = ReplayLink::Kind;

ReplayLinks::ReplayLinks(const ReplayTrace& trace) : trace_(&trace) {
  for (const ReplayTrace::Process& process : trace.processes) {
    links_.emplace_back(process.before.size(), ReplayLink(LinkTo::kNone, trace.messages.size()));
  }
  for (const std::vector<ProcessId>& members : trace.groups) {
    std::vector<uint32_t>& processes = processes_.emplace_back();
    for (const ProcessId member : members) processes.push_back(member.value);
  }
  LinkMessages();
  LinkParts();
}

// Nothing where there is no such event, or something else has it.
ReplayLink* ReplayLinks::At(ProcessId process, uint64_t event) {
  if (process.index() >= links_.size() || event >= links_[process.index()].size()) return nullptr;
  return &links_[process.index()][event];
}

void ReplayLinks::LinkMessages() {
  for (uint32_t i = 0; i < trace_->messages.size(); ++i) {
    const ReplayTrace::Message& m = trace_->messages[i];
    if (m.sender == m.receiver) {
      to_itself_ += 2;
      continue;
    }
    if (!LinkMessage(m, i)) ++ambiguous_;
  }
}

// Both its ends, as far as they are here.
bool ReplayLinks::LinkMessage(const ReplayTrace::Message& message, uint32_t index) {
  const bool is_sent_here = !IsElsewhere(message.sender);
  if (IsElsewhere(message.receiver)) return is_sent_here && LinkSend(message, index);
  ReplayLink* receive = At(message.receiver, message.receive);
  if (receive == nullptr || receive->kind() != LinkTo::kNone) return false;
  if (is_sent_here && !LinkSend(message, index)) return false;
  *receive = ReplayLink(LinkTo::kReceive, index);
  ++linked_messages_;
  return true;
}

// A send with several receives stays linked with the first of its messages.
bool ReplayLinks::LinkSend(const ReplayTrace::Message& message, uint32_t index) {
  ReplayLink* send = At(message.sender, message.send);
  if (send == nullptr) return false;
  if (send->kind() == LinkTo::kNone) {
    *send = ReplayLink(LinkTo::kSend, index);
    return true;
  }
  if (send->kind() != LinkTo::kSend) return false;
  broadcasts_.resize(trace_->messages.size());
  broadcasts_[send->index()] = true;
  broadcasts_[index] = true;
  is_plain_ = false;
  return true;
}

void ReplayLinks::Unlink(uint32_t message) {
  const ReplayTrace::Message& m = trace_->messages[message];
  const ReplayLink none(LinkTo::kNone, trace_->messages.size());
  *At(m.receiver, m.receive) = none;
  if (!is_broadcast(message)) *At(m.sender, m.send) = none;
  --linked_messages_;
}

void ReplayLinks::LinkParts() {
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, uint32_t> ranks;  // by group and process
  for (uint32_t group = 0; group < processes_.size(); ++group) {
    for (uint32_t rank = 0; rank < processes_[group].size(); ++rank) {
      ranks.emplace(std::pair(group, processes_[group][rank]), rank);
    }
  }
  absl::flat_hash_map<std::pair<uint32_t, uint64_t>, uint32_t> numbers;
  places_.resize(trace_->parts.size());
  for (uint32_t i = 0; i < trace_->parts.size(); ++i) {
    const ReplayTrace::Part& part = trace_->parts[i];
    const auto rank = ranks.find({part.group, part.process.value});
    if (rank == ranks.end() || processes_[part.group].size() < 2) continue;
    const auto [it, is_new] = numbers.emplace(std::pair(part.group, part.instance),
                                              static_cast<uint32_t>(instances_.size()));
    if (is_new) {
      instances_.push_back({part.group, members_.size()});
      members_.resize(members_.size() + processes_[part.group].size());
    }
    LinkPart(i, {it->second, rank->second});
  }
  CheckMembers();
}

void ReplayLinks::LinkPart(uint32_t part, const Place& place) {
  const ReplayTrace::Part& p = trace_->parts[part];
  if (!IsElsewhere(p.process)) {
    ReplayLink* link = At(p.process, p.event);
    if (link == nullptr || link->kind() != LinkTo::kNone) {
      ++ambiguous_;
      return;
    }
    *link = ReplayLink(LinkTo::kPart, part);
  }
  places_[part] = place;
  Member& member = members_[instances_[place.instance].first_member + place.rank];
  uint32_t& mine = p.kind == LogicalEvent::Kind::kEnterCollective ? member.enter : member.leave;
  if (mine != kNoPart) is_plain_ = false;
  mine = part;
}

void ReplayLinks::CheckMembers() {
  for (uint32_t i = 0; i < instances_.size(); ++i) {
    const std::span<const Member> all = members(i);
    for (uint32_t rank = 0; rank < all.size(); ++rank) {
      if (!IsWhole(all[rank], rank)) is_plain_ = false;
    }
  }
}

bool ReplayLinks::IsWhole(const Member& member, uint32_t rank) const {
  const bool has_enter = member.enter != kNoPart;
  const bool has_leave = member.leave != kNoPart;
  if (!has_enter && !has_leave) return false;
  const CollectiveFlow flow = trace_->parts[has_enter ? member.enter : member.leave].flow;
  const bool needs_enter = flow != CollectiveFlow::kFork || rank == 0;
  const bool needs_leave = flow != CollectiveFlow::kJoin || rank == 0;
  if (has_enter != needs_enter || has_leave != needs_leave) return false;
  return !has_enter || !has_leave ||
         trace_->parts[member.enter].event < trace_->parts[member.leave].event;
}

}  // namespace syncline
