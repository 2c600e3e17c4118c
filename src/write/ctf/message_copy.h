// Babeltrace messages again with other times: the same stream, packet, event class and fields.
//
// This is the one place that makes messages; the writer of traces and the Babeltrace plugin both
// use it. Units: cycles of the stream's default clock.
// Ownership: a copy belongs to the caller, as one reference; nothing is taken of the original.
// Cost: the library's creation of a message, and its fields' depth.
// Tested by: trace_writer_test.cc, plugins/babeltrace2/correct_test.cc.
#pragma once

#include <cstdint>
#include <optional>

#include <babeltrace2/babeltrace.h>

namespace syncline::ctf_write {

// The times of one Babeltrace message, in cycles of its stream's clock.
//
// Discarded events and packets have two times, other messages one, which is both.
struct MessageTimes {
  uint64_t first = 0;
  uint64_t last = 0;
  friend bool operator==(const MessageTimes&, const MessageTimes&) = default;
};

// What of a stream's messages has times.
struct StreamShape {
  bool has_clock = false;
  bool has_packets = false;
  bool packet_beginnings = false;
  bool packet_ends = false;
  bool discarded_events = false;
  bool discarded_packets = false;
};
StreamShape ShapeOf(const bt_stream* stream);

// nullptr for messages of the iterator itself.
const bt_stream* StreamOf(const bt_message* message);

// Nothing where the message has none. `shape` is its stream's.
std::optional<MessageTimes> TimesOf(const bt_message* message, const StreamShape& shape);

// The copy; nullptr where memory is short. Requires that TimesOf() gave times.
const bt_message* CopyMessage(bt_self_message_iterator* maker, const bt_message* message,
                              const StreamShape& shape, MessageTimes times);

}  // namespace syncline::ctf_write
