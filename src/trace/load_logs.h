// Reads logs and matches their records by rules.
//
// A clock for each host that lines name, else for each file; a process for each host in a file,
// whose events are the moments of its records. A send that may have been stamped late (`late <=`)
// has an event of its own, as early as it may have been. Errors: those of the reader; kUsage where
// clocks of different files would have one name, or no rule is given; kNoCorrection, with the
// reason, where logs are all there is and make no message. Memory: kept_logs.h, and 40 bytes of
// each event that a rule names. Tested by: logs_command_test.cc.
#pragma once

#include <span>

#include "syncline/result.h"

#include "trace/formats.h"

namespace syncline {

Result<void> LoadLogs(std::span<LoadedInput* const> inputs, const LoadRequest& request);
// A cursor for each host; one for all, which reads the file again, for names.
Result<EventCursors> OpenLogEvents(const LoadedTraces& loaded, const LoadedInput& input,
                                   EventDetail detail);

}  // namespace syncline
