// What goes into the logical clock and what comes out of it.
//
// Units: nanoseconds. Sign: after − before ≥ 0, a logical clock only moves events forward.
#pragma once

#include <cstdint>

#include "syncline/id.h"
#include "syncline/time.h"

namespace syncline {

// Which enters of a collective each leave waits for.
enum class CollectiveFlow : uint8_t {
  kNone,             // nobody waits
  kAllToAll,         // every leave for every enter: barrier, allreduce, alltoall, allgather
  kOneToAll,         // every leave for the root's enter: broadcast, scatter
  kAllToOne,         // the root's leave for every enter: reduce, gather
  kPrefix,           // scan: a leave for the enters of lower ranks (its own precedes it anyway)
  kExclusivePrefix,  // exscan: the same
  kFork,             // leaves for the enter of rank 0; the others have no enter
  kJoin,             // the leave of rank 0 for every enter; the others have no leave
};

// Fields that a kind does not use stay at their defaults.
struct LogicalEvent {
  enum class Kind : uint8_t {
    kInternal,
    kSend,
    kBroadcast,  // one transmission with any number of receives
    kReceive,    // of a send or of a broadcast
    kEnterCollective,
    kLeaveCollective,
  };
  GlobalTime time;  // C: before this step
  ProcessId process;
  ProcessId peer;        // send: the receiver; receive: the sender
  uint64_t message = 0;  // send, receive: unique among those under way between the two processes;
                         // broadcast: unique for its sender; collectives: the instance, unique
                         // within the group
  uint64_t bytes = 0;    // for minimum delays that grow with size
  uint64_t tag = 0;      // the caller's own, handed back
  uint32_t group = 0;    // collectives: what LogicalFilter::AddGroup returned
  Kind kind = Kind::kInternal;
  CollectiveFlow flow = CollectiveFlow::kNone;
  bool is_root = false;
  // False for a member that moves no data. Enter: nobody waits for it; leave: it waits for nobody.
  // The filter itself says so of a receive that closes a cycle.
  bool takes_part = true;
};

struct RetimedEvent {
  ProcessId process;
  uint64_t tag = 0;
  GlobalTime before;
  GlobalTime after;
};

// A message whose ends both have their final times. Each leave of a collective that waits for
// somebody counts as the receive of one message, from the latest of the enters it waits for.
struct RetimedMessage {
  enum class Kind : uint8_t { kMessage, kBroadcast, kCollective };
  ProcessId sender;  // collectives: of the enter that is latest before
  ProcessId receiver;
  uint64_t send_tag = 0;
  uint64_t receive_tag = 0;
  GlobalTime send_before;
  GlobalTime send_after;  // collectives: the latest after, perhaps of another member
  GlobalTime receive_before;
  GlobalTime receive_after;
  Duration minimum_delay;
  Kind kind = Kind::kMessage;
};

class RetimedMessageSink {
 public:
  virtual ~RetimedMessageSink() = default;
  virtual void OnMessage(const RetimedMessage& /*message*/) {}
};

// Where the filter delivers.
class LogicalSink : public RetimedMessageSink {
 public:
  // Each process's events in program order; with OutputOrder::kGlobal all in order of `after`
  // (ties: process number).
  virtual void OnEvent(const RetimedEvent& event) = 0;
};

}  // namespace syncline
