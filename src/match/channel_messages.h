// Puts messages together from numbered sends and receives of whole processes, without searching: a
// channel's number and a place in it are a place in memory.
//
// Order of delivery: by clocks of sender and receiver; of each two, in the order in which the later
// end of each message was recorded, and in order of their channel where that is equal.
// Requires: events numbered by this pairing. Cost: O(1) per event, and a sort
// where several channels lie between two clocks. Memory: 32 bytes per message, 24 per channel, and
// 48 per message between the clocks that are being delivered: some 10^5, or two clocks' messages.
// Tested by: channel_messages_test.cc (against NamedMatcher).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "syncline/clock.h"
#include "syncline/message.h"

#include "match/mpi_matcher.h"

namespace syncline {

// Takes messages series by series.
class SeriesSink : public MessageSink {
 public:
  // Several series one after the other, each of messages from one clock to one other. Whoever keeps
  // what it knows of clocks apart may look at some of them side by side.
  virtual void OnSeries(std::span<const std::vector<Message>> series) = 0;
};

// A send or a receive as its process knows it.
struct TransferEnd {
  uint64_t message = 0;  // as NumberedRecord has it
  uint64_t index = 0;    // of the event in its process
  LocalTime time;
  bool is_send = false;
};

class ChannelMessages {
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

  // Different ends may be added in different threads. Requires: of a channel that is taken.
  void Add(const TransferEnd& end) {
    Slot& slot = slots_[channels_[end.message >> MpiPairing::kSequenceBits].first +
                        (end.message & (MpiPairing::kMaxSequence - 1))];
    (end.is_send ? slot.send : slot.receive) = {end.index, end.time};
  }

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
  std::vector<Slot> slots_;
};

}  // namespace syncline
