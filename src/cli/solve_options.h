// What the command line asks of estimation, checked and typed.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "syncline/result.h"

#include "cli/options.h"
#include "pipeline/estimate/solve.h"

namespace syncline {

// An option that was given, on the command line or in a configuration file, though none of these
// groups uses it.
std::optional<std::string_view> OptionWithoutUse(const EstimateOptions& options,
                                                 std::span<const GroupMethod> groups);

// Errors: kUsage with the option that is wrong, or that the group does not use.
Result<SolveOptions> ParseSolveOptions(const EstimateOptions& options);

}  // namespace syncline
