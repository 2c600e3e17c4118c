// The events of all inputs again, for a logical clock or measures of concurrency.
//
// Where a format does not tell kinds, messages do: what was sent and received, as a router's
// packet, comes twice. Sends and receives may lack their partner; which have one, loaded.messages
// says. Requires: the inputs have not changed since they were loaded.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "syncline/event.h"
#include "syncline/result.h"

#include "logical/logical_event.h"
#include "pipeline/correct/message_roles.h"
#include "trace/event_cursor.h"
#include "trace/load.h"

namespace syncline {

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
