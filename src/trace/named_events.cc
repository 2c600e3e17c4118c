#include "trace/named_events.h"

#include "match/packet_decode.h"
#include "read/pcap/capture_reader.h"
#include "read/text/text_reader.h"

namespace syncline {
namespace {

std::string_view PacketName(const Packet& packet) {
  switch (DecodePacket(packet).protocol) {
    case Protocol::kTcp:
      return "TCP";
    case Protocol::kUdp:
      return "UDP";
    case Protocol::kIcmp:
      return "ICMP";
    case Protocol::kIcmp6:
      return "ICMPv6";
    case Protocol::kArp:
      return "ARP";
    case Protocol::kNone:
      return "packet";
  }
  return "packet";
}

NamedEvent Describe(const LoadedInput& input, const TextReader& reader, const Event& event) {
  const size_t number = event.process.index();
  const bool is_transfer = event.kind == EventKind::kSend || event.kind == EventKind::kReceive;
  const bool is_part =
      event.kind == EventKind::kCollectiveBegin || event.kind == EventKind::kCollectiveEnd;
  NamedEvent named{.event = event,
                   .index = input.first_event[number] + reader.index(),
                   .has_message = is_transfer || is_part || event.kind == EventKind::kBroadcast,
                   .moves_nothing = is_part && !reader.takes_part(),
                   .name = reader.names()[event.name],
                   .group = reader.names()[event.group]};
  named.event.process = input.processes[number];
  if (is_transfer) named.event.peer = input.processes[event.peer.index()];
  return named;
}

Result<void> OfText(const LoadedInput& input, const VisitNamedEvent& visit) {
  auto reader = TextReader::Open(input.input.path);
  if (!reader) return tl::unexpected(reader.error());
  while (const Event* event = reader->Next()) visit(Describe(input, *reader, *event));
  if (reader->error()) return tl::unexpected(*reader->error());
  return {};
}

Result<void> OfCapture(const LoadedInput& input, const VisitNamedEvent& visit) {
  auto reader = CaptureReader::Open(input.input.path);
  if (!reader) return tl::unexpected(reader.error());
  while (const Packet* packet = reader->Next()) {
    visit({.event = {.time = packet->time,
                     .process = input.processes[0],
                     .bytes = packet->original_length},
           .index = packet->index,
           .name = PacketName(*packet)});
  }
  if (reader->error()) return tl::unexpected(*reader->error());
  return {};
}

}  // namespace

Result<void> ForEachNamedEvent(const LoadedInput& input, const VisitNamedEvent& visit) {
  switch (input.input.format) {
    case Format::kText:
      return OfText(input, visit);
    case Format::kCapture:
      return OfCapture(input, visit);
    case Format::kOtf2:
      return ForEachNamedOtf2Event(input, visit);
    case Format::kCtf:
      return ForEachNamedCtfEvent(input, visit);
  }
  return {};
}

}  // namespace syncline
