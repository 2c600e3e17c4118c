// Corrections of clocks that messages relate to the reference in one direction only: the line of
// least delay.
//
// A clock that only sends, or only receives, is bounded on one side, and so is one that only such
// clocks answer. Its line is the one that all messages with clocks of known corrections allow and
// that makes them least long (lines/least_delay.h). Clocks are taken in rounds, from known ones on.
// Units: nominal nanoseconds. Errors: none; what stays unknown has no line. Cost: O(n log n).
// Tested by: drift_bounded_test.cc.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "estimate/affine.h"
#include "estimate/drift_bounded/ladder.h"
#include "estimate/drift_bounded/tracks.h"
#include "estimate/group.h"

namespace syncline::drift_bounded {

// `corrections` by clock, of epoch 0; none for those sought. Lines by clock.
std::vector<std::optional<Line>> FindOneSidedLines(
    std::span<const ClockInput> clocks, std::span<const HalvedDirection> directions,
    const TrackTable& tracks, std::span<const int64_t> origins_ns,
    std::vector<std::optional<Correction>> corrections, std::optional<double> max_drift_ppm);

}  // namespace syncline::drift_bounded
