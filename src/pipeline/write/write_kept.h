// Writes logs and files of spans again with corrected times, by what loading kept of them.
//
// Errors: those of readers and outputs; kMalformed where the file has changed since it was loaded.
// Ownership: outputs are not committed. Tested by: logs_command_test.cc, spans_command_test.cc.
#pragma once

#include <string>

#include "syncline/result.h"

#include "base/file.h"
#include "trace/load.h"
#include "write/text/text_rewriter.h"

namespace syncline {

// `retime` is called in the order of each host's events, for those that are moments of records.
// `add_field`: log_rewriter.h. Memory: one line.
Result<void> WriteLog(const LoadedInput& input, const std::string& add_field, OutputFile& output,
                      const RetimeEvent& retime);

// `retime` is called for lanes one after the other, each in program order, then the file is copied.
// Memory: 8 bytes per time of the file.
Result<void> WriteSpans(const LoadedInput& input, OutputFile& output, const RetimeEvent& retime);

}  // namespace syncline
