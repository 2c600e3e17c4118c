// All events of loaded traces again, for a report: their times alone, or with kinds and names.
//
// Each process's events come in program order. Kinds and names are those of texts and OTF2
// archives, whose event files are read once more for them; elsewhere events are marks without name.
// Requires: the inputs have not changed since they were loaded. Errors: those of the readers.
// Cost: one pass over the inputs. Tested by: report_command_test.cc, otf2_command_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "syncline/event.h"
#include "syncline/result.h"

#include "cli/load/load.h"

namespace syncline {

struct VisitedEvent {
  ProcessId process;
  uint64_t index = 0;  // within the process
  LocalTime local;
  EventKind kind = EventKind::kMark;
  std::string_view name;
};
using VisitEvent = std::function<void(const VisitedEvent&)>;

Result<void> VisitTimes(const LoadedTraces& loaded, const VisitEvent& visit);
Result<void> VisitEvents(const LoadedTraces& loaded, const VisitEvent& visit);

// For VisitEvents: of an OTF2 archive.
Result<void> VisitArchive(const LoadedInput& input, const VisitEvent& visit);

}  // namespace syncline
