#include "pipeline/correct/stage_trace.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/parallel.h"
#include "base/try.h"
#include "logical/replay_cycles.h"
#include "logical/replay_links.h"
#include "pipeline/correct/event_sources.h"
#include "trace/formats.h"

namespace syncline {
namespace {

using Kind = LogicalEvent::Kind;

// Where messages find the events of a process.
struct EventPlaces {
  struct Place {
    uint64_t tag = 0;  // what messages call the event
    uint64_t event = 0;
    auto operator<=>(const Place&) const = default;
  };
  // Of events that come in order of time, and twice where they were sent and received.
  std::vector<Place> sends;
  std::vector<Place> receives;
  std::vector<std::pair<uint64_t, uint64_t>> bytes;  // by event

  void Sort() {
    std::ranges::sort(sends);
    std::ranges::sort(receives);
  }
  uint64_t BytesOf(uint64_t event) const {
    const auto at = std::ranges::lower_bound(bytes, std::pair(event, uint64_t{0}));
    return at == bytes.end() || at->first != event ? 0 : at->second;
  }
  // No event where there is none.
  static uint64_t Find(const std::vector<Place>& places, uint64_t tag) {
    const auto at = std::ranges::lower_bound(places, Place{tag, 0});
    return at == places.end() || at->tag != tag ? UINT64_MAX : at->event;
  }
};

class TraceMaker {
 public:
  TraceMaker(const LoadedTraces& loaded, const Retiming& retiming, bool keeps_bytes)
      : loaded_(loaded),
        retiming_(retiming),
        keeps_bytes_(keeps_bytes),
        is_sorted_(loaded.traces.processes.size()),
        places_(loaded.traces.processes.size()) {
    for (const LoadedInput& input : loaded.inputs) {
      if (FormatOf(input).in_program_order) continue;
      for (const ProcessId process : input.processes) is_sorted_[process.index()] = true;
    }
  }

  Result<ReplayTrace> Run() {
    const auto are_all_here = [](const EventSource&) { return true; };
    SYNCLINE_TRY(ReadEvents(are_all_here));
    SYNCLINE_TRY(AddMessages());
    return std::move(trace_);
  }

  Result<ReplayTrace> RunShare(const std::vector<bool>& is_here,
                               std::vector<ReplayTrace::Message> messages) {
    SYNCLINE_TRY(ReadEvents(
        [&](const EventSource& source) { return is_here[source.processes()[0].index()]; }));
    trace_.messages = std::move(messages);
    return std::move(trace_);
  }

 private:
  using Part = ReplayTrace::Part;

  template <typename IsHere>
  Result<void> ReadEvents(const IsHere& is_here) {
    for (const Process& process : loaded_.traces.processes) {
      trace_.processes.emplace_back().clock = process.clock;
    }
    for (const Group& group : loaded_.traces.groups) trace_.groups.push_back(group.members);
    SYNCLINE_ASSIGN(auto sources, OpenSources(loaded_, /*needs_roles=*/false));
    std::erase_if(sources, [&](const auto& source) { return !is_here(*source); });
    std::vector<std::vector<Part>> parts(sources.size());
    std::vector<Result<void>> done(sources.size());
    ForEachParallel(sources.size(), [&](size_t i) { done[i] = ReadSource(*sources[i], parts[i]); });
    for (size_t i = 0; i < sources.size(); ++i) {
      if (!done[i]) return done[i];
      trace_.parts.insert(trace_.parts.end(), parts[i].begin(), parts[i].end());
    }
    return {};
  }

  Result<void> ReadSource(EventSource& source, std::vector<Part>& parts) {
    SYNCLINE_ASSIGN(auto taken, source.TakeTimes());
    const bool has_times = !taken.empty();
    if (has_times) AddTimes(source.processes()[0], taken);
    taken = {};
    SourcedEvent next;
    while (true) {
      SYNCLINE_ASSIGN(auto has_next, source.Next(next));
      if (!has_next) break;
      AddEvent(next, has_times ? next.event.tag : AddTime(next), parts);
    }
    for (const ProcessId process : source.processes()) places_[process.index()].Sort();
    return {};
  }

  void AddTimes(ProcessId process, std::span<const LocalTime> times) {
    std::vector<GlobalTime> corrected(times.size());
    retiming_.Retime(process, 0, times, corrected);
    std::vector<int64_t> before;
    before.reserve(corrected.size());
    for (const GlobalTime time : corrected) before.push_back(time.ns);
    trace_.processes[process.index()].before = std::move(before);
  }

  // Returns the event's number.
  uint64_t AddTime(const SourcedEvent& next) {
    const LogicalEvent& e = next.event;
    ReplayTrace::Process& process = trace_.processes[e.process.index()];
    const uint64_t number = process.before.size();
    process.before.push_back(retiming_({e.process, e.tag, next.local}).ns);
    if (is_sorted_[e.process.index()]) process.tags.push_back(e.tag);
    return number;
  }

  void AddEvent(const SourcedEvent& next, uint64_t number, std::vector<Part>& parts) {
    const LogicalEvent& e = next.event;
    EventPlaces& places = places_[e.process.index()];
    // Also of what only messages tell to be a send or a receive.
    if (keeps_bytes_ && e.bytes > 0) places.bytes.emplace_back(number, e.bytes);
    if (e.kind == Kind::kInternal) return;
    if (e.kind == Kind::kEnterCollective || e.kind == Kind::kLeaveCollective) {
      parts.push_back({e.process, e.group, number, e.message, e.bytes, e.kind, e.flow, e.is_root,
                       e.takes_part});
      return;
    }
    if (!is_sorted_[e.process.index()]) return;
    (e.kind == Kind::kReceive ? places.receives : places.sends).push_back({e.tag, number});
  }

  Result<void> AddMessages() {
    trace_.messages.reserve(loaded_.messages.messages());
    return loaded_.messages.ForEach([&](const Message& m) {
      const EventPlaces& sender = places_[m.send.process.index()];
      const EventPlaces& receiver = places_[m.receive.process.index()];
      const uint64_t send = is_sorted_[m.send.process.index()]
                                ? EventPlaces::Find(sender.sends, m.send.index)
                                : m.send.index;
      const uint64_t receive = is_sorted_[m.receive.process.index()]
                                   ? EventPlaces::Find(receiver.receives, m.receive.index)
                                   : m.receive.index;
      const uint64_t bytes =
          keeps_bytes_ ? std::max(sender.BytesOf(send), receiver.BytesOf(receive)) : 0;
      trace_.messages.push_back({m.send.process, m.receive.process, send, receive, bytes});
    });
  }

  const LoadedTraces& loaded_;
  const Retiming& retiming_;
  bool keeps_bytes_;
  std::vector<bool> is_sorted_;      // by process: numbers are not those of the file
  std::vector<EventPlaces> places_;  // by process
  ReplayTrace trace_;
};

}  // namespace

Result<ReplayTrace> MakeStageTrace(const LoadedTraces& loaded, const Retiming& retiming,
                                   const DelayModel& delays) {
  return TraceMaker(loaded, retiming, delays.grows_with_size()).Run();
}

Result<ReplayTrace> MakeOrderedTrace(LoadedTraces& loaded, const Retiming& retiming,
                                     const DelayModel& delays) {
  auto trace = MakeStageTrace(loaded, retiming, delays);
  const bool is_in_order = !trace || loaded.uneven_ticks_ns.empty() || loaded.only_certain_order ||
                           FindCycles(*trace, ReplayLinks(*trace)).empty();
  if (is_in_order) return trace;
  trace = {};
  loaded.only_certain_order = true;
  return MakeStageTrace(loaded, retiming, delays);
}

Result<ReplayTrace> MakeShareTrace(const LoadedTraces& loaded, const Retiming& retiming,
                                   const std::vector<bool>& is_here,
                                   std::vector<ReplayTrace::Message> messages) {
  return TraceMaker(loaded, retiming, /*keeps_bytes=*/false).RunShare(is_here, std::move(messages));
}

}  // namespace syncline
