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

}  // namespace

std::vector<ChannelMessages::Stretch> ChannelMessages::StretchesByClocks(
    const TraceSet& traces) const {
  const auto clock_of = [&](ProcessId process) { return traces.processes[process.index()].clock; };
  using Place = std::tuple<ClockId, ClockId, size_t>;
  std::vector<Place> places;
  for (size_t i = 0; i < channels_.size(); ++i) {
    if (channels_[i].size == 0) continue;
    places.emplace_back(clock_of(channels_[i].sender), clock_of(channels_[i].receiver), i);
  }
  std::sort(places.begin(), places.end());
  std::vector<Stretch> stretches;
  for (size_t i = 0; i < places.size(); ++i) {
    const auto& [from, to, number] = places[i];
    const bool is_last = i + 1 == places.size() || std::get<0>(places[i + 1]) != from ||
                         std::get<1>(places[i + 1]) != to;
    stretches.push_back({channels_[number], is_last});
  }
  return stretches;
}

std::vector<std::span<const ChannelMessages::Stretch>> ChannelMessages::NextOf(
    std::span<const Stretch> stretches) {
  constexpr size_t kBatch = 100'000;  // messages
  std::vector<std::span<const Stretch>> between;
  size_t messages = 0;
  size_t first = 0;
  for (size_t i = 0; i < stretches.size() && messages < kBatch; ++i) {
    if (!stretches[i].is_last) continue;
    between.push_back(stretches.subspan(first, i + 1 - first));
    for (const Stretch& stretch : between.back()) messages += stretch.channel.size;
    first = i + 1;
  }
  return between;
}

void ChannelMessages::PutInOrder(std::vector<Message>& messages, const TraceSet& traces,
                                 std::span<const ProcessId> processes) {
  const auto is_earlier = [&](const Message& a, const Message& b) {
    return Completion(traces, a) < Completion(traces, b);
  };
  // Nearly always they are: a single channel.
  if (!std::is_sorted(messages.begin(), messages.end(), is_earlier)) {
    std::stable_sort(messages.begin(), messages.end(), is_earlier);
  }
  for (Message& message : messages) {
    message.send.process = processes[message.send.process.index()];
    message.receive.process = processes[message.receive.process.index()];
  }
}

}  // namespace syncline
