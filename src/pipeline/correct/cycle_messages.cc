#include "pipeline/correct/cycle_messages.h"

#include <algorithm>
#include <set>
#include <utility>

#include <absl/container/flat_hash_map.h>

#include "base/try.h"
#include "logical/replay_links.h"
#include "pipeline/correct/stage_trace.h"
#include "report/text_parts.h"
#include "trace/event_cursor.h"

namespace syncline {
namespace {

using EventKey = std::pair<uint32_t, uint64_t>;  // process, number

EventKey KeyOf(const EventRef& event) { return {event.process.value, event.index}; }

// What the clocks showed at events of collectives, which are in no store.
class LocalTimes {
 public:
  void Want(ProcessId process, uint64_t event) { times_[{process.value, event}] = {}; }
  LocalTime Of(ProcessId process, uint64_t event) const {
    return times_.at({process.value, event});
  }

  Result<void> Read(const LoadedTraces& loaded) {
    for (const LoadedInput& input : loaded.inputs) {
      SYNCLINE_TRY(ForEachEvent(loaded, input, EventDetail::kTimes, [&](const TraceEvent& event) {
        Note(event.event.process, event.index, event.event.time);
      }));
    }
    return {};
  }

 private:
  void Note(ProcessId process, uint64_t event, LocalTime time) {
    const auto wanted = times_.find(EventKey{process.value, event});
    if (wanted != times_.end()) wanted->second = time;
  }

  absl::flat_hash_map<EventKey, LocalTime> times_;
};

class CycleCollector {
 public:
  CycleCollector(const ReplayTrace& trace, LoadedTraces& loaded) : trace_(trace), loaded_(loaded) {}

  Result<std::vector<CycleMessage>> Run(const ReplayCycles& cycles) {
    SYNCLINE_TRY(SetMessagesAside(cycles.messages));
    SYNCLINE_TRY(SetWaitsAside(cycles.waits));
    return std::move(found_);
  }

 private:
  // The trace has the messages in the order of the store.
  Result<void> SetMessagesAside(const std::vector<uint32_t>& numbers) {
    if (numbers.empty()) return {};
    std::vector<Message> messages;
    uint32_t number = 0;
    auto next = numbers.begin();
    auto done = loaded_.messages.ForEach([&](const Message& message) {
      if (next == numbers.end() || *next != number++) return;
      const ReplayTrace::Message& m = trace_.messages[*next++];
      messages.push_back(message);
      found_.push_back({message, false, DelayNs(m.sender, m.send, m.receiver, m.receive)});
    });
    if (done) loaded_.messages.SetAside(messages);
    return done;
  }

  int64_t DelayNs(ProcessId sender, uint64_t send, ProcessId receiver, uint64_t receive) const {
    const GlobalTime sent{trace_.processes[sender.index()].before[send]};
    const GlobalTime received{trace_.processes[receiver.index()].before[receive]};
    return (received - sent).ns;
  }

  Result<void> SetWaitsAside(const std::vector<ReplayCycles::Wait>& waits) {
    if (waits.empty()) return {};
    LocalTimes times;
    for (const ReplayCycles::Wait& wait : waits) {
      for (const uint32_t part : {wait.enter, wait.leave}) Want(trace_.parts[part], times);
    }
    SYNCLINE_TRY(times.Read(loaded_));
    std::set<EventKey> leaves;
    for (const ReplayCycles::Wait& wait : waits) {
      const ReplayTrace::Part& enter = trace_.parts[wait.enter];
      const ReplayTrace::Part& leave = trace_.parts[wait.leave];
      found_.push_back({{RefOf(enter, times), RefOf(leave, times)},
                        true,
                        DelayNs(enter.process, enter.event, leave.process, leave.event)});
      leaves.insert(KeyOf(found_.back().message.receive));
    }
    std::vector<Message> messages;
    auto done = loaded_.collective_messages.ForEach([&](const Message& message) {
      if (leaves.contains(KeyOf(message.receive))) messages.push_back(message);
    });
    if (done) loaded_.collective_messages.SetAside(messages);
    return done;
  }

  uint64_t TagOf(const ReplayTrace::Part& part) const {
    return trace_.processes[part.process.index()].TagOf(part.event);
  }
  void Want(const ReplayTrace::Part& part, LocalTimes& times) const {
    times.Want(part.process, TagOf(part));
  }
  EventRef RefOf(const ReplayTrace::Part& part, const LocalTimes& times) const {
    const uint64_t tag = TagOf(part);
    return {part.process, tag, times.Of(part.process, tag)};
  }

  const ReplayTrace& trace_;
  LoadedTraces& loaded_;
  std::vector<CycleMessage> found_;
};

}  // namespace

Result<std::vector<CycleMessage>> SetCyclesAside(const ReplayTrace& trace,
                                                 const ReplayCycles& cycles, LoadedTraces& loaded) {
  return CycleCollector(trace, loaded).Run(cycles);
}

Result<std::vector<CycleMessage>> SetCyclesAside(LoadedTraces& loaded, const Retiming& retiming) {
  SYNCLINE_ASSIGN(const auto trace, MakeOrderedTrace(loaded, retiming, DelayModel()));
  return SetCyclesAside(trace, FindCycles(trace, ReplayLinks(trace)), loaded);
}

void CountCycles(const std::vector<CycleMessage>& cycles, const TraceSet& traces,
                 Diagnostics& diagnostics) {
  if (cycles.empty()) return;
  const auto name = [&](const EventRef& event) {
    return traces.processes[event.process.index()].name;
  };
  const auto& [message, is_of_collective, delay_ns] = cycles.front();
  diagnostics.Count("cycle-messages", Severity::kWarning, cycles.size(),
                    DelayText(message.send.index, name(message.send), message.receive.index,
                              name(message.receive), delay_ns));
}

}  // namespace syncline
