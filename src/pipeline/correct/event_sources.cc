#include "pipeline/correct/event_sources.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/try.h"
#include "pipeline/correct/logical_adapter.h"
#include "trace/formats.h"

namespace syncline {
namespace {

// Several receives of one send make it a broadcast.
void MergeSends(std::vector<Role>& roles) {
  std::ranges::sort(roles, {}, &Role::Order);
  size_t kept = 0;
  for (const Role& role : roles) {
    if (kept > 0 && roles[kept - 1].Order() == role.Order() &&
        role.kind == LogicalEvent::Kind::kSend) {
      roles[kept - 1].kind = LogicalEvent::Kind::kBroadcast;
    } else {
      roles[kept++] = role;
    }
  }
  roles.resize(kept);
}

SourcedEvent Adapt(const TraceEvent& recorded) {
  const Event& event = recorded.event;
  SourcedEvent sourced{.event = {.process = event.process,
                                 .peer = event.peer,
                                 .message = event.message,
                                 .bytes = event.bytes,
                                 .tag = recorded.index,
                                 .kind = KindOf(event.kind)},
                       .local = event.time,
                       .recorded = event.kind};
  LogicalEvent& out = sourced.event;
  const bool is_part =
      event.kind == EventKind::kCollectiveBegin || event.kind == EventKind::kCollectiveEnd;
  if (!is_part) return sourced;
  if (event.group == TraceEvent::kNoGroup) {
    out.kind = LogicalEvent::Kind::kInternal;
    return sourced;
  }
  out.group = event.group;
  out.message = InstanceOfKind(event.message, recorded.name);
  out.flow = FlowOfCollective(recorded.name);
  out.is_root = event.is_root;
  out.takes_part = !recorded.moves_nothing;
  return sourced;
}

// Whose messages say what their events are.
std::vector<bool> RolesWanted(const LoadedTraces& loaded, bool needs_roles) {
  std::vector<bool> wanted(loaded.traces.processes.size());
  for (const LoadedInput& input : loaded.inputs) {
    const TraceFormat& format = FormatOf(input);
    if (format.tells_kinds) continue;
    if (format.in_program_order && !needs_roles) continue;
    for (const ProcessId process : input.processes) wanted[process.index()] = true;
  }
  return wanted;
}

// Inputs that share processes are read one after the other.
std::vector<std::vector<const LoadedInput*>> ChainInputs(const LoadedTraces& loaded) {
  std::vector<std::vector<const LoadedInput*>> chains;
  std::map<ProcessId, size_t> chain_of;
  for (const LoadedInput& input : loaded.inputs) {
    std::set<size_t> joined;
    for (const ProcessId process : input.processes) {
      const auto known = chain_of.find(process);
      if (known != chain_of.end()) joined.insert(known->second);
    }
    const size_t chain = joined.empty() ? chains.size() : *joined.begin();
    if (joined.empty()) chains.emplace_back();
    for (const size_t other : joined) {
      if (other == chain) continue;
      chains[chain].insert(chains[chain].end(), chains[other].begin(), chains[other].end());
      chains[other].clear();
      for (auto& [process, of] : chain_of) of = of == other ? chain : of;
    }
    chains[chain].push_back(&input);
    for (const ProcessId process : input.processes) chain_of[process] = chain;
  }
  for (auto& chain : chains) std::ranges::sort(chain);
  std::erase_if(chains, [](const auto& chain) { return chain.empty(); });
  return chains;
}

}  // namespace

Result<std::vector<std::vector<Role>>> CollectRoles(const LoadedTraces& loaded,
                                                    const std::vector<bool>& wanted) {
  std::vector<std::vector<Role>> roles(wanted.size());
  if (std::ranges::none_of(wanted, [](bool is_wanted) { return is_wanted; })) {
    return roles;
  }
  const auto add = [&](const EventRef& event, const Role& role) {
    if (wanted[event.process.index()]) roles[event.process.index()].push_back(role);
  };
  for (const MessageStore* store : {&loaded.messages, &loaded.likely_messages}) {
    SYNCLINE_TRY(store->ForEach([&](const Message& m) {
      using Kind = LogicalEvent::Kind;
      add(m.send, {m.send.index, Kind::kSend, m.receive.process, m.send.index});
      add(m.receive, {m.receive.index, Kind::kReceive, m.send.process, m.send.index});
    }));
  }
  for (std::vector<Role>& of_process : roles) MergeSends(of_process);
  return roles;
}

std::vector<ProcessId> EventSource::ProcessesOf(const EventCursors& cursors) {
  std::set<ProcessId> processes;
  for (const auto& cursor : cursors) {
    processes.insert(cursor->processes().begin(), cursor->processes().end());
  }
  return {processes.begin(), processes.end()};
}

Result<void> EventSource::Sort(const LoadedTraces& loaded) {
  is_sorted_ = true;
  while (const TraceEvent* event = cursors_[0]->Next()) {
    sorted_.emplace_back(event->event.time, event->index);
    SourcedEvent adapted = Adapt(*event);
    const bool is_told = adapted.event.kind != LogicalEvent::Kind::kInternal ||
                         adapted.recorded == EventKind::kBlock;
    if (is_told) told_.push_back(std::move(adapted));
  }
  if (cursors_[0]->error()) return tl::unexpected(*cursors_[0]->error());
  const auto place_of = [&](const auto& event) {
    const auto [time, index] = event;
    return std::pair(loaded.epochs.EpochOf(processes_[0], index),
                     loaded.PlaceOf({processes_[0], index, time}));
  };
  std::ranges::stable_sort(sorted_,
                           [&](const auto& a, const auto& b) { return place_of(a) < place_of(b); });
  return {};
}

Result<bool> EventSource::Fetch() {
  if (is_sorted_) {
    if (next_sorted_ == sorted_.size()) return false;
    const auto& [local, index] = sorted_[next_sorted_++];
    const auto told = std::ranges::lower_bound(told_, index, {},
                                               [](const SourcedEvent& e) { return e.event.tag; });
    if (told != told_.end() && told->event.tag == index) {
      latest_ = *told;
    } else {
      latest_ = {.event = {.process = processes_[0], .tag = index}, .local = local};
    }
    role_ = static_cast<size_t>(std::ranges::lower_bound(roles_, index, {}, &Role::index) -
                                roles_.begin());
    return true;
  }
  for (; cursor_ < cursors_.size(); ++cursor_) {
    if (const TraceEvent* event = cursors_[cursor_]->Next()) {
      latest_ = Adapt(*event);
      while (role_ < roles_.size() && roles_[role_].index < event->index) ++role_;
      return true;
    }
    if (cursors_[cursor_]->error()) return tl::unexpected(*cursors_[cursor_]->error());
  }
  return false;
}

Result<bool> EventSource::Next(SourcedEvent& next) {
  if (!is_role_left_) {
    auto fetched = Fetch();
    if (!fetched || !*fetched) return fetched;
  }
  next = latest_;
  is_role_left_ = false;
  if (!HasRole()) return true;
  next.event.kind = roles_[role_].kind;
  next.event.peer = roles_[role_].peer;
  next.event.message = roles_[role_].message;
  ++role_;
  is_role_left_ = HasRole();
  return true;
}

Result<std::vector<LocalTime>> EventSource::TakeTimes() {
  if (is_sorted_ || cursors_.size() != 1 || processes_.size() != 1) {
    return std::vector<LocalTime>();
  }
  return cursors_[0]->TakeTimes();
}

Result<std::vector<std::unique_ptr<EventSource>>> OpenSources(const LoadedTraces& loaded,
                                                              bool needs_roles) {
  SYNCLINE_ASSIGN(auto roles, CollectRoles(loaded, RolesWanted(loaded, needs_roles)));
  std::vector<std::unique_ptr<EventSource>> sources;
  const auto add = [&](EventCursors cursors, std::vector<Role> of_process) {
    sources.push_back(std::make_unique<EventSource>(std::move(cursors), std::move(of_process)));
  };
  for (const auto& chain : ChainInputs(loaded)) {
    EventCursors chained;
    for (const LoadedInput* input : chain) {
      SYNCLINE_ASSIGN(auto cursors, OpenEvents(loaded, *input, EventDetail::kKinds));
      for (auto& cursor : cursors) {
        const std::vector<ProcessId>& processes = cursor->processes();
        if (chain.size() > 1 || processes.size() != 1) {
          chained.push_back(std::move(cursor));
          continue;
        }
        std::vector<Role>& of_process = roles[processes[0].index()];
        EventCursors alone;
        alone.push_back(std::move(cursor));
        add(std::move(alone), std::move(of_process));
        if (FormatOf(*input).in_program_order) continue;
        SYNCLINE_TRY(sources.back()->Sort(loaded));
      }
    }
    if (!chained.empty()) add(std::move(chained), {});
  }
  return sources;
}

}  // namespace syncline
