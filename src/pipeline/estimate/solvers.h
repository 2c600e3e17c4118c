// All clocks at once over the messages as they were loaded, by each group method.
//
// Errors: those of the message stores.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "syncline/id.h"
#include "syncline/result.h"

#include "estimate/drift_bounded/drift_bounded.h"
#include "estimate/group.h"
#include "pipeline/estimate/solve.h"
#include "trace/load.h"

namespace syncline {

// Every pair of clocks that exchanged messages, by the chosen method.
//
// Errors: those of reading stored messages again, which some methods need (estimate/pair_fit.h).
PairOptions PairOptionsOf(const LoadedTraces& loaded, const SolveOptions& options, ClockId a,
                          ClockId b);

Result<std::vector<PairInput>> EstimatePairs(const LoadedTraces& loaded,
                                             const SolveOptions& options);

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

// Moves corrections within their bounds to where likely messages are in order, too.
//
// Bounds rest on certain messages alone. Of what is left between them likely ones
// (LoadedTraces::likely_messages), which seldom are wrong, tell more than the middle does: the same
// estimation runs once more with both, and its corrections are taken where they keep to the bounds
// and no certain message had to be left out, or is inverted. Likely messages that the bounds
// refute, that are quicker than their direction's lower quartile by more than 1.5 of what lies
// between its quartiles (J. Tukey's fence), or that contradict the others within the limits of
// rates, are counted as "late-ends" (info). Nothing changes where clocks were set, or constant
// rates are assumed. Cost: that of estimation. Tested by: spans_command_test.cc.

// `solution` is that of `options` for the certain messages but for `left_out` (ids, ascending).
// Likely messages prove no limit of rates to be too small. Where those that are not left out would
// make implausible round trips it changes nothing: the certain ones are to be solved by larger
// limits first.
struct LargerLimits {
  std::vector<RaisedLimit> raised;
  std::vector<double> limits_ppm;  // by clock
};
Result<LargerLimits> RefineByLikely(const LoadedTraces& loaded, std::span<const ClockInput> clocks,
                                    const SolveOptions& solve, DriftBoundedOptions options,
                                    std::span<const uint64_t> left_out, Solution& solution);

// Adds to `solution.late` the likely messages that its corrections leave inverted, or that would
// take no time, and counts them all. Those that remain are in the order of corrected times.
Result<void> CollectLate(const LoadedTraces& loaded, Solution& solution);

}  // namespace syncline
