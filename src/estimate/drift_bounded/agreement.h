// Suspects that another offset of one clock would explain: then it was set, and they are right.
//
// A message that an explanation leaves out contradicts all others, as far as it can tell alone.
// Where the next message that the same clock sends, or receives, whomever to or from, was left out
// as well, and both miss what bounds of the others leave by as much (AreAlike), the two agree with
// each other, and the clock was set for the time being. When, those tell that go the other way at
// that clock: what contradicts the offset is from before, or behind. Bounds are those without
// suspects, and without steps about which there are only suspects, where nothing contradicts that.
// Units: nanoseconds since the clocks' origins. Errors: those of the passes. Cost: where two are
// left out, a pass for them, and one for what lies between them; O(log n) for each message. Tested
// by: agreement_test.cc, drift_bounded_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "syncline/result.h"

#include "estimate/drift_bounded/attribution.h"
#include "estimate/drift_bounded/component.h"
#include "estimate/drift_bounded/step_windows.h"

namespace syncline::drift_bounded {

struct AgreeingSuspects {
  std::vector<uint64_t> messages;  // increasing
  std::vector<CutPlace> cuts;  // of `cuts` those that are still needed, and those that they show
};

// `solved`: by `explanation`, which has the cuts, and `collected`; `sides`: by these.
Result<AgreeingSuspects> FindAgreement(Component& component, const Explanation& explanation,
                                       const Collection& collected, const Solved& solved,
                                       const StepSides& sides, std::span<const CutPlace> cuts);

}  // namespace syncline::drift_bounded
