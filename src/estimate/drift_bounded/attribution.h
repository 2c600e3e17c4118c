// Which clocks were set, from the pairs of clocks that saw it.
//
// A step of one clock is seen by its pairs, one of several clocks together only by pairs that lead
// out of them. So the pairs that saw nothing at that time hold clocks together in blocks, of which
// the fewest clocks that explain all pairs were set. Where two explanations take as many, and other
// clocks do not tell since they said nothing before it or nothing after, all of both were: that
// costs bounds about that time, but makes none false; of two sides that are all clocks, the
// reference's kept its time. A pair that was silent until its clocks may have been set back saw
// nothing in any case. Pairs are trusted in order of how short they were silent then, since
// in a long silence a step is missed. What pairs saw at one time is put together by following
// messages from clock to clock. Units: nanoseconds since the clocks' origins. Errors: none. Cost:
// O(steps · messages kept). Tested by: attribution_test.cc.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "syncline/id.h"

#include "estimate/drift_bounded/component.h"
#include "estimate/drift_bounded/offset_interval.h"
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

inline bool Overlap(const Jump& a, const Jump& b) { return a.least <= b.most && b.least <= a.most; }
// Either way: the clock that was set can be the first of one pair and the second of the other.
inline bool CanBeAsLarge(const Jump& a, const Jump& b) {
  return Overlap(a, b) || Overlap(a, {-b.most, -b.least});
}

// A step between two clocks.
struct SeenStep {
  ClockPair clocks;
  Window first, second;  // of each clock
  Jump jump;             // of the second clock less the first
  // The messages that are wrong if there was none; none: there was.
  std::vector<uint64_t> evidence = {};
  // It could as well have been a slew: tells of the steps of others only.
  bool is_slew = false;

  // As this one of the two clocks gained.
  Jump Of(ClockId clock) const {
    return clock == clocks.second ? jump : Jump{-jump.most, -jump.least};
  }
};

// From `from` on the clock is another one; up to and with `after` it is not yet.
struct CutPlace {
  ClockId clock;
  Place from;
  Place after;
  Jump jump = {};                       // of it, or back where that is not known
  std::vector<uint64_t> evidence = {};  // of all that saw it; none: it is certain
  bool knows_direction = false;         // of the jump

  // Whether anything is known from before it that readings go on from.
  bool IsBounded() const { return after != Window{}.after && after.epoch == from.epoch; }
  // Whether there can be readings on neither side.
  bool HasBetween() const { return IsBounded() && after.reading + 1 < from.reading; }
};

// `messages` of all pairs, by `tracks`; `limits` of rates by clock.
std::vector<CutPlace> AttributeSteps(std::vector<SeenStep> seen, const Collection& messages,
                                     const TrackTable& tracks, std::span<const ClockInput> clocks,
                                     std::span<const RateLimits> limits, ClockId root);

}  // namespace syncline::drift_bounded
