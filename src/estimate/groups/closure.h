// All clocks from constant offsets per interval: the method of Hofmann and Hilgers.
//
// Per interval the messages of every pair bound the offset between its clocks; over all chains of
// clocks the bounds are tightened (offset_closure.h), and the reference's row of midpoints is the
// offset of every clock there. A straight line per clock is then fitted through its offsets at the
// middles of the intervals, by least squares.
// Departures: intervals are cut, and offsets taken, after tree-error's lines (interval_corridors.h)
// instead of on raw clocks that must start together; there are more intervals where one has no
// solution; and the test that one exists is made. A fitted line may leave the corridor of an
// interval, of which the original does not say anything: it is counted.
// Guarantee, units, errors, cost: as by_intervals.h. A clock that messages never bound on both
// sides keeps the tree's line. Tested by: src/estimate/groups/closure_test.cc.
#pragma once

#include <span>

#include "estimate/groups/by_intervals.h"

namespace syncline {

Result<IntervalEstimate> EstimateClosure(std::span<const ClockInput> clocks,
                                         std::span<const PairInput> pairs,
                                         const MessagePass& messages,
                                         const IntervalOptions& options);

}  // namespace syncline
