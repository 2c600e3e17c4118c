// A trace as the writers of other tools' formats get it: all events with both times, and messages.
//
// Units: LocalTime in ticks of the process's clock; GlobalTime and bounds in nanoseconds.
// Requires: each process's events in program order; its links in order of their events, receives of
// an event before its sends. Memory: 48 bytes per event, 64 per message.
// Ownership: writers only look at it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "syncline/clock.h"
#include "syncline/event.h"
#include "syncline/id.h"
#include "syncline/result.h"
#include "syncline/time.h"

namespace syncline {

struct ExportedEvent {
  LocalTime local;
  GlobalTime time;       // corrected, or as recorded where that was asked for
  uint64_t message = 0;  // Event::message
  uint64_t bytes = 0;    // of a message or a part of a collective; 0: unknown
  uint32_t name = 0;     // regions, marks, kinds of collectives; in ExportedTrace::names
  uint32_t peer = 0;     // sends and receives that name one: its process
  uint32_t group = 0;    // collectives; in names
  uint16_t epoch = 0;    // of the clock, where it was set back
  EventKind kind = EventKind::kMark;
  bool is_root : 1 = false;
  bool has_message : 1 = false;    // `message` counts
  bool moves_nothing : 1 = false;  // a part of a collective of 0 bytes, where that means something
};
static_assert(sizeof(ExportedEvent) == 48);
inline constexpr uint32_t kNoPeer = UINT32_MAX;

// An event's part in a message: its receive where the message's receiver is the event's process.
struct ExportedLink {
  uint64_t event = 0;    // in ExportedProcess::events
  uint64_t message = 0;  // in ExportedTrace::messages
};

struct ExportedMessage {
  uint32_t from = 0, to = 0;  // processes; never the same
  bool is_of_collective = false;
  uint64_t send = 0, receive = 0;  // in ExportedProcess::events
};

struct ExportedProcess {
  std::vector<ExportedEvent> events;
  std::vector<ExportedLink> links;
};

// Where an event's true time lies between; a side that is not known is open.
struct ExportedBounds {
  std::optional<int64_t> lower_ns, upper_ns;
};

// What a text says in comments beside a line: lines above it, each with its end, and what follows
// it.
struct ExportedComment {
  std::string above, behind;
};

struct ExportedComments {
  std::unordered_map<std::string, ExportedComment> declarations;  // by "clock NAME" and the like
  std::vector<std::unordered_map<uint64_t, ExportedComment>> events;  // by process and number
  std::string end;                                                    // below all lines

  const ExportedComment* Find(ProcessId process, uint64_t event) const {
    if (process.index() >= events.size()) return nullptr;
    const auto found = events[process.index()].find(event);
    return found == events[process.index()].end() ? nullptr : &found->second;
  }
};

struct ExportedTrace {
  TraceSet traces;  // names of processes and groups are unique and not empty
  std::vector<ExportedProcess> processes;
  std::vector<ExportedMessage> messages;
  std::vector<std::string> names = {""};
  std::unordered_map<uint64_t, std::string>
      message_names;          // of those that are not called by number
  ExportedComments comments;  // of texts that become text
  bool is_corrected = false;
  std::string reference;  // of the largest component; empty where nothing was corrected
  // The ± of an event's time; none where it is not known.
  std::function<std::optional<int64_t>(ProcessId, const ExportedEvent&)> bound_ns;
  std::function<ExportedBounds(ProcessId, const ExportedEvent&)> bounds;

  int64_t RecordedNs(ProcessId process, const ExportedEvent& event) const {
    return traces.clocks[traces.processes[process.index()].clock.index()].NominalNs(event.local);
  }
  const ExportedEvent& SendOf(const ExportedMessage& message) const {
    return processes[message.from].events[message.send];
  }
  const ExportedEvent& ReceiveOf(const ExportedMessage& message) const {
    return processes[message.to].events[message.receive];
  }
  bool IsReceive(ProcessId process, const ExportedLink& link) const {
    return messages[link.message].to == process.value;
  }
};

// An event with what belongs to it.
struct VisitedExport {
  ProcessId process;
  uint64_t index = 0;  // within the process
  const ExportedEvent& event;
  std::span<const ExportedLink> links;
};

// "send", "receive", "enter", …: as csv files and viewers show it.
std::string_view ExportedKind(EventKind kind);
// What a viewer writes on the event.
std::string_view ExportedName(const ExportedTrace& trace, const ExportedEvent& event);
// The name of the process that the event sends to or receives from; of several the first one.
// Empty where there is none.
std::string_view ExportedPeer(const ExportedTrace& trace, const VisitedExport& visited);
// The message's or the collective instance's name as text traces write it; empty where there is
// none.
std::string ExportedMessageName(const ExportedTrace& trace, const ExportedEvent& event);

// The earliest time of any event; 0 without events.
int64_t ExportedOrigin(const ExportedTrace& trace);

// Times for formats that know neither times before 0 nor, within a process, steps back.
//
// Units: nanoseconds. What is below 0 is shifted, the whole trace by the same amount, so that
// intervals and messages stay as they are; an event that is earlier than the one before it in its
// process gets that one's time. Both are counted.
// Errors: kUnsupported for times further apart than 2^63 nanoseconds, 292 years, of which readers
// of such formats make wrong ones. Tested by: exported_times_test.cc.

// What the format could not say as it was.
struct ExportFindings {
  uint64_t shift_ns = 0;  // later than they should be are all times
  uint64_t raised = 0;    // events
  uint64_t largest_raise_ns = 0;
  uint64_t collective_parts = 0;  // begins and ends that became regions without length
};

// With the shift that the trace needs.
Result<ExportFindings> FindShift(const ExportedTrace& trace);

// Of the events of one process, in its order.
class RisingTimes {
 public:
  // `findings` outlives this; its shift is applied, raised events are counted.
  explicit RisingTimes(ExportFindings& findings) : findings_(findings) {}

  // Requires: a time of the trace whose shift it is.
  uint64_t operator()(GlobalTime time) {
    const uint64_t wanted = static_cast<uint64_t>(time.ns) + findings_.shift_ns;
    if (wanted >= last_) return last_ = wanted;
    ++findings_.raised;
    findings_.largest_raise_ns = std::max(findings_.largest_raise_ns, last_ - wanted);
    return last_;
  }

 private:
  ExportFindings& findings_;
  uint64_t last_ = 0;
};

}  // namespace syncline
