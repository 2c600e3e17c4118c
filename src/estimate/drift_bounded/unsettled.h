// Where several clocks were set while they exchanged few messages: these do not tell who was set
// when, and an explanation that they do not contradict can be wrong.
//
// Definition: tracks next to a step that have few messages, and exchange some with each other, form
// an island. Where it has fewer than sixteen messages for each step at its tracks' ends, its steps
// excuse rather than explain them. Then nothing counts that has an end on the island, or on another
// track of its clocks while it lasted: from the last reading before it to the first one behind.
// Units: as graph.h. Cost: O(n log n) for n messages where there are islands. Tested by:
// unsettled_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "estimate/drift_bounded/collection.h"
#include "estimate/drift_bounded/component.h"

namespace syncline::drift_bounded {

// Messages; steps that fewer show explain nothing.
inline constexpr uint64_t kFewestPerStep = 16;

struct Unsettled {
  std::vector<bool> tracks;  // of islands; nothing is known of their time
  Collection messages;       // those that count
};

// None where every step is settled. `solved`: by `explanation` and `messages`.
std::optional<Unsettled> FindUnsettled(const Explanation& explanation, const Collection& messages,
                                       const Solved& solved);

}  // namespace syncline::drift_bounded
