// Messages that no order of events satisfies, and as few of them to leave out as are found cheaply.
//
// A process's events happen in order, a message's receive after its send: where that makes an event
// wait for itself, one message of the cycle is left out, the one that is inverted most, until an
// order exists.
// Units: nanoseconds. Guarantees: what is left has an order; each message left out lay on a cycle
// of those that were left then; where there is an order already, nothing is left out.
// Cost: O(n log n) for n messages, and O(processes) per message left out. Memory: 40 bytes per
// message.
// Method: events are taken in causal order. When all processes wait, each waits for one other:
// going from one to the next leads into a circle, whose messages are the cycle. The way there is
// kept, so that the next circle is looked for where the last one was found.
// Tested by: causal_cycles_test.cc, against a naive topological sort.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace syncline {

struct CausalLink {
  uint32_t from = 0, to = 0;       // processes; never the same
  uint64_t send = 0, receive = 0;  // numbers of events; one event receives before it sends
  int64_t delay_ns = 0;            // receive − send, as the clocks say
};

// The numbers of the links to leave out, ascending.
std::vector<uint32_t> LinksToLeaveOut(size_t processes, std::span<const CausalLink> links);

}  // namespace syncline
