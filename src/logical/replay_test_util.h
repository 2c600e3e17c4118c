// Test only: traces for a replay, made of those that filters are fed with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

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

// What both a stream and a replay report.
inline void ExpectSame(const ProcessReport& a, const ProcessReport& b) {
  EXPECT_EQ(a.events, b.events);
  EXPECT_EQ(a.moved, b.moved);
  EXPECT_EQ(a.last_advance_ns, b.last_advance_ns);
  EXPECT_EQ(a.largest_advance_ns, b.largest_advance_ns);
  EXPECT_EQ(a.least_interval_ns, b.least_interval_ns);
}

inline void ExpectSame(const LogicalReport& a, const LogicalReport& b) {
  ASSERT_EQ(a.processes.size(), b.processes.size());
  for (size_t p = 0; p < a.processes.size(); ++p) ExpectSame(a.processes[p], b.processes[p]);
  EXPECT_EQ(a.messages, b.messages);
  EXPECT_EQ(a.collective_leaves, b.collective_leaves);
  EXPECT_EQ(a.start_difference_ns, b.start_difference_ns);
  EXPECT_EQ(a.largest_jump_ns, b.largest_jump_ns);
  ASSERT_EQ(a.exceeded.has_value(), b.exceeded.has_value());
  if (a.exceeded) {
    EXPECT_EQ(a.exceeded->tag, b.exceeded->tag);
  }
  EXPECT_EQ(a.gamma.events, b.gamma.events);
  EXPECT_EQ(a.gamma.smallest, b.gamma.smallest);
  EXPECT_EQ(a.gamma.smallest_at, b.gamma.smallest_at);
  EXPECT_EQ(a.jumps, b.jumps);
  EXPECT_EQ(a.jumps_amortized, b.jumps_amortized);
  EXPECT_EQ(a.largest_slope, b.largest_slope);
  EXPECT_EQ(a.largest_slope_process, b.largest_slope_process);
  EXPECT_EQ(a.largest_slope_tag, b.largest_slope_tag);
  EXPECT_EQ(a.given_up, b.given_up);
  EXPECT_EQ(a.late_partners, b.late_partners);
  EXPECT_EQ(a.broken, b.broken);
  EXPECT_EQ(a.saturated, b.saturated);
}

}  // namespace syncline
