// Which clocks were set, from the pairs of clocks that saw it.
//
// A step of one clock is seen by its pairs, one of several clocks together only by pairs that lead
// out of them. So the pairs that saw nothing at that time hold clocks together in blocks: those of
// the largest block (of equal ones, the reference's) kept their time, all others were set. Pairs
// are trusted in order of how short they were silent then, since in a long silence a step is
// missed. What pairs saw at one time is put together by following messages from clock to clock.
// Units: nanoseconds since the clocks' origins. Errors: none. Cost: O(steps · messages kept).
// Tested by: attribution_test.cc.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "syncline/id.h"

#include "estimate/drift_bounded/collect.h"
#include "estimate/drift_bounded/tracks.h"

namespace syncline::drift_bounded {

// A reading of a clock that may have been set back.
struct Place {
  uint32_t epoch = 0;
  int64_t reading = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

// Where it happened: behind one reading, at or before the other.
struct Window {
  Place after{0, INT64_MIN};
  Place before{UINT32_MAX, INT64_MAX};
};

// A step between two clocks.
struct SeenStep {
  ClockPair clocks;
  Window first, second;  // of each clock
};

// From `from` on the clock is another one, and from behind `after` on it can be.
struct CutPlace {
  ClockId clock;
  Place from;
  Place after;
};

// `messages` of all pairs, by `tracks`.
std::vector<CutPlace> AttributeSteps(std::vector<SeenStep> seen, const Collection& messages,
                                     const TrackTable& tracks, size_t clocks, ClockId root);

}  // namespace syncline::drift_bounded
