// What the command line asks of estimation, checked and typed.
#pragma once

#include "syncline/result.h"

#include "cli/options.h"
#include "pipeline/estimate/solve.h"

namespace syncline {

// Errors: kUsage with the option that is wrong.
Result<SolveOptions> ParseSolveOptions(const EstimateOptions& options);

}  // namespace syncline
