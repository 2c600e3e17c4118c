#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/try.h"
#include "trace/clock_epochs.h"
#include "trace/formats.h"
#include "trace/load.h"
#include "trace/match_sink.h"
#include "trace/set_backs.h"

namespace syncline {
namespace {

struct End {
  uint64_t index = 0;
  LocalTime time;
};

struct MessageEnds : KeptInput {
  std::vector<std::vector<End>> by_process;  // ascending by index, each once
};

class MemoryCursor : public EventCursor {
 public:
  MemoryCursor(ProcessId process, const std::vector<End>& ends)
      : EventCursor({process}), ends_(ends) {}

  const TraceEvent* Next() override {
    if (next_ == ends_.size()) return nullptr;
    const End& end = ends_[next_++];
    event_ = {.event = {.time = end.time, .process = processes()[0]},
              .index = end.index,
              .number = processes()[0].value};
    return &event_;
  }

 private:
  const std::vector<End>& ends_;
  size_t next_ = 0;
  TraceEvent event_;
};

Result<void> Check(const TraceSet& set, std::span<const Message> messages) {
  for (const Clock& clock : set.clocks) {
    if (clock.ticks_per_second > 0) continue;
    return Fail(ErrorCode::kUsage, fmt::format("clock {} does not tick", clock.name));
  }
  for (const Process& process : set.processes) {
    if (process.clock.index() < set.clocks.size()) continue;
    return Fail(ErrorCode::kUsage, fmt::format("process {} has no clock", process.name));
  }
  for (size_t i = 0; i < messages.size(); ++i) {
    const auto& [send, receive] = messages[i];
    for (const EventRef& end : {send, receive}) {
      if (end.process.index() < set.processes.size() && end.index < uint64_t{1} << 40) continue;
      return Fail(ErrorCode::kUsage, fmt::format("message {}: there is no process {} or event {}",
                                                 i, end.process.value, end.index));
    }
    if (send.process != receive.process || send.index != receive.index) continue;
    return Fail(ErrorCode::kUsage, fmt::format("message {} is sent and received in one event", i));
  }
  return {};
}

Result<std::vector<std::vector<End>>> EndsOf(const TraceSet& set,
                                             std::span<const Message> messages) {
  std::vector<std::vector<End>> ends(set.processes.size());
  for (const Message& message : messages) {
    for (const EventRef& end : {message.send, message.receive}) {
      ends[end.process.index()].push_back({end.index, end.time});
    }
  }
  for (std::vector<End>& of_process : ends) {
    std::ranges::stable_sort(of_process, {}, &End::index);
    const auto is_same = [](const End& a, const End& b) { return a.index == b.index; };
    const auto differs = [&](const End& a, const End& b) {
      return is_same(a, b) && a.time != b.time;
    };
    const auto twice = std::adjacent_find(of_process.begin(), of_process.end(), differs);
    if (twice != of_process.end()) {
      const auto process = static_cast<size_t>(&of_process - ends.data());
      return Fail(ErrorCode::kUsage, fmt::format("event {} of process {} has two times, {} and {}",
                                                 twice->index, set.processes[process].name,
                                                 twice->time.ticks, std::next(twice)->time.ticks));
    }
    of_process.erase(std::unique(of_process.begin(), of_process.end(), is_same), of_process.end());
  }
  return ends;
}

// One cursor for each process.
Result<EventCursors> OpenMemoryEvents(const LoadedTraces& /*loaded*/, const LoadedInput& input,
                                      EventDetail /*detail*/) {
  const auto& ends = static_cast<const MessageEnds&>(*input.kept).by_process;
  EventCursors cursors;
  for (uint32_t i = 0; i < ends.size(); ++i) {
    cursors.push_back(std::make_unique<MemoryCursor>(ProcessId(i), ends[i]));
  }
  return cursors;
}

}  // namespace

Result<LoadedTraces> LoadMessages(TraceSet set, std::span<const Message> messages) {
  SYNCLINE_TRY(Check(set, messages));
  auto kept = std::make_shared<MessageEnds>();
  SYNCLINE_ASSIGN(kept->by_process, EndsOf(set, messages));
  LoadedTraces loaded;
  loaded.traces = std::move(set);
  loaded.spans.resize(loaded.traces.clocks.size());
  LoadedInput input{.input = {.path = "messages in memory", .format = Format::kMemory}};
  for (uint32_t i = 0; i < loaded.traces.processes.size(); ++i) {
    input.processes.push_back(ProcessId(i));
    input.first_event.push_back(0);
    const ClockId clock = loaded.traces.processes[i].clock;
    SetBackFinder set_backs(SetBackRuleOf(loaded.traces.clocks[clock.index()]));
    for (const End& end : kept->by_process[i]) {
      loaded.spans[clock.index()].Include(end.time);
      set_backs.Add(end.index, end.time);
    }
    loaded.SetSeen(ProcessId(i), set_backs.Finish());
    input.events += kept->by_process[i].size();
  }
  input.kept = std::move(kept);
  loaded.inputs.push_back(std::move(input));
  MatchSink sink(loaded, loaded.messages);
  for (const Message& message : messages) sink.OnMessage(message);
  SYNCLINE_TRY(AssignEpochs(loaded));
  return loaded;
}

const TraceFormat kMemoryFormat{
    .format = Format::kMemory, .name = "memory", .keeps_times = true, .open = OpenMemoryEvents};

}  // namespace syncline
