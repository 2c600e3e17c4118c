// All clocks at once by straight lines. Where none fit, without the messages that drift-bounded
// estimation leaves out as suspects, if lines fit the others.
//
// Errors: those of the message stores. Cost: no pass where straight lines fit, else one
// drift-bounded estimation and a few passes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "syncline/result.h"

#include "pipeline/estimate/solve.h"
#include "trace/load.h"

namespace syncline {

// `pairs` as estimated with all messages.
Result<Solution> SolveJoint(const LoadedTraces& loaded, std::span<const ClockInput> clocks,
                            std::optional<ClockId> reference, const SolveOptions& options,
                            std::vector<PairInput> pairs);

// The messages of these ids (message_pass.h), ascending, become the solution's suspects.
Result<void> CollectSuspects(const LoadedTraces& loaded, std::span<const uint64_t> ids,
                             Solution& solution);

}  // namespace syncline
