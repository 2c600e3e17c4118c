// Suspects of different pairs that one clock's other offset would explain.
//
// A message that alone contradicts those of its pair is wrong, as far as that pair can tell
// (steps.h). Where the next message that the same clock sends, or receives, whomever to or from,
// misses the offset of its own pair by as much, the two agree with each other: then the clock was
// set for the time being, and both are right. Only what the given pairs say between the two counts.
// Cost: O(n log n) where several pairs have suspects. Tested by: agreement_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "estimate/drift_bounded/steps.h"

namespace syncline::drift_bounded {

// Two clocks' tracks, and what their messages alone show.
struct PairOfTracks {
  uint32_t a = 0, b = 0;
  std::vector<PairMessage> messages;  // in order of at_a
  PairHistory history;
};

// Sets `agrees` of such messages. The places of their pairs, in order.
std::vector<size_t> MarkAgreement(std::span<PairOfTracks> pairs);

}  // namespace syncline::drift_bounded
