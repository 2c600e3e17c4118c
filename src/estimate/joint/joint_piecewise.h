// All clocks at once, with rates that change: one continuous, piecewise linear correction per
// clock.
//
// Used where no straight lines satisfy all messages of a component, or where the fastest messages
// show that a clock changed its rate (knot_search.h). Method: knots where the curves between the
// fastest messages bend; then the linear programme of piecewise_programme.h; where it has no
// solution, the segments are halved in which messages stay violated, until it has one; last, each
// clock as a whole moves to the middle of what messages leave (joint_centre.h).
// Departure: the specification halves from one segment on; knots that were searched stand where the
// clock really changed, so fewer are needed and the rates come out right.
// Guarantee: no message of any pair is inverted once corrected, but for rounding to nanoseconds.
// The bounds are those of rate_bounds.h, which assume a limit of the rates instead of constancy.
// What has no solution stays as it was. Clocks that messages relate in one direction only keep one
// segment. Errors: those of the message pass. Cost: two passes over all messages and one more per
// halving; memory O(pairs · bins). Tested by: src/estimate/joint/joint_piecewise_test.cc.
#pragma once

#include <optional>
#include <span>

#include "syncline/result.h"

#include "estimate/joint/joint.h"
#include "estimate/message_pass.h"

namespace syncline {

struct PiecewiseOptions {
  // Whether corrections may bend. With kConstant they stay as they are; but where the fastest
  // messages show that rates changed, bounds go and quality is kApproximate.
  enum class Rates { kMayChange, kConstant } rates = Rates::kMayChange;
  std::optional<double> max_drift_ppm = 200;
  // Of the pass over all messages, for several threads; empty: only all of it.
  MessageParts parts;
};

// `straight` is what EstimateJoint made of the same clocks and pairs. Components that are bent
// have JointFinding::State::kPiecewise; the others stay as they are.
Result<JointEstimate> EstimateJointPiecewise(std::span<const ClockInput> clocks,
                                             std::span<const PairInput> pairs,
                                             JointEstimate straight, const MessagePass& messages,
                                             const PiecewiseOptions& options);

}  // namespace syncline
