// Keeps the corrections of a clock's epochs in the order of its events.
//
// Each epoch is drawn by itself. One that messages bound on one side only, or not at all, can come
// out behind the next one, where its events would be written after those that followed them. It is
// moved towards its open side, as far as order asks for. Units: as Correction. Cost: O(knots).
// Tested by: epoch_order_test.cc.
#pragma once

#include <span>
#include <vector>

#include "syncline/correction.h"

#include "model/epochs.h"

namespace syncline::drift_bounded {

// The correction of an epoch, and which way it may be moved: messages bound it on one side only, or
// not at all.
struct DrawnEpoch {
  Correction correction;
  bool may_be_earlier = false, may_be_later = false;
};

// Moves epochs that may be to where the last reading of one, by `spans`, comes no later than the
// first of the next.
std::vector<DrawnEpoch> PutInOrder(std::vector<DrawnEpoch> epochs,
                                   std::span<const ReadingSpan> spans);

}  // namespace syncline::drift_bounded
