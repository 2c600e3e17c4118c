// Which clocks cannot be linear, as far as pairs without an admissible line tell.
//
// A pair of quality kApproximate says that one of its clocks (at least) has no constant rate; then
// no bound through that clock is guaranteed, not even over pairs whose few messages a line does
// fit. The clocks to blame are a small set that touches all such pairs, chosen greedily: the clock
// with most of them first; among equals the one with the larger share of contradicting pairs, then
// one that is not the reference, then the later one. Where only a single pair speaks
// against a clock, its partner could as well be the one, so both are blamed.
// Cost: O(n · p). Tested by: src/estimate/groups/contradiction_test.cc.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "estimate/group.h"

namespace syncline {

// By ClockId: whether the clock is to blame.
std::vector<bool> ContradictedClocks(size_t clocks, std::span<const PairInput> pairs,
                                     std::optional<ClockId> reference);

}  // namespace syncline
