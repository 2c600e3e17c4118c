// Puts messages together from numbered sends and receives of whole processes, without searching: a
// channel's number and a place in it are a place in memory.
//
// Order of delivery: by clocks of sender and receiver; of each two, in the order in which the later
// end of each message was recorded, and in order of their channel where that is equal.
// Requires: events numbered by MpiNumbering with this pairing. Cost: O(1) per event, and a sort
// where several channels lie between two clocks. Memory: 32 bytes per message, 24 per channel.
// Tested by: channel_messages_test.cc (against NamedMatcher).
#pragma once

#include <cstdint>
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
  template <typename TimeOf>
  void Add(std::span<const NumberedRecord> records, const TimeOf& time_of) {
    for (const NumberedRecord& record : records) {
      if (!record.is_transfer()) continue;
      Slot& slot = SlotOf(record.message());
      End& end = record.kind() == EventKind::kSend ? slot.send : slot.receive;
      end = {record.index(), time_of(record.index())};
    }
  }
  // `traces`: of the pairing; `processes`: what its processes are called in messages.
  void Deliver(const TraceSet& traces, std::span<const ProcessId> processes,
               MessageSink& sink) const;

 private:
  static constexpr uint64_t kNone = UINT64_MAX;
  struct End {
    uint64_t index = kNone;
    LocalTime time;
  };
  struct Slot {
    End send;
    End receive;
  };
  struct Channel {
    ProcessId sender;
    ProcessId receiver;
    size_t first = 0;
    size_t size = 0;
  };
  Slot& SlotOf(uint64_t message) {
    return slots_[channels_[message >> MpiPairing::kSequenceBits].first +
                  (message & (MpiPairing::kMaxSequence - 1))];
  }

  std::vector<Channel> channels_;  // by number
  std::vector<Slot> slots_;
};

}  // namespace syncline
