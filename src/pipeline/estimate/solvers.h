// All clocks at once over the messages as they were loaded, by each group method.
//
// Errors: those of the message stores.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "syncline/id.h"
#include "syncline/result.h"

#include "estimate/group.h"
#include "pipeline/estimate/solve.h"
#include "trace/load.h"

namespace syncline {

// By straight lines. Where none fit, without the messages that drift-bounded estimation leaves out
// as suspects, if lines fit the others. `pairs` as estimated with all messages. Cost: no pass where
// straight lines fit, else one drift-bounded estimation and a few passes.
Result<Solution> SolveJoint(const LoadedTraces& loaded, std::span<const ClockInput> clocks,
                            std::optional<ClockId> reference, const SolveOptions& options,
                            std::vector<PairInput> pairs);

// The messages of these ids (message_pass.h), ascending, become the solution's suspects.
Result<void> CollectSuspects(const LoadedTraces& loaded, std::span<const uint64_t> ids,
                             Solution& solution);

// By drift-bounded estimation; `pairs` as estimated with all messages.
Result<Solution> SolveDriftBounded(const LoadedTraces& loaded, std::span<const ClockInput> clocks,
                                   std::optional<ClockId> reference, const SolveOptions& options,
                                   std::vector<PairInput> pairs);

// The group methods that need more than pairs: messages per interval, or broadcasts. Of the
// solution, `pairs` are given; `group` and `diagnostics` are found. Requires options.group to be
// closure, piecewise or broadcast. Errors: storage that fails; kNoCorrection for broadcast where no
// two clocks received one.
Result<void> SolveGroup(const LoadedTraces& loaded, std::span<const ClockInput> clocks,
                        std::optional<ClockId> reference, const SolveOptions& options,
                        Solution& solution);

}  // namespace syncline
