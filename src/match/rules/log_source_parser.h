// A line of a file of rules that says how a log is read.
//
//   read json time=ts host=hostname kind=msg
//
// The grammar: docs/formats/logs.md. Errors: kUsage with file, line and column. Tested by:
// log_source_parser_test.cc, fuzz/rules_fuzz.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "syncline/result.h"

#include "model/log_source.h"

namespace syncline {

Result<LogSource> ParseLogSource(std::string_view line, uint64_t number, const std::string& name);

}  // namespace syncline
