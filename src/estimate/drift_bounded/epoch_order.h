// The corrections of a clock's epochs, each of which is drawn by itself, in the order of its
// events.
//
// One that messages bound on one side only, or not at all, can come out behind the next one, where
// its events would be written after those that followed them. It is moved towards its open side, as
// far as order asks for. Units: as Correction. Cost: O(knots), and O(nodes) for a one-sided epoch.
// Tested by: epoch_order_test.cc, drift_bounded_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "syncline/correction.h"
#include "syncline/id.h"

#include "estimate/drift_bounded/component.h"
#include "estimate/drift_bounded/tracks.h"
#include "model/epochs.h"

namespace syncline::drift_bounded {

// The correction of an epoch, and which way it may be moved: messages bound it on one side only, or
// not at all.
struct DrawnEpoch {
  Correction correction;
  bool may_be_earlier = false, may_be_later = false;
};

// Of an epoch that messages lead to, or from, but not both: the clock's own rate, at the height
// that just satisfies all of them. None where there are no such messages.
std::optional<DrawnEpoch> OneSidedEpoch(ClockId id, uint32_t epoch, const Component& component,
                                        const TrackTable& tracks, const Solved& bounds);

// Moves epochs that may be to where the last reading of one, by `spans`, comes no later than the
// first of the next.
std::vector<DrawnEpoch> PutInOrder(std::vector<DrawnEpoch> epochs,
                                   std::span<const ReadingSpan> spans);

}  // namespace syncline::drift_bounded
