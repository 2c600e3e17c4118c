// Puts messages together from the sends and receives of whole processes: the n-th send of a channel
// and its n-th receive are a message.
//
// Order of delivery: by clocks of sender and receiver; of each two, in the order in which the later
// end of each message was recorded, and in order of their channel where that is equal.
// Requires: channels numbered by this pairing. Cost: O(1) per event, and a sort where several
// channels lie between two clocks. Memory: 120 bytes per channel, and 48 per message between the
// clocks that are being delivered: some 10^5, or two clocks' messages.
// Tested by: channel_messages_test.cc (against NamedMatcher).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "syncline/clock.h"
#include "syncline/message.h"

#include "match/channel_ends.h"
#include "match/mpi_matcher.h"

namespace syncline {

// Takes messages series by series.
class SeriesSink : public MessageSink {
 public:
  // Several series one after the other, each of messages from one clock to one other. Whoever keeps
  // what it knows of clocks apart may look at some of them side by side.
  virtual void OnSeries(std::span<const std::vector<Message>> series) = 0;
};

class ChannelMessages {
  struct Channel {
    ProcessId sender;
    ProcessId receiver;
    uint64_t messages = 0;
    std::span<const std::byte> sends;
    std::span<const std::byte> receives;
  };
  // A channel with messages, and whether the next one lies between other clocks.
  struct Stretch {
    Channel channel;
    bool is_last = false;
  };

 public:
  using Choice = std::function<bool(ProcessId sender, ProcessId receiver)>;
  explicit ChannelMessages(const MpiPairing& pairing)
      : ChannelMessages(pairing, [](ProcessId, ProcessId) { return true; }) {}
  // Of the channels of these processes alone: all between the same clocks, or none.
  ChannelMessages(const MpiPairing& pairing, const Choice& takes);

  // All sends, or all receives, of a channel, as an EndWriter wrote them in order of their numbers,
  // which must outlive the readers. Requires: the channel is taken.
  void Add(uint64_t channel, bool is_send, std::span<const std::byte> ends) {
    (is_send ? channels_[channel].sends : channels_[channel].receives) = ends;
  }
  // Those of a process that are of channels which are taken.
  void Add(const ChannelEnds& ends);

  // The messages between each two clocks that exchanged some, in the order of delivery. As many at
  // once as make a batch, which several threads put in order; empty at the end.
  class Reader {
   public:
    // `traces`: of the pairing. Both must outlive the reader.
    Reader(const ChannelMessages& messages, const TraceSet& traces)
        : messages_(messages), traces_(traces), stretches_(messages.StretchesByClocks(traces)) {}
    std::vector<std::vector<Message>> Next();

   private:
    const ChannelMessages& messages_;
    const TraceSet& traces_;
    std::vector<Stretch> stretches_;
    size_t first_ = 0;
  };

 private:
  std::vector<Stretch> StretchesByClocks(const TraceSet& traces) const;
  std::vector<Message> MessagesOf(std::span<const Stretch> stretches) const;

  std::vector<Channel> channels_;  // by number
};

}  // namespace syncline
