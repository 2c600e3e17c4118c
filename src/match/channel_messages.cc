#include "match/channel_messages.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/parallel.h"

namespace syncline {

ChannelMessages::ChannelMessages(const MpiPairing& pairing, const Choice& takes) {
  for (const MpiPairing::PairedChannel& paired : pairing.PairedChannels()) {
    if (!takes(paired.sender, paired.receiver)) continue;
    if (paired.number >= channels_.size()) channels_.resize(paired.number + 1);
    channels_[paired.number] = {
        .sender = paired.sender, .receiver = paired.receiver, .messages = paired.messages};
  }
}

void ChannelMessages::Add(const ChannelEnds& ends) {
  for (const ChannelEnds::Run& run : ends.runs()) {
    if (run.channel >= channels_.size() || channels_[run.channel].messages == 0) continue;
    Add(run.channel, run.is_send, ends.BytesOf(run));
  }
}

namespace {

const Clock& ClockOf(const TraceSet& traces, ProcessId process) {
  return traces.clocks[traces.processes[process.index()].clock.index()];
}

// The later end of a message.
std::pair<int64_t, ProcessId> Completion(const TraceSet& traces, const Message& m) {
  const auto end = [&](const EventRef& event) {
    return std::pair(ClockOf(traces, event.process).NominalNs(event.time), event.process);
  };
  return std::max(end(m.send), end(m.receive));
}

void PutInOrder(std::vector<Message>& messages, const TraceSet& traces) {
  const auto is_earlier = [&](const Message& a, const Message& b) {
    return Completion(traces, a) < Completion(traces, b);
  };
  // Nearly always they are: a single channel.
  if (std::ranges::is_sorted(messages, is_earlier)) return;
  std::ranges::stable_sort(messages, is_earlier);
}

}  // namespace

std::vector<ChannelMessages::Stretch> ChannelMessages::StretchesByClocks(
    const TraceSet& traces) const {
  const auto clock_of = [&](ProcessId process) { return traces.processes[process.index()].clock; };
  using Place = std::tuple<ClockId, ClockId, size_t>;
  std::vector<Place> places;
  for (size_t i = 0; i < channels_.size(); ++i) {
    if (channels_[i].messages == 0) continue;
    places.emplace_back(clock_of(channels_[i].sender), clock_of(channels_[i].receiver), i);
  }
  std::ranges::sort(places);
  std::vector<Stretch> stretches;
  for (size_t i = 0; i < places.size(); ++i) {
    const auto& [from, to, number] = places[i];
    const bool is_last = i + 1 == places.size() || std::get<0>(places[i + 1]) != from ||
                         std::get<1>(places[i + 1]) != to;
    stretches.push_back({channels_[number], is_last});
  }
  return stretches;
}

std::vector<Message> ChannelMessages::MessagesOf(std::span<const Stretch> stretches) const {
  uint64_t count = 0;
  for (const Stretch& stretch : stretches) count += stretch.channel.messages;
  std::vector<Message> messages;
  messages.reserve(count);
  for (const auto& [channel, is_last] : stretches) {
    EndReader sends(channel.sends);
    EndReader receives(channel.receives);
    for (uint64_t i = 0; i < channel.messages; ++i) {
      const TransferEnd send = sends.Take();
      const TransferEnd receive = receives.Take();
      messages.push_back({{channel.sender, send.index, send.time},
                          {channel.receiver, receive.index, receive.time}});
    }
  }
  return messages;
}

std::vector<std::vector<Message>> ChannelMessages::Reader::Next() {
  constexpr size_t kBatch = 100'000;  // messages
  std::vector<std::span<const Stretch>> between;
  size_t expected = 0;
  for (size_t i = first_; i < stretches_.size() && expected < kBatch; ++i) {
    expected += stretches_[i].channel.messages;
    if (!stretches_[i].is_last) continue;
    between.push_back(std::span(stretches_).subspan(first_, i + 1 - first_));
    first_ = i + 1;
  }
  std::vector<std::vector<Message>> messages(between.size());
  ForEachParallel(between.size(), [&](size_t i) {
    messages[i] = messages_.MessagesOf(between[i]);
    PutInOrder(messages[i], traces_);
  });
  return messages;
}

}  // namespace syncline
