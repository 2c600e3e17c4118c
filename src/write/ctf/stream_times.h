// The times that the messages of one CTF stream get: those of events from a retimer, those of
// packets so that they fit between the events.
//
// In the stream that comes out no time is before its predecessor. An event gets its corrected time;
// only where that is before the event ahead of it, it is raised to that one's time, and counted.
// The begin or end of a packet gets its own corrected time, moved where necessary between the
// events around it; so the end of a packet is known when the next event is. Ranges of discarded
// events and packets keep the packets' times that CTF 1.8 derives them from: events were lost from
// the end of the packet before (of the first packet: from its beginning) to the end of the packet
// that follows, packets from the end of one to the beginning of the next. Units: cycles in,
// nanoseconds since `origin_ns` out. Ownership: messages are handed through, not looked at. Cost:
// O(1) per message. Memory: the messages between two events, and a packet where discarded events
// precede it. Tested by: stream_times_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "syncline/time.h"

#include "base/int128.h"
#include "write/ctf/ctf_retimer.h"
#include "write/ctf/message_copy.h"

struct bt_message;

namespace syncline::ctf_write {

struct StreamItem {
  enum class Kind : uint8_t {
    kEvent,
    kPacketBeginning,
    kPacketEnd,
    kDiscardedEvents,
    kDiscardedPackets,
    kOtherTime,  // the stream's own beginning and end
    kUntimed,
  };
  Kind kind = Kind::kUntimed;
  const bt_message* message = nullptr;
  // Cycles, as recorded and, once known, as written; both the same but for what was discarded.
  MessageTimes recorded;
  MessageTimes written;
};

struct StreamFigures {
  uint64_t events = 0;
  uint64_t raised = 0;  // events that had to wait for the one before
  int64_t largest_raise_ns = 0;
  // How far the earliest time lies before the origin; such times become 0.
  int64_t before_origin_ns = 0;

  void Merge(const StreamFigures& other);
};

class StreamTimes {
 public:
  StreamTimes(CtfRetimer& retimer, Int128 origin_ns) : retimer_(retimer), origin_ns_(origin_ns) {}

  // In the stream's order.
  void Add(const StreamItem& item);
  // Retimes the events added so far. Without it they wait for the next message that is none.
  void Flush();
  // After the last message.
  void Finish();
  // The next item whose times are known, in the order in which they were added.
  std::optional<StreamItem> Take();
  // The same whether its times are known or not, to give its message back.
  std::optional<StreamItem> Drop();

  const StreamFigures& figures() const { return figures_; }

 private:
  struct Waiting {
    StreamItem item;
    bool is_known = false;
  };
  GlobalTime Between(uint64_t cycles, GlobalTime limit);
  uint64_t ToCycles(GlobalTime time);
  void ResolveBoundaries(GlobalTime limit);
  void ResolveBoundary(size_t position, GlobalTime limit);
  StreamItem Forget();
  void CloseRanges(std::vector<size_t>& positions, uint64_t cycles);
  Waiting& At(size_t position) { return waiting_[position - popped_]; }

  CtfRetimer& retimer_;
  Int128 origin_ns_;
  // Positions count all items of the stream; waiting_[head_] is the next to be taken.
  std::vector<Waiting> waiting_;
  size_t head_ = 0;
  size_t popped_ = 0;      // the position of waiting_[0]
  size_t boundaries_ = 0;  // the position of the first item after the latest retimed event
  size_t events_ = 0;      // how many events at the end of waiting_ are not retimed
  GlobalTime latest_ = {INT64_MIN};
  std::optional<uint64_t> packet_end_;          // written
  std::vector<size_t> events_await_beginning_;  // ranges before the first packet
  std::vector<size_t> events_await_end_;
  std::vector<size_t> packets_await_beginning_;
  std::vector<uint64_t> cycles_;
  std::vector<GlobalTime> corrected_;
  StreamFigures figures_;
};

}  // namespace syncline::ctf_write
