// The events of all inputs again, for a logical clock or measures of concurrency.
//
// A packet of a capture that was sent and received comes twice. Sends and receives may lack their
// partner; which have one, loaded.messages says.
// Requires: the inputs have not changed since they were loaded.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "syncline/diagnostics.h"
#include "syncline/event.h"
#include "syncline/message.h"
#include "syncline/result.h"

#include "logical/logical_event.h"
#include "trace/load.h"

namespace syncline {

// What comes next from a source: an event with its place, or the end.
struct SourcedEvent {
  LogicalEvent event;  // without its time; the tag is the number within the process
  LocalTime local;
  // What was recorded where that says more than the event's kind: a process that starts to wait.
  EventKind recorded = EventKind::kMark;
};

// One input, or several texts that share processes, in order. Different sources may be read in
// different threads.
class EventSource {
 public:
  virtual ~EventSource() = default;
  // false at the end.
  virtual Result<bool> Next(SourcedEvent& next) = 0;
  // The times of all events of its only process, in order, where they were kept. Next() then leaves
  // out internal events, and perhaps times.
  virtual Result<std::vector<LocalTime>> TakeTimes() { return std::vector<LocalTime>{}; }
  // The processes whose events come from here.
  virtual const std::vector<ProcessId>& processes() const = 0;
};

// What comes of CTF streams, whose messages say which events are sends and receives.
enum class StreamEvents {
  kTimesAndSizes,  // by TakeTimes(); the sizes of messages as events without times
  kAll,            // every event as one
};

// `loaded` must outlive the sources.
Result<std::vector<std::unique_ptr<EventSource>>> OpenSources(const LoadedTraces& loaded,
                                                              StreamEvents stream_events);

}  // namespace syncline
