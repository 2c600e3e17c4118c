// Every event of an OTF2 archive or a CTF trace again, with what it is called.
//
// Requires: the input was loaded and has not changed since. Errors: those of the readers, and
// kMalformed where a process has another number of events than before. Without the format's library
// the functions fail with kUnsupported. Tested by: convert_command_test.cc.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "syncline/event.h"
#include "syncline/result.h"

#include "cli/load/load.h"

namespace syncline {

struct NamedEvent {
  // Process, peer and group in the trace set; Event::message counts where has_message is set.
  Event event;
  bool has_message = false;
  bool moves_nothing = false;  // as ExportedEvent
  std::string_view name;       // valid during the visit
};
using VisitNamedEvent = std::function<void(const NamedEvent&)>;

// Those of the process of this number within the input, in program order.
Result<void> ForEachOtf2Event(const LoadedInput& input, size_t number,
                              const VisitNamedEvent& visit);
// Of all processes, one after the other.
Result<void> ForEachCtfEvent(const LoadedInput& input, const VisitNamedEvent& visit);

}  // namespace syncline
