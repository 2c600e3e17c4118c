// Which clocks ran faster or slower than D, and the limits up to which bounds hold then.
//
// Definition (drift-bounded.md, "Rates beyond D"): the limit of a clock whose messages contradict D
// is raised to twice what is needed, at most to S, for its whole trace; so is that of a clock that
// needs it for round trips to be plausible (component.h). Where all contradictions
// are the reference's, those of all others are. Which clock it is, most pairs that contradict by
// themselves decide; where none does, all clocks on the cycle are.
// Units: parts per million. Cost: that of bounds, some ten times. Tested by: drift_bounded_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "estimate/drift_bounded/component.h"
#include "estimate/drift_bounded/drift_bounded.h"

namespace syncline::drift_bounded {

struct RaisedLimits {
  struct Raised {
    ClockId clock;          // the reference: all others
    double needed_ppm = 0;  // limits up to this do not do
    double limit_ppm = 0;
    std::optional<int64_t> about_ns = {};           // its reading where D did not do
    std::optional<QuickRoundTrip> round_trip = {};  // none: messages prove it
  };
  std::vector<RateLimits> limits;  // by clock
  std::vector<Raised> raised;
};

// `from`: tracks, and the limits to begin with, within S = `slew`. `messages`, collected with S,
// agree with it.
RaisedLimits RaiseLimits(const Component& component, const Explanation& from,
                         const Collection& messages, RateLimits slew);

// Those of `found`, but no further than `wander_ppm` from the mean rate of each clock's longest
// track, as far as bounds tell it.
std::vector<RateLimits> LimitsAboutMeans(const Explanation& found, const Solved& bounds,
                                         double wander_ppm);

}  // namespace syncline::drift_bounded
