// What bounds say of clocks that were set, and of the readings between the sides of a step.
//
// Between the last reading that is certain to be from before a step and the first one from behind
// it, messages are not used. The bounds that the others leave tell of most of these on which side
// they are: those that one side contradicts are on the other one. They also tell of clocks that
// were taken for set, and went on. Units: nanoseconds since the clocks' origins. Errors: those of
// the pass. Cost: a pass over all messages, O(log n) each. Tested by: step_windows_test.cc.
#pragma once

#include <span>
#include <vector>

#include "syncline/result.h"

#include "estimate/drift_bounded/attribution.h"
#include "estimate/drift_bounded/component.h"
#include "estimate/drift_bounded/message_works.h"

namespace syncline::drift_bounded {

// `tracks` with these steps alone.
TrackTable WithSteps(const Component& component, const TrackTable& tracks,
                     std::span<const CutPlace> cuts);

// How far a clock was set ahead between nodes of two of its tracks, both bounded; at least −kOpen
// where its rate has no limit.
Jump JumpBetween(const Graph& graph, const BothPaths& paths, int32_t p, int32_t q);

// Whether bounds before and behind allow that the clock just went on, and not that it was set as
// far as was seen. `solved`: by `explanation`, which has the cut.
bool WentOn(const Component& component, const Explanation& explanation, const Solved& solved,
            const CutPlace& cut);

// `cuts`, which `explanation` has, with less between their sides; none: no message tells.
Result<std::vector<CutPlace>> NarrowWindows(const Component& component,
                                            const Explanation& explanation, const Solved& solved,
                                            std::vector<CutPlace> cuts);

// What is known of the tracks about steps.
struct StepSides {
  // By track with nodes: from its first to its last node, and towards the clock's next track as far
  // as messages are certain to be of this one, since bounds contradict that they are of the other.
  // Between such messages of both, the clock was set. In units of the graph.
  std::vector<Extent> certain;
  // By track with nodes: between this one and the next such one of the clock, or beyond the
  // outermost one, there are messages that bounds of neither allow. Either they are wrong, or the
  // clock showed yet another time.
  std::vector<bool> is_open_before, is_open_behind;
  std::vector<uint64_t> contradicting;  // these messages; increasing
};

// `graph` and `paths`: by `explanation`, for stamps that may be coarse. No pass where no clock was
// set.
Result<StepSides> FindSides(const Component& component, const Explanation& explanation,
                            const Graph& graph, const BothPaths& paths);

}  // namespace syncline::drift_bounded
