// All clocks at once by drift-bounded estimation, over the messages as they were loaded.
//
// Errors: those of the message stores.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "syncline/result.h"

#include "pipeline/estimate/solve.h"
#include "trace/load.h"

namespace syncline {

// `pairs` as estimated with all messages.
Result<Solution> SolveDriftBounded(const LoadedTraces& loaded, std::span<const ClockInput> clocks,
                                   std::optional<ClockId> reference, const SolveOptions& options,
                                   std::vector<PairInput> pairs);

}  // namespace syncline
