// Copies a log with other times: of every record the one time that stands in it, in its own
// notation; all other bytes as they are.
//
// With a name of a field to be added, the time that was read stays, and the new one stands beside
// it: in JSON behind it, in CSV and TSV as the last column. Where a file's times differ in how many
// decimals they have, zeros at their end are left out.
// Errors: those of LogReader and of the output; kUnsupported for times before 1970; kUsage for a
// field that is to be added to a line of text, or where there is one of its name. Memory: one line
// and one block. Tested by: log_rewriter_test.cc, fuzz/logs_fuzz.cc.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "syncline/result.h"
#include "syncline/time.h"

#include "base/byte_sink.h"
#include "read/logs/log_reader.h"

namespace syncline {

struct LogRewriting {
  std::span<const LogSource> sources;
  std::span<const LogPrecision> precisions;  // of the whole file, by source
  std::string add_field;                     // empty: times are replaced
  std::function<GlobalTime(const LogLine& record)> retime;
};

// `reader` must not have read a line yet, and have the field to be added as the last one that is
// wanted.
Result<void> RewriteLog(LogReader& reader, const std::string& name, const LogRewriting& rewriting,
                        ByteSink output);

}  // namespace syncline
