#include "logical/replay_crossings.h"

#include <algorithm>
#include <tuple>

namespace syncline {

ReplayCrossings::ReplayCrossings(ReplayTrace& trace, std::span<const uint32_t> shares,
                                 ReplayTeam& team)
    : shares_(shares),
      own_(static_cast<uint32_t>(team.own())),
      to_(team.shares()),
      from_(team.shares()),
      outgoing_(trace.processes.size()) {
  ExchangeParts(trace, team);
  SortMessages(trace);
  ListOutgoing(trace);
}

void ReplayCrossings::ExchangeParts(ReplayTrace& trace, ReplayTeam& team) {
  // By group: the other shares with members, where there are members here.
  std::vector<std::vector<uint32_t>> others(trace.groups.size());
  for (size_t group = 0; group < trace.groups.size(); ++group) {
    std::vector<bool> has_members(team.shares());
    for (const ProcessId member : trace.groups[group]) has_members[shares_[member.index()]] = true;
    if (!has_members[own_]) continue;
    for (uint32_t share = 0; share < has_members.size(); ++share) {
      if (has_members[share] && share != own_) others[group].push_back(share);
    }
  }
  std::vector<std::vector<ReplayTrace::Part>> to_each(team.shares());
  for (uint32_t i = 0; i < trace.parts.size(); ++i) {
    const ReplayTrace::Part& part = trace.parts[i];
    if (part.group >= others.size()) continue;
    for (const uint32_t share : others[part.group]) {
      to_[share].parts.push_back(i);
      to_each[share].push_back(part);
    }
  }
  const auto received = team.ExchangeAll(to_each);
  for (size_t share = 0; share < received.size(); ++share) {
    from_[share].first_part = trace.parts.size();
    trace.parts.insert(trace.parts.end(), received[share].begin(), received[share].end());
  }
}

void ReplayCrossings::SortMessages(const ReplayTrace& trace) {
  for (uint32_t i = 0; i < trace.messages.size(); ++i) {
    const ReplayTrace::Message& m = trace.messages[i];
    const uint32_t sender = shares_[m.sender.index()];
    const uint32_t receiver = shares_[m.receiver.index()];
    if (sender == receiver) continue;
    (sender == own_ ? to_[receiver].messages : from_[sender].messages).push_back(i);
  }
  const auto place = [&](uint32_t i) {
    const ReplayTrace::Message& m = trace.messages[i];
    return std::tuple(m.sender, m.send, m.receiver, m.receive);
  };
  const auto is_before = [&](uint32_t a, uint32_t b) { return place(a) < place(b); };
  for (To& to : to_) std::sort(to.messages.begin(), to.messages.end(), is_before);
  for (From& from : from_) std::sort(from.messages.begin(), from.messages.end(), is_before);
}

void ReplayCrossings::ListOutgoing(const ReplayTrace& trace) {
  for (uint32_t share = 0; share < to_.size(); ++share) {
    uint32_t number = 0;
    for (const uint32_t i : to_[share].messages) {
      const ReplayTrace::Message& m = trace.messages[i];
      outgoing_[m.sender.index()].push_back({m.send, share, number++});
    }
    for (const uint32_t i : to_[share].parts) {
      const ReplayTrace::Part& part = trace.parts[i];
      outgoing_[part.process.index()].push_back({part.event, share, number++});
    }
  }
  for (std::vector<Outgoing>& of_process : outgoing_) {
    std::sort(of_process.begin(), of_process.end(), [](const Outgoing& a, const Outgoing& b) {
      return std::pair(a.event, a.share) < std::pair(b.event, b.share);
    });
  }
}

}  // namespace syncline
