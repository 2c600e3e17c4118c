// Every pair of clocks that exchanged messages, by the chosen method.
//
// Errors: those of reading stored messages again, which some methods need (estimate/pair_fit.h).
#pragma once

#include <vector>

#include "syncline/result.h"

#include "estimate/group.h"
#include "pipeline/estimate/solve.h"
#include "trace/load.h"

namespace syncline {

PairOptions PairOptionsOf(const LoadedTraces& loaded, const SolveOptions& options, ClockId a,
                          ClockId b);

Result<std::vector<PairInput>> EstimatePairs(const LoadedTraces& loaded,
                                             const SolveOptions& options);

}  // namespace syncline
