// Keeps a correction within the bounds of its clock.
//
// Why: bounds are rounded by themselves, straight lines that fit all messages can leave the limits
// of rates, and where messages go one way only, nothing else keeps a line to what bounds say.
// Definition: max(L, min(U, c)) at every knot of c, every bend of the bounds and both ends of
// `span`, straight between them. Between nodes of the graph L is convex and U concave, so what lies
// within them there does so in between. L and U satisfy all messages, so those that c does not
// invert stay in order. Knots are added only where c lies outside, next to that, and at the ends;
// a correction that does not is returned as it is.
// What lies within at every node needs to be looked at at its knots and at the ends alone.
// Cost: O((n + k) log n) for n bends and k knots. Tested by: within_bounds_test.cc,
// drift_bounded_property_test.cc.
#pragma once

#include "syncline/correction.h"

#include "estimate/time_bounds.h"
#include "model/epochs.h"

namespace syncline::drift_bounded {

// Whether the correction is known to be within at the nodes of the graph.
enum class AtNodes { kUnknown, kWithin };

Correction WithinBounds(const Correction& correction, const TimeBounds& bounds,
                        const ReadingSpan& span, AtNodes at_nodes = AtNodes::kUnknown);

}  // namespace syncline::drift_bounded
