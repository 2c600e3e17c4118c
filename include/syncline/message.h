// Messages and broadcasts: what matching makes of events, and all that estimation looks at.
#pragma once

#include <cstdint>
#include <vector>

#include "syncline/id.h"
#include "syncline/time.h"

namespace syncline {

// One event by its place: the process and the event's number in that process's program order, from
// 0 (for a capture: the packet's number in the file, from 0).
struct EventRef {
  ProcessId process;
  uint64_t index = 0;
  LocalTime time;  // on the process's clock
};

// A send event and its matching receive event in another process.
struct Message {
  EventRef send;
  EventRef receive;
};

// One transmission received by two or more processes at almost the same instant. Only its receive
// events are compared; what its sender recorded, if anything, becomes one Message per receiver.
struct Broadcast {
  std::vector<EventRef> receives;
};

// Where matching delivers what it finds. Calls come in no particular order of time.
class MessageSink {
 public:
  virtual ~MessageSink() = default;
  virtual void OnMessage(const Message& message) = 0;
  virtual void OnBroadcast(const Broadcast& broadcast) = 0;
};

}  // namespace syncline
