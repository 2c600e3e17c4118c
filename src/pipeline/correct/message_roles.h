// Which events of a process are sends, receives or broadcasts, told from the messages that were
// matched.
//
// A text or an OTF2 archive says so of each event itself. A packet of a capture, an event that a
// rule names, or the start of a span becomes an end of a message only by being matched: the 7th
// packet of host a, which is the 9th of host b, is the send 7 of a to b, and the receive 9 of b.
// Memory: 32 bytes per event that is part of a message. Errors: those of the message store.
// Tested by: concurrency_command_test.cc, sync_command_test.cc.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "syncline/id.h"
#include "syncline/result.h"

#include "logical/logical_event.h"
#include "trace/load.h"

namespace syncline {

// Of one event in one message; a router's packet is both received and sent.
struct Role {
  uint64_t index = 0;  // the event's number within its process
  LogicalEvent::Kind kind = LogicalEvent::Kind::kInternal;
  ProcessId peer;
  uint64_t message = 0;  // the number of the send within its process
  auto Order() const { return std::pair(index, kind != LogicalEvent::Kind::kReceive); }
};

// By process; each process's in order of its events, a receive before a send. A send with several
// receives is one broadcast. Processes that are not `wanted` have none.
Result<std::vector<std::vector<Role>>> CollectRoles(const LoadedTraces& loaded,
                                                    const std::vector<bool>& wanted);

}  // namespace syncline
