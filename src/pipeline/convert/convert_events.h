// The events and messages of loaded traces as the writers of other formats get them.
//
// Texts and captures are read once more; so are OTF2 archives and CTF traces, for the names of
// their events. Captures are brought into order of time. Messages that estimation has set aside
// are left out. Requires: the inputs have not changed since they were loaded. Errors: those of the
// readers. Memory: that of ExportedTrace, and 16 bytes per packet of one capture at a time.
// Tested by: convert_command_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "syncline/message.h"
#include "syncline/result.h"
#include "syncline/time.h"

#include "model/epochs.h"
#include "trace/load.h"
#include "write/exported_trace.h"

namespace syncline {

struct ConvertTimes {
  bool is_corrected = false;
  std::string reference;  // as ExportedTrace
  std::function<GlobalTime(const EventRef&)> time;
  std::function<std::optional<int64_t>(ProcessId, const ExportedEvent&)> bound_ns;
  std::function<ExportedBounds(ProcessId, const ExportedEvent&)> bounds;  // may be empty
  // Of a clock whose ± is known, but not for this reading; may be empty.
  std::function<bool(ProcessId, const ExportedEvent&)> is_beyond;
  // Of clocks that were set back, where the times know it; else empty: by ProcessId, as
  // EpochTable::first_event.
  EpochTable epochs;
};

// Which messages that need not be in order a trace gets besides those that are, and whether what
// may have been sent before its stamp has an event of its own, as early.
enum class ExportedMessages : uint8_t {
  kShown,     // for people: those that are likely
  kListed,    // for tables of what was recorded: the same, without such events
  kReadBack,  // for what takes every message for a fact: those that others imply
};

Result<ExportedTrace> MakeExportedTrace(const LoadedTraces& loaded, const ConvertTimes& times,
                                        ExportedMessages messages = ExportedMessages::kShown);

}  // namespace syncline
