// Which clocks ran faster or slower than D, and the limits up to which bounds hold then.
//
// Definition (drift-bounded.md, "Rates beyond D"): the limit of a clock whose messages contradict D
// is raised to twice what is needed, at most to S, for its whole trace. Where all contradictions
// are the reference's, those of all others are. Which clock it is, most pairs that contradict by
// themselves decide; where none does, all clocks on the cycle are.
// Units: parts per million. Cost: that of bounds, some ten times. Tested by: drift_bounded_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "estimate/drift_bounded/component.h"

namespace syncline::drift_bounded {

struct RaisedLimits {
  struct Raised {
    ClockId clock;          // the reference: all others
    double needed_ppm = 0;  // limits up to this do not do
    double limit_ppm = 0;
    std::optional<int64_t> about_ns = {};  // its reading where D did not do
  };
  std::vector<RateLimits> limits;  // by clock
  std::vector<Raised> raised;
};

// `messages`, collected with `slew`, agree with it.
RaisedLimits RaiseLimits(const Component& component, const TrackTable& tracks,
                         const Collection& messages, RateLimits drift, RateLimits slew);

}  // namespace syncline::drift_bounded
