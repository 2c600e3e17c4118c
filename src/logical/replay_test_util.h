// Test only: traces for a replay, made of those that filters are fed with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "logical/logical_replay.h"
#include "logical/logical_test_util.h"

namespace syncline {

struct RememberedMessages : RetimedMessageSink {
  std::vector<RetimedMessage> messages;
  void OnMessage(const RetimedMessage& message) override { messages.push_back(message); }
};

// The trace with sends and receives that have no partner as internal events, and broadcasts with
// one receive as sends.
inline TestTrace WithoutLoneEnds(TestTrace trace) {
  using Kind = LogicalEvent::Kind;
  // By sender, receiver (none for a broadcast) and name: who receives it.
  std::map<std::tuple<uint32_t, uint32_t, uint64_t>, std::vector<ProcessId>> messages;
  const auto name_of_send = [](const LogicalEvent& e) {
    const uint32_t receiver = e.kind == Kind::kBroadcast ? UINT32_MAX : e.peer.value;
    return std::tuple(e.process.value, receiver, e.message);
  };
  const auto for_each = [&](auto visit) {
    for (auto& events : trace.processes) std::for_each(events.begin(), events.end(), visit);
  };
  for_each([&](LogicalEvent& e) {
    if (e.kind == Kind::kSend || e.kind == Kind::kBroadcast) messages[name_of_send(e)];
  });
  for_each([&](LogicalEvent& e) {
    if (e.kind != Kind::kReceive) return;
    auto sent = messages.find({e.peer.value, e.process.value, e.message});
    if (sent == messages.end()) sent = messages.find({e.peer.value, UINT32_MAX, e.message});
    if (sent == messages.end()) {
      e.kind = Kind::kInternal;
    } else {
      sent->second.push_back(e.process);
    }
  });
  for_each([&](LogicalEvent& e) {
    if (e.kind != Kind::kSend && e.kind != Kind::kBroadcast) return;
    const std::vector<ProcessId>& receivers = messages[name_of_send(e)];
    if (receivers.size() > 1) return;
    e.kind = receivers.empty() ? Kind::kInternal : Kind::kSend;
    if (!receivers.empty()) e.peer = receivers[0];
  });
  return trace;
}

// Messages by name; what has no partner links nothing.
inline ReplayTrace MakeReplayTrace(const TestTrace& trace) {
  using Kind = LogicalEvent::Kind;
  struct Sent {
    uint32_t process = 0;
    uint64_t event = 0;
    uint64_t bytes = 0;
  };
  // By sender, receiver (none for a broadcast) and name.
  std::map<std::tuple<uint32_t, uint32_t, uint64_t>, Sent> sends;
  ReplayTrace replay;
  replay.groups = trace.groups;
  for (uint32_t p = 0; p < trace.processes.size(); ++p) {
    ReplayTrace::Process& process = replay.processes.emplace_back();
    process.clock = ClockId{p};
    for (const LogicalEvent& e : trace.processes[p]) {
      const uint64_t number = process.before.size();
      process.before.push_back(e.time.ns);
      process.tags.push_back(e.tag);
      const uint32_t receiver = e.kind == Kind::kBroadcast ? UINT32_MAX : e.peer.value;
      if (e.kind == Kind::kSend || e.kind == Kind::kBroadcast) {
        sends[{p, receiver, e.message}] = {p, number, e.bytes};
      } else if (e.kind == Kind::kEnterCollective || e.kind == Kind::kLeaveCollective) {
        replay.parts.push_back({e.process, e.group, number, e.message, e.bytes, e.kind, e.flow,
                                e.is_root, e.takes_part});
      }
    }
  }
  for (uint32_t p = 0; p < trace.processes.size(); ++p) {
    for (uint64_t number = 0; number < trace.processes[p].size(); ++number) {
      const LogicalEvent& e = trace.processes[p][number];
      if (e.kind != Kind::kReceive) continue;
      auto sent = sends.find({e.peer.value, p, e.message});
      if (sent == sends.end()) sent = sends.find({e.peer.value, UINT32_MAX, e.message});
      if (sent == sends.end()) continue;
      const auto& [sender, event, bytes] = sent->second;
      replay.messages.push_back(
          {ProcessId{sender}, e.process, event, number, std::max(bytes, e.bytes)});
    }
  }
  return replay;
}

struct ReplayRun {
  std::vector<int64_t> after;  // by tag
  std::vector<RetimedMessage> messages;
  LogicalReport report;
  bool was_streamed = false;
  bool needed_order = false;
};

inline ReplayRun RunReplay(const TestTrace& trace, const LogicalOptions& options,
                           const DelayModel& delays) {
  ReplayTrace replay = MakeReplayTrace(trace);
  RememberedMessages messages;
  LogicalReplay clock(options, delays, messages);
  ReplayRun run;
  clock.Run(replay);
  run.report = clock.report();
  run.was_streamed = clock.was_streamed();
  run.needed_order = clock.needed_order();
  run.messages = std::move(messages.messages);
  run.after.resize(trace.size(), INT64_MIN);
  for (const ReplayTrace::Process& process : replay.processes) {
    for (size_t i = 0; i < process.after.size(); ++i)
      run.after[process.TagOf(i)] = process.after[i];
  }
  return run;
}

}  // namespace syncline
