// What an MPI record says beyond its Event: how every source of MPI traces hands it to matching.
//
// A rank is stood for by the process that its communicator lists; other processes (threads) of the
// same rank may make its calls.
#pragma once

#include <cstdint>

#include "syncline/id.h"

namespace syncline {

enum class MpiKind : uint8_t {
  kNone,                // no MPI record, or one that matching cannot use
  kSend,                // the send itself has happened at the event; blocking
  kImmediateSend,       // the same, with a request
  kSendComplete,        // request
  kReceive,             // blocking: posted and complete at the event
  kReceivePosted,       // request; what it will receive is not known yet
  kReceiveComplete,     // request; sender, communicator and tag are those of the message
  kCancelled,           // request
  kCollectiveBegin,     // blocking; with an event that is a mark: its end is not recorded
  kCollectiveEnd,       // blocking
  kCollectivePosted,    // request; non-blocking: its kind is known at its completion
  kCollectiveComplete,  // request
  kBeginAlone,          // of a collective that this member never ends
  kEndAlone,            // of one that it never began
};

// Fields that a kind does not use stay at their defaults.
struct MpiOperation {
  MpiKind kind = MpiKind::kNone;
  uint32_t communicator = 0;    // sends, complete receives, collectives: number in TraceSet::groups
  uint32_t tag = 0;             // sends, complete receives
  ProcessId own;                // the member of the communicator that this process acts for
  ProcessId peer;               // sends, complete receives: the member at the other end
  uint64_t request = 0;         // names an operation until it completes; may be used again
  uint64_t bytes_received = 0;  // collectives; Event::bytes is what was sent
};

}  // namespace syncline
