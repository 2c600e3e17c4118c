// Moves corrections within their bounds to where likely messages are in order, too.
//
// Bounds rest on certain messages alone. Of what is left between them likely ones
// (LoadedTraces::likely_messages), which seldom are wrong, tell more than the middle does: the same
// estimation runs once more with both, and its corrections are taken where they keep to the bounds
// and no certain message had to be left out, or is inverted. Likely messages that the bounds
// refute, that are quicker than their direction's lower quartile by more than 1.5 of what lies
// between its quartiles (J. Tukey's fence), or that contradict the others, are counted as
// "late-ends" (info). Nothing changes where clocks were set, or constant rates are assumed. Cost:
// that of estimation. Tested by: spans_command_test.cc.
#pragma once

#include <cstdint>
#include <span>

#include "syncline/result.h"

#include "estimate/drift_bounded/drift_bounded.h"
#include "pipeline/estimate/solve.h"
#include "trace/load.h"

namespace syncline {

// `solution` is that of `options` for the certain messages but for `left_out` (ids, ascending).
Result<void> RefineByLikely(const LoadedTraces& loaded, std::span<const ClockInput> clocks,
                            const SolveOptions& solve, DriftBoundedOptions options,
                            std::span<const uint64_t> left_out, Solution& solution);

// Adds to `solution.late` the likely messages that its corrections leave inverted, or that would
// take no time, and counts them all. Those that remain are in the order of corrected times.
Result<void> CollectLate(const LoadedTraces& loaded, Solution& solution);

}  // namespace syncline
