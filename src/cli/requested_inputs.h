// The inputs that a command's options ask for, with what is to be known for loading them.
#pragma once

#include "syncline/result.h"

#include "cli/options.h"
#include "trace/inputs.h"

namespace syncline {

// Errors: those of ResolveInputs(), and of the rules.
Result<ResolvedInputs> RequestedInputs(const EstimateOptions& options);

}  // namespace syncline
