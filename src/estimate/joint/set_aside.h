// All clocks at once without the few messages that contradict all others.
//
// Where a component has no joint solution, suspects (suspects.h) are sought: in every pair without
// an admissible line by itself, then, if that is not enough, over the whole component. Pairs are
// then estimated anew without them, and the joint estimate repeated. It counts only if every clock
// concerned has a joint solution now, and the suspects
//   - are no more than `most` of the component's messages and, but for one message, of each
//   clock's;
//   - are received before they were sent by more than messages of their pair usually take there and
//   back.
// Else the component stays as it is: clocks whose messages contradict in larger numbers or by less
// may not be linear, and nothing of them is suspect.
// Guarantee: as joint.h, if the suspects are wrong. Errors: those of the passes.
// Cost: some dozen passes over all messages where there is a contradiction; none where there is
// not. Memory: what suspects.h says, per pair without a line.
// Tested by: src/estimate/joint/suspects_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "syncline/id.h"
#include "syncline/result.h"

#include "estimate/hulls/pair_points.h"
#include "estimate/joint/joint.h"
#include "estimate/message_pass.h"

namespace syncline {

struct SetAsideOptions {
  double most = 0.005;  // of messages
  JointOptions joint;
  // How pairs were estimated.
  std::function<PairEstimate(const PairInput& pair, const PairPoints& points)> estimate_pair;
};

struct SetAside {
  std::vector<uint64_t> suspects;  // ascending; if empty, the rest is as it was given
  std::vector<PairInput> pairs;    // they count suspects among their messages
  JointEstimate joint;
};

// Requires: `joint` is EstimateJoint's of `pairs`; a < b in every pair, and no two of them join the
// same clocks.
Result<SetAside> SetAsideSuspects(std::span<const ClockInput> clocks, std::vector<PairInput> pairs,
                                  JointEstimate joint, const SetAsideOptions& options,
                                  const MessagePass& pass);

}  // namespace syncline
