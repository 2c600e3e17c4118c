#include "match/channel_messages.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace syncline {

ChannelMessages::ChannelMessages(const MpiPairing& pairing) {
  size_t slots = 0;
  for (const MpiPairing::PairedChannel& paired : pairing.PairedChannels()) {
    if (paired.number >= channels_.size()) channels_.resize(paired.number + 1);
    channels_[paired.number] = {paired.sender, paired.receiver, 0, paired.messages};
  }
  for (Channel& channel : channels_) {
    channel.first = slots;
    slots += channel.size;
  }
  slots_.resize(slots);
}

void ChannelMessages::Add(std::span<const NumberedRecord> records) {
  for (const NumberedRecord& record : records) {
    if (!record.is_transfer()) continue;
    const uint64_t message = record.message();
    Slot& slot = slots_[channels_[message >> MpiPairing::kSequenceBits].first +
                        (message & (MpiPairing::kMaxSequence - 1))];
    (record.kind() == EventKind::kSend ? slot.send : slot.receive) = record.index();
  }
}

namespace {

// The later end of a message.
struct Completion {
  int64_t ns = 0;
  ProcessId process;
  friend auto operator<=>(const Completion&, const Completion&) = default;
};

}  // namespace

void ChannelMessages::Deliver(const TraceSet& traces, std::span<const ProcessId> processes,
                              const std::function<LocalTime(ProcessId, uint64_t)>& time_of,
                              MessageSink& sink) const {
  sink.Expect(slots_.size());
  const auto clock_of = [&](ProcessId process) { return traces.processes[process.index()].clock; };
  using Place = std::tuple<ClockId, ClockId, size_t>;
  std::vector<Place> places;
  for (size_t i = 0; i < channels_.size(); ++i) {
    if (channels_[i].size == 0) continue;
    places.emplace_back(clock_of(channels_[i].sender), clock_of(channels_[i].receiver), i);
  }
  std::sort(places.begin(), places.end());
  std::vector<std::pair<Completion, Message>> messages;
  const auto add = [&](const Channel& channel) {
    const Clock& from = traces.clocks[clock_of(channel.sender).index()];
    const Clock& to = traces.clocks[clock_of(channel.receiver).index()];
    for (size_t i = channel.first; i < channel.first + channel.size; ++i) {
      const auto& [send, receive] = slots_[i];
      if (send == kNone || receive == kNone) continue;
      const LocalTime sent = time_of(channel.sender, send);
      const LocalTime received = time_of(channel.receiver, receive);
      messages.emplace_back(std::max(Completion{from.NominalNs(sent), channel.sender},
                                     Completion{to.NominalNs(received), channel.receiver}),
                            Message{{processes[channel.sender.index()], send, sent},
                                    {processes[channel.receiver.index()], receive, received}});
    }
  };
  const auto is_earlier = [](const auto& a, const auto& b) { return a.first < b.first; };
  for (size_t i = 0; i < places.size(); ++i) {
    const auto& [from, to, number] = places[i];
    add(channels_[number]);
    const bool is_last = i + 1 == places.size() || std::get<0>(places[i + 1]) != from ||
                         std::get<1>(places[i + 1]) != to;
    if (!is_last) continue;
    if (!std::is_sorted(messages.begin(), messages.end(), is_earlier)) {
      std::stable_sort(messages.begin(), messages.end(), is_earlier);
    }
    for (const auto& [completion, message] : messages) sink.OnMessage(message);
    messages.clear();
  }
}

}  // namespace syncline
