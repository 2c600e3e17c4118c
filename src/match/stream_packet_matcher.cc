#include "match/stream_packet_matcher.h"

#include <bit>

#include <fmt/format.h>

#include "base/check.h"
#include "base/try.h"

namespace syncline {
namespace {

constexpr int kPacketIndexBits = 40;  // of a packet's number in PacketMatcher

}  // namespace

// To PacketMatcher, an event's process is its host.
class StreamPacketMatcher::Translator : public MessageSink {
 public:
  Translator(std::span<const Host> hosts, MessageSink& sink) : hosts_(hosts), sink_(sink) {}

  void OnMessage(const Message& message) override {
    sink_.OnMessage({Event(message.send), Event(message.receive)});
  }
  void OnBroadcast(const Broadcast& broadcast) override {
    Broadcast translated;
    for (const EventRef& receive : broadcast.receives) {
      translated.receives.push_back(Event(receive));
    }
    sink_.OnBroadcast(translated);
  }

 private:
  EventRef Event(const EventRef& event) const {
    const Host& host = hosts_[event.process.index()];
    const uint64_t index = event.index & ((uint64_t{1} << host.index_bits) - 1);
    return {host.streams[event.index >> host.index_bits], index, event.time};
  }

  std::span<const Host> hosts_;
  MessageSink& sink_;
};

StreamPacketMatcher::StreamPacketMatcher(const TraceSet& traces, std::span<const ProcessId> streams)
    : hosts_(traces.clocks.size()),
      places_(traces.processes.size()),
      matcher_({}, {.order = PacketOrder::kAny}) {
  for (size_t c = 0; c < hosts_.size(); ++c) hosts_[c].name = traces.clocks[c].name;
  for (const ProcessId process : streams) {
    const ClockId clock = traces.processes[process.index()].clock;
    Host& host = hosts_[clock.index()];
    places_[process.index()] = Place{clock, host.streams.size()};
    host.streams.push_back(process);
  }
  for (Host& host : hosts_) {
    const size_t last = host.streams.empty() ? 0 : host.streams.size() - 1;
    host.index_bits = kPacketIndexBits - static_cast<int>(std::bit_width(last));
  }
}

Result<size_t> StreamPacketMatcher::CaptureOf(ClockId host_number, std::string_view device) {
  Host& host = hosts_[host_number.index()];
  const auto found = host.captures.find(device);
  if (found != host.captures.end()) return found->second;
  if (++captures_ >= kMaxCaptures) {
    return Fail(ErrorCode::kUsage, fmt::format("more than {} network devices", kMaxCaptures - 1));
  }
  const size_t capture =
      matcher_.AddCapture({ProcessId(host_number.value), host_number,
                           device.empty() ? host.name : fmt::format("{} {}", host.name, device)});
  host.captures.emplace(device, capture);
  return capture;
}

Result<void> StreamPacketMatcher::Add(ProcessId process, std::string_view device,
                                      const Packet& packet) {
  const std::optional<Place>& place = places_[process.index()];
  SYNCLINE_CHECK(place.has_value());
  const Host& host = hosts_[place->host.index()];
  if (packet.index >> host.index_bits != 0) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("a stream has more than 2^{} events", host.index_bits));
  }
  SYNCLINE_ASSIGN(auto capture, CaptureOf(place->host, device));
  Packet numbered = packet;
  numbered.index = place->stream << host.index_bits | packet.index;
  return matcher_.Add(capture, numbered);
}

Result<PacketMatchCounts> StreamPacketMatcher::Finish(MessageSink& sink, Diagnostics& diagnostics) {
  Translator translator(hosts_, sink);
  return matcher_.Finish(translator, diagnostics);
}

}  // namespace syncline
