// The subcommands, one source file each. Each prints its results and returns the exit code:
// 0 done and all guarantees hold · 1 wrong usage · 2 input unreadable · 3 done, but with a stated
// weakness · 4 no correction possible.
#pragma once

#include <string>

#include "syncline/result.h"

#include "base/exit_code.h"
#include "cli/options.h"

namespace syncline {

int ExitCodeOf(const Error& error);

// `command_line` is what the summary records.
Result<int> RunSync(const SyncOptions& options, const std::string& command_line);
Result<int> RunCheck(const EstimateOptions& options, const std::string& command_line);

}  // namespace syncline
