// What of a replayed trace no order of events satisfies: messages, and waits of collectives.
//
// Units: nanoseconds. A leave waits for what AwaitedBy() says, of the enters that are there and
// take part; it is left out as a whole.
// Cost and memory: those of LinksToLeaveOut(), with 2 links per part of a collective.
// Method: causal_cycles.h. What an instance's leaves wait for together is a process of its own,
// which receives from the enters and sends to the leaves.
// Tested by: src/logical/replay_cycles_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "logical/replay_links.h"
#include "logical/replay_trace.h"

namespace syncline {

struct ReplayCycles {
  struct Wait {
    uint32_t leave = 0;  // parts
    uint32_t enter = 0;  // the latest that it waited for
    auto operator<=>(const Wait&) const = default;
  };
  std::vector<uint32_t> messages;  // ascending
  std::vector<Wait> waits;         // ascending, each leave once
  bool empty() const { return messages.empty() && waits.empty(); }
};

ReplayCycles FindCycles(const ReplayTrace& trace, const ReplayLinks& links);

}  // namespace syncline
