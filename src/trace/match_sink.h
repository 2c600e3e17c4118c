// Hands matched messages to the store and, between different clocks, to the pair's hulls.
//
// Requires: messages of processes that the traces know. Lifetime: both outlive the sink. Cost: one
// look-up per message, of its two clocks; series are taken side by side in several threads.
// Tested by: by the commands.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "syncline/message.h"

#include "match/channel_messages.h"
#include "match/message_store.h"
#include "trace/load.h"

namespace syncline {

class MatchSink : public SeriesSink {
 public:
  MatchSink(LoadedTraces& loaded, MessageStore& store) : loaded_(loaded), store_(store) {}

  void OnMessage(const Message& message) override;
  void OnSeries(std::span<const std::vector<Message>> series) override;
  void OnBroadcast(const Broadcast& broadcast) override { store_.OnBroadcast(broadcast); }

 private:
  using ClockPair = std::pair<ClockId, ClockId>;
  using PairSeries = std::vector<const std::vector<Message>*>;

  std::map<ClockPair, PairSeries> ByPair(std::span<const std::vector<Message>> series) const;
  void AddTo(PairPoints& points, std::span<const Message> messages) const;
  PairPoints& PairOf(ClockId a, ClockId b);

  LoadedTraces& loaded_;
  MessageStore& store_;
  absl::flat_hash_map<ClockPair, PairPoints*> pairs_;  // those of loaded_ that were looked up
  // Packets come in runs of one pair.
  ClockPair last_key_;
  PairPoints* last_ = nullptr;
};

}  // namespace syncline
