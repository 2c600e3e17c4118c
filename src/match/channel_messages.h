// Puts messages together from numbered sends and receives of whole processes, without searching: a
// channel's number and a place in it are a place in memory.
//
// Order of delivery: by clocks of sender and receiver; of each two, in the order in which the later
// end of each message was recorded, and in order of their channel where that is equal.
// Requires: events numbered by MpiNumbering with this pairing. Cost: O(1) per event, and a sort
// where several channels lie between two clocks. Memory: 16 bytes per message, 24 per channel, and
// 80 per message between the two clocks that are being delivered.
// Tested by: channel_messages_test.cc (against NamedMatcher).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "syncline/clock.h"
#include "syncline/message.h"

#include "match/mpi_matcher.h"
#include "match/mpi_record.h"

namespace syncline {

class ChannelMessages {
 public:
  explicit ChannelMessages(const MpiPairing& pairing);

  // The events of a process; different ones may be added in different threads. Ignores collectives.
  void Add(std::span<const NumberedRecord> records);
  // `traces`: of the pairing; `processes`: what its processes are called in messages;
  // `time_of(process, index)`: of its events.
  void Deliver(const TraceSet& traces, std::span<const ProcessId> processes,
               const std::function<LocalTime(ProcessId, uint64_t)>& time_of,
               MessageSink& sink) const;

 private:
  static constexpr uint64_t kNone = UINT64_MAX;
  // The numbers of both events in their processes.
  struct Slot {
    uint64_t send = kNone;
    uint64_t receive = kNone;
  };
  struct Channel {
    ProcessId sender;
    ProcessId receiver;
    size_t first = 0;
    size_t size = 0;
  };

  std::vector<Channel> channels_;  // by number
  std::vector<Slot> slots_;
};

}  // namespace syncline
