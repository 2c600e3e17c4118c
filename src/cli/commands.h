// The subcommands, one source file each. Each prints its results and returns the exit code:
// 0 done and all guarantees hold · 1 wrong usage · 2 input unreadable · 3 done, but with a stated
// weakness · 4 no correction possible.
#pragma once

#include <string>

#include "syncline/result.h"

#include "cli/options.h"

namespace syncline {

inline constexpr int kExitDone = 0;
inline constexpr int kExitUsage = 1;
inline constexpr int kExitUnreadable = 2;
inline constexpr int kExitWeak = 3;
inline constexpr int kExitNoCorrection = 4;

int ExitCodeOf(const Error& error);

// `command_line` is what the summary records.
Result<int> RunSync(const SyncOptions& options, const std::string& command_line);
Result<int> RunCheck(const EstimateOptions& options, const std::string& command_line);

}  // namespace syncline
