// Corrections that pass through the middles of corridors at the boundaries between intervals:
// Rabenseifner's extension of Hofmann and Hilgers (report, 7.7), for by_intervals.h.
//
// The corridors of two neighbouring intervals are joined at the boundary between them, the tighter
// counting; they are closed there, and the reference's row of midpoints is what every clock's
// correction passes through, linear between boundaries. So within each interval it stays in the
// corridor, whatever the clocks do, and no message between two clocks is left inverted but by the
// change of a correction while that message travelled, and by rounding.
// Where messages are missing at a boundary and no chain of clocks replaces them: (b2) limits are
// interpolated between the nearest boundaries where both are known, held beyond the outermost; (b1)
// a pair that has messages one way only, and no boundary with both, gets its other limit `factor`
// = 2 times the smallest width of any pair's corridor away from the one that there is.
// Departures: what is supplied gives way to what messages say (OffsetClosure::Supply), so that it
// can neither contradict them nor move clocks that they relate; the report lets it count like
// messages. And the report has (b1) first, for every pair and interval with one direction: but a
// guess from travel times is poorer than what the same clocks show nearby.
// Tested by: src/estimate/groups/piecewise_test.cc.
#pragma once

#include <cstddef>
#include <set>

#include "estimate/groups/interval_corridors.h"

namespace syncline {

// Both parts; the number of boundaries where either had to supply something.
size_t SupplyMissing(const ComponentMessages& component, Corridors& corridors);
// (b1) and (b2). Both return the boundaries where they supplied something.
std::set<size_t> SupplyMissingDirections(const ComponentMessages& component, Corridors& corridors);
std::set<size_t> InterpolateOpen(Corridors& corridors);

// Of the clock at `place` in the component, against the root at place 0.
ClockShift ThroughBoundaries(const ComponentMessages& component, const Corridors& corridors,
                             size_t place);

}  // namespace syncline
