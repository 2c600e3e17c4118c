// How fast a clock runs, stretch by stretch: what its correction says between the steps.
//
// Successive pieces of a correction whose rates are equal within the rounding of their knots, or to
// what is shown of them, are one stretch. A step is no rate: the pieces in the gap of one are left
// out, and so is what of a correction lies beyond the clock's events.
// Cost: O(knots · log steps). Tested by: rate_stretches_test.cc.
#pragma once

#include <span>
#include <vector>

#include "syncline/clock.h"
#include "syncline/correction.h"

#include "estimate/group.h"
#include "model/epochs.h"
#include "report/summary_parts.h"
#include "trace/load.h"

namespace syncline {

// Of one epoch, which shows the readings of `span`. `steps` are those of the clock, in order of
// time.
std::vector<RateStretch> RateStretchesOf(const Clock& clock, const Correction& correction,
                                         const ReadingSpan& span, std::span<const ClockJump> steps);

// Of all epochs, in order of time.
std::vector<RateStretch> RateStretchesOf(const LoadedTraces& loaded, const GroupEstimate& group,
                                         ClockId clock);

// Over all stretches, by their lengths. Requires: some.
double MeanDriftPpm(std::span<const RateStretch> stretches);

}  // namespace syncline
