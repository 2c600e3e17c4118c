// An event: something recorded at one instant by one process.
#pragma once

#include <cstdint>
#include <string>

#include "syncline/id.h"
#include "syncline/time.h"

namespace syncline {

enum class EventKind : uint8_t {
  kSend,
  kReceive,
  kBroadcast,        // the transmission of a message to any number of receivers
  kBlock,            // the process starts to wait
  kEnter,            // a region begins
  kLeave,            // a region ends
  kMark,             // anything else
  kCollectiveBegin,  // entering a group operation
  kCollectiveEnd,    // leaving it
};

// Fields that a kind does not use stay at their defaults.
struct Event {
  LocalTime time;
  ProcessId process;
  EventKind kind = EventKind::kMark;
  bool is_root = false;  // collectives: this process is the root
  ProcessId peer;        // send: the receiver; receive: the sender
  uint64_t message = 0;  // send, receive, bcast: MSG; collectives: INSTANCE (interned)
  uint64_t bytes = 0;    // send, receive: size, 0 when unknown
  uint32_t name = 0;     // enter, leave, mark: region; collectives: KIND (interned)
  uint32_t group = 0;    // collectives: GROUP (interned)
};

}  // namespace syncline
