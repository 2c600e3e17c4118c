// Test only: a sink that remembers, runs of the filter on whole traces, random traces.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "logical/logical_filter.h"

namespace syncline {

// A trace in memory. Tags are the events' numbers in order of creation.
struct TestTrace {
  std::vector<std::vector<LogicalEvent>> processes;
  std::vector<std::vector<ProcessId>> groups;

  explicit TestTrace(size_t count) : processes(count) {}
  size_t size() const { return next_tag_; }

  LogicalEvent& Add(uint32_t process, int64_t time, LogicalEvent::Kind kind) {
    LogicalEvent event;
    event.time = GlobalTime{time};
    event.process = ProcessId{process};
    event.kind = kind;
    event.tag = next_tag_++;
    return processes[process].emplace_back(event);
  }
  uint64_t Internal(uint32_t process, int64_t time) {
    return Add(process, time, LogicalEvent::Kind::kInternal).tag;
  }
  uint64_t Transfer(uint32_t process, int64_t time, LogicalEvent::Kind kind, uint32_t peer,
                    uint64_t message) {
    LogicalEvent& event = Add(process, time, kind);
    event.peer = ProcessId{peer};
    event.message = message;
    return event.tag;
  }
  uint64_t Send(uint32_t process, int64_t time, uint32_t to, uint64_t message) {
    return Transfer(process, time, LogicalEvent::Kind::kSend, to, message);
  }
  uint64_t Receive(uint32_t process, int64_t time, uint32_t from, uint64_t message) {
    return Transfer(process, time, LogicalEvent::Kind::kReceive, from, message);
  }
  uint64_t Broadcast(uint32_t process, int64_t time, uint64_t message) {
    return Transfer(process, time, LogicalEvent::Kind::kBroadcast, 0, message);
  }
  LogicalEvent& Collective(uint32_t process, int64_t time, LogicalEvent::Kind kind,
                           CollectiveFlow flow, uint32_t group, uint64_t instance) {
    LogicalEvent& event = Add(process, time, kind);
    event.flow = flow;
    event.group = group;
    event.message = instance;
    return event;
  }

 private:
  uint64_t next_tag_ = 0;
};

struct RememberingSink : LogicalSink {
  std::vector<RetimedEvent> events;
  std::vector<RetimedMessage> messages;
  void OnEvent(const RetimedEvent& event) override { events.push_back(event); }
  void OnMessage(const RetimedMessage& message) override { messages.push_back(message); }

  // By tag; INT64_MIN where nothing came.
  std::vector<int64_t> AfterByTag(size_t count) const {
    std::vector<int64_t> after(count, INT64_MIN);
    for (const RetimedEvent& e : events) after[e.tag] = e.after.ns;
    return after;
  }
};

enum class Feeding { kPull, kByTime, kByProcess };

struct FilterRun {
  std::vector<int64_t> after;  // by tag
  RememberingSink sink;
  LogicalReport report;
};

inline std::vector<const LogicalEvent*> ByTime(const TestTrace& trace) {
  std::vector<const LogicalEvent*> events;
  for (const auto& process : trace.processes) {
    for (const LogicalEvent& e : process) events.push_back(&e);
  }
  // By the largest time so far, so that program order stays where clocks run backwards.
  std::vector<int64_t> key(trace.size());
  for (const auto& process : trace.processes) {
    int64_t reach = INT64_MIN;
    for (const LogicalEvent& e : process) key[e.tag] = reach = std::max(reach, e.time.ns);
  }
  std::stable_sort(events.begin(), events.end(), [&](const LogicalEvent* a, const LogicalEvent* b) {
    return key[a->tag] < key[b->tag];
  });
  return events;
}

inline void FeedAll(LogicalFilter& filter, const TestTrace& trace, Feeding feeding) {
  if (feeding == Feeding::kByTime) {
    for (const LogicalEvent* e : ByTime(trace)) filter.Push(*e);
  } else if (feeding == Feeding::kByProcess) {
    for (const auto& process : trace.processes) {
      for (const LogicalEvent& e : process) filter.Push(e);
    }
  } else {
    std::vector<size_t> next(trace.processes.size());
    while (const auto starving = filter.Starving()) {
      const auto& events = trace.processes[starving->index()];
      size_t& n = next[starving->index()];
      if (n < events.size()) {
        filter.Push(events[n++]);
      } else {
        filter.End(*starving);
      }
    }
  }
}

// Each process has a clock of its own.
inline FilterRun RunFilter(const TestTrace& trace, const LogicalOptions& options,
                           const DelayModel& delays, Feeding feeding = Feeding::kPull) {
  FilterRun run;
  LogicalFilter filter(options, delays, run.sink);
  for (uint32_t p = 0; p < trace.processes.size(); ++p) filter.AddProcess(ClockId{p});
  for (const auto& group : trace.groups) filter.AddGroup(group);
  FeedAll(filter, trace, feeding);
  filter.Finish();
  run.after = run.sink.AfterByTag(trace.size());
  run.report = filter.report();
  return run;
}

}  // namespace syncline
