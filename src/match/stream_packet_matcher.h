// Packets from traces in which a host's packets are spread over several streams, one per processor
// say, and were seen at several devices → messages and broadcasts.
//
// What PacketMatcher calls a capture is here a device of a host, over all its streams: so a packet
// that a host sends twice is recognised whichever processors recorded it, and of the copies that
// pass a bridge or a bond on their way the one nearest to the wire counts.
// Requires: every packet says its direction, and holds headers only, so that no survey is needed.
// Errors: as PacketMatcher's, and kUnsupported for more events in a stream than its number can
// hold: 2^40 divided by the number of streams of its host. Ownership: packets are not kept.
// Cost: PacketMatcher's. Tested by: stream_packet_matcher_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "syncline/clock.h"
#include "syncline/diagnostics.h"
#include "syncline/message.h"
#include "syncline/packet.h"
#include "syncline/result.h"

#include "match/packet_matcher.h"

namespace syncline {

class StreamPacketMatcher {
 public:
  // The processes of all streams, with their clocks; others give no packets. Clocks are hosts.
  // Packets may come in any order, a different one in every run too.
  StreamPacketMatcher(const TraceSet& traces, std::span<const ProcessId> streams);

  // Requires a process of the constructor's; packet.index is the event's number in it.
  Result<void> Add(ProcessId process, std::string_view device, const Packet& packet);
  // The matcher is used up afterwards. Counts of captures are those of devices, in order of their
  // first packets.
  Result<PacketMatchCounts> Finish(MessageSink& sink, Diagnostics& diagnostics);

 private:
  // Streams of one host are numbered, and an event's number holds its stream's above its own.
  struct Host {
    std::string name;
    std::vector<ProcessId> streams;
    std::map<std::string, size_t, std::less<>> captures;  // by device
    int index_bits = 0;
  };
  struct Place {
    ClockId host;
    uint64_t stream = 0;
  };
  class Translator;

  Result<size_t> CaptureOf(ClockId host, std::string_view device);

  std::vector<Host> hosts_;                   // by clock
  std::vector<std::optional<Place>> places_;  // by process
  size_t captures_ = 0;
  PacketMatcher matcher_;
};

}  // namespace syncline
