// Writes a log again with corrected times.
//
// Memory: one line. Tested by: logs_command_test.cc.
#pragma once

#include <functional>
#include <string>

#include "syncline/result.h"
#include "syncline/time.h"

#include "base/file.h"
#include "trace/load.h"

namespace syncline {

// The time that an event of the input's process of this number gets; called in the order of a
// process's events, for those that are moments of records.
using RetimeLogEvent = std::function<GlobalTime(ProcessId number, uint64_t index, LocalTime time)>;

// Does not commit `output`. `add_field`: log_rewriter.h.
Result<void> WriteLog(const LoadedInput& input, const std::string& add_field, OutputFile& output,
                      const RetimeLogEvent& retime);

}  // namespace syncline
