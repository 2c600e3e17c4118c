// All clocks from pairs: a tree of the most trustworthy pairs, conversions composed along it.
//
// Method: shortest paths to a root over the graph of pairs (Clément; Jézéquel with unit weights),
// the root with the least sum of path costs (Hofmann and Hilgers). A path with fewer incomplete
// edges is shorter than any with more, then one with fewer approximate edges; among equals the sum
// of weights decides: the mean half-width of a pair's bounds over the traced intervals of its
// clocks, for approximate pairs the worst violation. So an incomplete pair is used only where
// nothing else connects a clock. Guarantee: bounds of clocks with quality kAccurate hold, composed
// and valid, not tight. Pairs with a clock that cannot be linear (ContradictedClocks) count as
// approximate, and no bound is claimed over them. The correction of a pair that is no edge of the
// tree may contradict that pair's messages. Errors: none; clocks without usable pairs form
// components of their own with quality kAbsent. Ties: the first clock, the first pair. Cost: O(n ·
// p log n) for n clocks and p pairs. Tested by: src/estimate/groups/tree_error_test.cc,
// tree_paths_test.cc, contradiction_test.cc.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "syncline/id.h"

#include "estimate/group.h"

namespace syncline {

struct TreeOptions {
  // Root of its component; without it the root is chosen in the largest component.
  std::optional<ClockId> reference;
  enum class Weights { kError, kHops } weights = Weights::kError;
  // Else MeasureBounds() of roots alone. It takes as long as all else, and with every clock on the
  // path longer, for who does without the tree's bounds.
  bool measures_bounds = true;
};

// Requires: pairs name two different clocks of `clocks`; several pairs may join the same two.
GroupEstimate EstimateTree(std::span<const ClockInput> clocks, std::span<const PairInput> pairs,
                           const TreeOptions& options);

// Which clocks cannot be linear, as far as pairs without an admissible line tell: by ClockId,
// whether it is to blame. A pair of quality kApproximate says that one of its clocks (at least) has
// no constant rate; then no bound through that clock is guaranteed, not even over pairs whose few
// messages a line does fit. The clocks to blame are a small set that touches all such pairs, chosen
// greedily: the clock with most of them first; among equals the one with the larger share of
// contradicting pairs, then one that is not the reference, then the later one. Where only a single
// pair speaks against a clock, its partner could as well be the one, so both are blamed. Cost: O(n
// · p).
std::vector<bool> ContradictedClocks(size_t clocks, std::span<const PairInput> pairs,
                                     std::optional<ClockId> reference);

}  // namespace syncline
