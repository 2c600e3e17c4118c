// The messages of pairs of clocks, as steps are looked for in them (steps.h).
//
// Units: nanoseconds since the clocks' origins. Errors: those of the pass. Cost: a pass, and
// O(n log n) for the n messages of these pairs. Tested by: drift_bounded_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "syncline/result.h"

#include "estimate/drift_bounded/component.h"
#include "estimate/drift_bounded/offset_interval.h"

namespace syncline::drift_bounded {

struct PairOfTracks {
  uint32_t a = 0, b = 0;
  std::vector<PairMessage> messages;  // in order of at_a
};

// Between tracks, but those about steps. `pairs` increase.
Result<std::vector<PairOfTracks>> MessagesOf(const Component& component, const TrackTable& tracks,
                                             const std::vector<ClockPair>& pairs);

}  // namespace syncline::drift_bounded
