// The events of all inputs again, for a logical clock that asks process by process.
//
// Requires: the inputs have not changed since they were loaded.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "syncline/diagnostics.h"
#include "syncline/message.h"
#include "syncline/result.h"

#include "cli/load.h"
#include "logical/logical_event.h"

namespace syncline {

class LogicalAdapter;

// What comes next from a source: an event with its place, or the end.
struct SourcedEvent {
  LogicalEvent event;  // without its time; the tag is the number within the process
  LocalTime local;
};

// One input, or several texts that share processes, in order.
class EventSource {
 public:
  virtual ~EventSource() = default;
  // false at the end.
  virtual Result<bool> Next(SourcedEvent& next) = 0;
  // The processes whose events come from here.
  virtual const std::vector<ProcessId>& processes() const = 0;
};

// `adapter` must outlive the sources; all processes and groups of `loaded` are declared to it.
Result<std::vector<std::unique_ptr<EventSource>>> OpenSources(const LoadedTraces& loaded,
                                                              LogicalAdapter& adapter);

}  // namespace syncline
