// The events of all inputs again, for a logical clock or measures of concurrency.
//
// Where a format does not tell kinds, messages do: what was sent and received, as a router's
// packet, comes twice. Sends and receives may lack their partner; which have one, loaded.messages
// says. Requires: the inputs have not changed since they were loaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "syncline/event.h"
#include "syncline/id.h"
#include "syncline/result.h"

#include "logical/logical_event.h"
#include "trace/event_cursor.h"
#include "trace/load.h"

namespace syncline {

// Which events of a process are sends, receives or broadcasts, told from the messages that were
// matched. A text or an OTF2 archive says so of each event itself. A packet of a capture, an event
// that a rule names, or the start of a span becomes an end of a message only by being matched: the
// 7th packet of host a, which is the 9th of host b, is the send 7 of a to b, and the receive 9 of
// b. Memory: 32 bytes per event that is part of a message. Errors: those of the message store.
// Tested by: concurrency_command_test.cc, sync_command_test.cc.

// Of one event in one message; a router's packet is both received and sent.
struct Role {
  uint64_t index = 0;  // the event's number within its process
  LogicalEvent::Kind kind = LogicalEvent::Kind::kInternal;
  ProcessId peer;
  uint64_t message = 0;  // the number of the send within its process
  auto Order() const { return std::pair(index, kind != LogicalEvent::Kind::kReceive); }
};

// By process; each process's in order of its events, a receive before a send. A send with several
// receives is one broadcast. Processes that are not `wanted` have none.
Result<std::vector<std::vector<Role>>> CollectRoles(const LoadedTraces& loaded,
                                                    const std::vector<bool>& wanted);

struct SourcedEvent {
  LogicalEvent event;  // without its time; the tag is the number within the process
  LocalTime local;
  // What was recorded where that says more than the event's kind: a process that starts to wait.
  EventKind recorded = EventKind::kMark;
};

// One cursor, or several of inputs that share processes, in order. Different sources may be read in
// different threads.
class EventSource {
 public:
  // `roles`: of the only cursor's only process, where its format tells no kinds.
  EventSource(EventCursors cursors, std::vector<Role> roles)
      : cursors_(std::move(cursors)), roles_(std::move(roles)) {}

  // To be called first, of the only cursor, where its process's events do not stand in program
  // order: they then come in order of time, one epoch of the clock after the other, by
  // LoadedTraces::PlaceOf(). Of internal events only the time is kept.
  Result<void> Sort(const LoadedTraces& loaded);

  // false at the end.
  Result<bool> Next(SourcedEvent& next);
  // The times of all events of its only process, in order, where they were kept. Next() then leaves
  // out events that tell nothing but their time.
  Result<std::vector<LocalTime>> TakeTimes();
  // The processes whose events come from here.
  const std::vector<ProcessId>& processes() const { return processes_; }

 private:
  Result<bool> Fetch();
  bool HasRole() const { return role_ < roles_.size() && roles_[role_].index == latest_.event.tag; }

  EventCursors cursors_;
  std::vector<ProcessId> processes_ = ProcessesOf(cursors_);
  size_t cursor_ = 0;
  bool is_sorted_ = false;
  std::vector<std::pair<LocalTime, uint64_t>> sorted_;  // when, and its number
  size_t next_sorted_ = 0;
  std::vector<SourcedEvent> told_;  // of sorted events those that are not internal, by number
  std::vector<Role> roles_;
  size_t role_ = 0;
  SourcedEvent latest_;  // without a role
  bool is_role_left_ = false;

  static std::vector<ProcessId> ProcessesOf(const EventCursors& cursors);
};

// `needs_roles`: also of formats that keep their times, whose messages a clock takes from the
// store. `loaded` must outlive the sources.
Result<std::vector<std::unique_ptr<EventSource>>> OpenSources(const LoadedTraces& loaded,
                                                              bool needs_roles);

}  // namespace syncline
