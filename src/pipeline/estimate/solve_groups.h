// The group methods that need more than pairs: messages per interval, or broadcasts.
#pragma once

#include <optional>
#include <span>

#include "syncline/id.h"
#include "syncline/result.h"

#include "estimate/group.h"
#include "pipeline/estimate/solve.h"
#include "trace/load.h"

namespace syncline {

// Of the solution, `pairs` are given; `group` and `diagnostics` are found. Requires
// options.group to be closure, piecewise or broadcast. Errors: storage that fails; kNoCorrection
// for broadcast where no two clocks received one.
Result<void> SolveGroup(const LoadedTraces& loaded, std::span<const ClockInput> clocks,
                        std::optional<ClockId> reference, const SolveOptions& options,
                        Solution& solution);

}  // namespace syncline
