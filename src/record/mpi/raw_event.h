// What is kept of an event while a program runs: 48 bytes in a file that survives the process.
//
// A log is a sequence of these, ended by kEnd or by the end of the file. Times are ticks of the
// clock that Options names. Fields that a kind does not use are 0.
#pragma once

#include <cstdint>

#include "record/mpi/call_list.h"

namespace syncline::mpi {

enum class RawKind : uint16_t {
  kEnd,                 // nothing was recorded here
  kEnter,               // call
  kLeave,               // call
  kSend,                // communicator, peer, tag, bytes
  kImmediateSend,       // the same, request
  kSendComplete,        // request
  kReceive,             // communicator, peer, tag, bytes
  kReceivePosted,       // request
  kReceiveComplete,     // communicator, peer, tag, bytes, request
  kCancelled,           // request
  kCollectiveBegin,     // -
  kCollectiveEnd,       // call, communicator, peer (root), bytes, received
  kCollectivePosted,    // request
  kCollectiveComplete,  // call, communicator, peer, bytes, received, request
};

struct RawEvent {
  uint64_t time = 0;
  uint64_t bytes = 0;         // sent or received; of collectives: sent
  uint64_t received = 0;      // bytes, of collectives
  uint32_t communicator = 0;  // the process's own number (definitions.h)
  int32_t peer = 0;           // rank in the communicator; root or kNoRoot
  int32_t tag = 0;
  uint32_t request = 0;  // names an operation until it completes
  Call call = Call::kSend;
  RawKind kind = RawKind::kEnd;
};
static_assert(sizeof(RawEvent) == 48);

inline constexpr int32_t kNoRoot = -1;

}  // namespace syncline::mpi
