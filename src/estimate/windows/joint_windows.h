// All clocks at once over long traces: corrections that bend at the borders of windows.
//
// Every clock's correction is continuous and piecewise linear with knots at multiples of the
// window's length in its own nominal time; windows in which messages would stay inverted get knots
// at halves, quarters and eighths as well. Method: least squares over the middles between the
// fastest messages there and back (window_fit.h); what that leaves inverted is repaired
// (window_repair.h); bounds as window_bounds.h. One pass: all that is known of the messages is
// `pairs` and `hulls`.
// Guarantee: no message is inverted once corrected, but for rounding to nanoseconds and for what
// JointFinding::violated counts. Components without knots, or that cannot be treated, stay as
// EstimateTree makes them, and say why.
// Units: as group.h. Errors: none. Cost: some hundred nanoseconds per cell's vertex, and systems of
// n · w unknowns with a width of 3n for n clocks and w windows. Memory: the cells.
// Tested by: src/estimate/windows/joint_windows_test.cc.
#pragma once

#include <optional>
#include <span>

#include "estimate/joint/joint.h"
#include "estimate/windows/window_hulls.h"

namespace syncline {

// Requires: as EstimateTree; `hulls` hold the messages between the clocks of `pairs`.
JointEstimate EstimateWindows(std::span<const ClockInput> clocks, std::span<const PairInput> pairs,
                              const WindowHulls& hulls, std::optional<ClockId> reference);

}  // namespace syncline
