// The bounds of a clock at readings that are spread evenly, as the summary tells them.
//
// Units: readings in ticks, bounds in global nanoseconds. Requires: an epoch at least.
// Tested by: src/cli/sync_command_test.cc.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "estimate/group.h"
#include "model/epochs.h"
#include "report/summary.h"

namespace syncline {

// What is known of `count` readings, evenly from the first to the last, through one epoch after the
// other.
std::vector<Summary::Clock::Bounds> BoundsAt(size_t count, std::span<const ReadingSpan> epochs,
                                             const ClockEstimate& estimate);

}  // namespace syncline
