// Puts messages together from numbered sends and receives of whole processes, without searching: a
// channel's number and a place in it are a place in memory.
//
// Order of delivery: by clocks of sender and receiver; of each two, in the order in which the later
// end of each message was recorded, and in order of their channel where that is equal.
// Requires: events numbered by this pairing. Cost: O(1) per event, and a sort
// where several channels lie between two clocks. Memory: 16 bytes per message, 24 per channel, and
// 48 per message between the clocks that are being delivered: some 10^5, or two clocks' messages.
// Tested by: channel_messages_test.cc (against NamedMatcher).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "syncline/clock.h"
#include "syncline/message.h"

#include "base/parallel.h"
#include "match/mpi_matcher.h"
#include "match/mpi_record.h"

namespace syncline {

// Takes messages series by series.
class SeriesSink : public MessageSink {
 public:
  // Several series one after the other, each of messages from one clock to one other. Whoever keeps
  // what it knows of clocks apart may look at some of them side by side.
  virtual void OnSeries(std::span<const std::vector<Message>> series) = 0;
};

class ChannelMessages {
 public:
  explicit ChannelMessages(const MpiPairing& pairing);

  // The events of a process; different ones may be added in different threads. Ignores collectives.
  void Add(std::span<const NumberedRecord> records);
  // Asks `time_of` in several threads. `traces`: of the pairing; `processes`: what its processes
  // are called in messages; `time_of(process, index)`: the local time of an event of it.
  template <typename TimeOf>
  void Deliver(const TraceSet& traces, std::span<const ProcessId> processes, const TimeOf& time_of,
               SeriesSink& sink) const {
    sink.Expect(slots_.size());
    const std::vector<Stretch> stretches = StretchesByClocks(traces);
    for (size_t first = 0; first < stretches.size();) {
      // Those of a few clocks at a time, which are put in order side by side.
      const std::vector<std::span<const Stretch>> some =
          NextOf(std::span(stretches).subspan(first));
      std::vector<std::vector<Message>> messages(some.size());
      ForEachParallel(some.size(), [&](size_t i) {
        messages[i] = MessagesOf(some[i], time_of);
        PutInOrder(messages[i], traces, processes);
      });
      sink.OnSeries(messages);
      for (const std::span<const Stretch> between : some) first += between.size();
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
  // The first of them, by clocks, as many as make a batch.
  static std::vector<std::span<const Stretch>> NextOf(std::span<const Stretch> stretches);
  static void PutInOrder(std::vector<Message>& messages, const TraceSet& traces,
                         std::span<const ProcessId> processes);

  template <typename TimeOf>
  std::vector<Message> MessagesOf(std::span<const Stretch> stretches, const TimeOf& time_of) const {
    std::vector<Message> messages;
    for (const auto& [channel, is_last] : stretches) {
      messages.reserve(messages.size() + channel.size);
      for (size_t i = channel.first; i < channel.first + channel.size; ++i) {
        const auto& [send, receive] = slots_[i];
        if (send == kNone || receive == kNone) continue;
        messages.push_back({{channel.sender, send, time_of(channel.sender, send)},
                            {channel.receiver, receive, time_of(channel.receiver, receive)}});
      }
    }
    return messages;
  }

  std::vector<Channel> channels_;  // by number
  std::vector<Slot> slots_;
};

}  // namespace syncline
