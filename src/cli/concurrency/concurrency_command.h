// syncline concurrency: how concurrent a computation was, and where it lost time.
#pragma once

#include <string>

#include "syncline/result.h"

#include "cli/concurrency/concurrency_options.h"

namespace syncline {

// Prints the measures and returns the exit code. `command_line` is what the JSON records.
Result<int> RunConcurrency(const ConcurrencyCommandOptions& options,
                           const std::string& command_line);

}  // namespace syncline
