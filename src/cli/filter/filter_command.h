// syncline filter: the streaming controlled logical clock on a text trace.
#pragma once

#include <string>

#include "syncline/result.h"

#include "cli/filter/filter_options.h"

namespace syncline {

// Prints the protocol and returns the exit code. `command_line` is what the JSON records.
Result<int> RunFilter(const FilterOptions& options, const std::string& command_line);

}  // namespace syncline
