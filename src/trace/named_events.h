// Every event of a loaded input again, with its kind and what it is called.
//
// Each process's events come in program order; those of different processes one after the other or
// mixed. Kinds of packets and of CTF events are marks: only messages tell what they are.
// Requires: the input has not changed since it was loaded, and is no pipe. Errors: those of the
// readers, and kMalformed where a process has another number of events than before.
// Cost: one pass over the input. Memory: that of its reader.
// Tested by: convert_command_test.cc, report_command_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "syncline/event.h"
#include "syncline/result.h"

#include "trace/load.h"

namespace syncline {

struct NamedEvent {
  // Process and peer in the trace set. Event::message counts where has_message is set, Event::name
  // not at all. Event::group is a number in the trace set where `group` is empty.
  Event event;
  uint64_t index = 0;  // within the process, as in EventRef
  bool has_message = false;
  bool moves_nothing = false;  // a part of a collective of 0 bytes, where that means something
  // Of regions, marks and kinds of collectives, packets' protocols, CTF event classes; valid during
  // the visit, as the next.
  std::string_view name;
  std::string_view group;  // of collectives in texts
};
using VisitNamedEvent = std::function<void(const NamedEvent&)>;

Result<void> ForEachNamedEvent(const LoadedInput& input, const VisitNamedEvent& visit);

// For ForEachNamedEvent, of one format each. Without its library they fail with kUnsupported.
Result<void> ForEachNamedOtf2Event(const LoadedInput& input, const VisitNamedEvent& visit);
Result<void> ForEachNamedCtfEvent(const LoadedInput& input, const VisitNamedEvent& visit);

}  // namespace syncline
