// Puts messages together from numbered sends and receives of whole processes, without searching: a
// channel's number and a place in it are a place in memory.
//
// Order of delivery: by clocks of sender and receiver; of each two, in the order in which the later
// end of each message was recorded, and in order of their channel where that is equal.
// Requires: events numbered by MpiNumbering with this pairing. Cost: O(1) per event, and a sort
// where several channels lie between two clocks. Memory: 16 bytes per message, 24 per channel, and
// 48 per message between the two clocks that are being delivered.
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
  void Add(std::span<const NumberedRecord> records);
  // `traces`: of the pairing; `processes`: what its processes are called in messages;
  // `time_of(process, index)`: the local time of an event of it.
  template <typename TimeOf>
  void Deliver(const TraceSet& traces, std::span<const ProcessId> processes, const TimeOf& time_of,
               MessageSink& sink) const {
    sink.Expect(slots_.size());
    std::vector<Message> messages;
    for (const Stretch& stretch : StretchesByClocks(traces)) {
      for (size_t i = stretch.channel.first; i < stretch.channel.first + stretch.channel.size;
           ++i) {
        const auto& [send, receive] = slots_[i];
        if (send == kNone || receive == kNone) continue;
        const auto& [sender, receiver, first, size] = stretch.channel;
        messages.push_back({{sender, send, time_of(sender, send)},
                            {receiver, receive, time_of(receiver, receive)}});
      }
      if (!stretch.is_last) continue;
      DeliverInOrder(messages, traces, processes, sink);
      messages.clear();
    }
  }

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
  // A channel with messages, and whether the next one lies between other clocks.
  struct Stretch {
    Channel channel;
    bool is_last = false;
  };
  std::vector<Stretch> StretchesByClocks(const TraceSet& traces) const;
  static void DeliverInOrder(std::span<Message> messages, const TraceSet& traces,
                             std::span<const ProcessId> processes, MessageSink& sink);

  std::vector<Channel> channels_;  // by number
  std::vector<Slot> slots_;
};

}  // namespace syncline
