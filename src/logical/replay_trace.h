// A whole trace in memory, as the logical clock replays it.
//
// Units: nanoseconds. Events of a process are numbered from 0, in program order. An event is a
// send, a receive, or an end of a collective's part at most once; a send may have several receives
// (then it is a broadcast). All others are internal.
// Memory: 16 bytes per event, and 40 per message and per begin or end of a collective.
#pragma once

#include <cstdint>
#include <vector>

#include "syncline/clock.h"
#include "syncline/id.h"

#include "logical/logical_event.h"

namespace syncline {

struct ReplayTrace {
  struct Process {
    ClockId clock;                // chooses its minimum delays
    std::vector<int64_t> before;  // C
    std::vector<int64_t> after;   // what the replay makes of it
    std::vector<uint64_t> tags;   // the caller's names of the events; their numbers where empty
    // Another share of the trace has it, with its events (replay_team.h).
    bool is_elsewhere = false;
    uint64_t TagOf(uint64_t event) const { return tags.empty() ? event : tags[event]; }
  };
  struct Message {
    ProcessId sender;
    ProcessId receiver;
    uint64_t send = 0;  // the numbers of the events
    uint64_t receive = 0;
    uint64_t bytes = 0;  // the larger of what both ends say
  };
  // The begin or end of a collective. Fields as in LogicalEvent.
  struct Part {
    ProcessId process;
    uint32_t group = 0;
    uint64_t event = 0;
    uint64_t instance = 0;  // unique within the group
    uint64_t bytes = 0;
    LogicalEvent::Kind kind = LogicalEvent::Kind::kEnterCollective;
    CollectiveFlow flow = CollectiveFlow::kNone;
    bool is_root = false;
    bool takes_part = true;
  };

  // What the rules of collectives ask of an event.
  static LogicalEvent RoleOf(const Part& part) {
    LogicalEvent event;
    event.kind = part.kind;
    event.flow = part.flow;
    event.is_root = part.is_root;
    event.takes_part = part.takes_part;
    return event;
  }

  std::vector<Process> processes;
  std::vector<Message> messages;
  std::vector<std::vector<ProcessId>> groups;  // members in rank order, each once
  std::vector<Part> parts;                     // those of each process in program order
};

}  // namespace syncline
