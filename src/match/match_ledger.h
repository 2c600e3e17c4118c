// Where matching delivers messages and keeps the books about every packet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "syncline/diagnostics.h"
#include "syncline/message.h"

#include "match/clock_tracks.h"
#include "match/packet_record.h"

namespace syncline {

// What became of every packet that was matched against other captures.
// Each packet has exactly one fate.
enum class PacketFate : uint8_t {
  kMatched,           // part of at least one message
  kBroadcastOnly,     // part of a broadcast whose sender was not captured
  kUnmatchedSend,     // sent, and captured nowhere else
  kUnmatchedReceive,  // received, and captured nowhere else
  kUnmatchedUnknown,  // captured nowhere else, direction unknown
  kAmbiguous,         // equal packets in one capture
  kDirectionUnknown,  // captured elsewhere, but it cannot be told which copy is the sender's
  kSameHost,          // captures of two clocks hold it on the same side
  kSameClock,         // another capture of this clock has the copy that counts
  kOtherHosts,        // between other hosts: flooded or mirrored
  kFragment,
  kUnsupported,  // not TCP, UDP, ICMP or ARP
  kHeaderCut,    // the snap length ended inside the headers
  kMalformed,
};
inline constexpr size_t kPacketFates = 14;

struct FateName {
  std::string_view diagnostic;
  Severity severity = Severity::kInfo;
};
// The diagnostic that counts a fate; empty for those that need none.
FateName NameOf(PacketFate fate);

struct CaptureMatchCounts {
  std::array<uint64_t, kPacketFates> by_fate = {};
  uint64_t& operator[](PacketFate fate) { return by_fate[static_cast<size_t>(fate)]; }
  uint64_t operator[](PacketFate fate) const { return by_fate[static_cast<size_t>(fate)]; }
};

struct PacketMatchCounts {
  uint64_t messages = 0;
  uint64_t broadcasts = 0;
  std::vector<CaptureMatchCounts> captures;
};

// Where a capture comes from. Captures of one host share its clock; messages are only between
// different clocks.
struct CaptureOrigin {
  ProcessId process;
  ClockId clock;
  std::string name = {};  // for diagnostics
};

class MatchLedger {
 public:
  // Lifetime: `sink` and what `origins` points to outlive this object.
  MatchLedger(std::span<const CaptureOrigin> origins, MessageSink& sink);

  ClockId clock(const PacketRecord& record) const { return origins_[record.capture].clock; }
  EventRef Event(const PacketRecord& record) const {
    return {origins_[record.capture].process, record.index(), LocalTime{record.time}};
  }

  // What the messages entered so far tell of the clocks.
  ClockTracks& tracks() { return tracks_; }

  void Message(const PacketRecord& send, const PacketRecord& receive);
  void Broadcast(std::span<const PacketRecord> receives);
  void Fate(uint32_t capture, PacketFate fate, uint64_t packets = 1) {
    counts_.captures[capture][fate] += packets;
  }

  PacketMatchCounts TakeCounts() { return std::exchange(counts_, {}); }

 private:
  std::span<const CaptureOrigin> origins_;
  ClockTracks tracks_;
  MessageSink& sink_;
  PacketMatchCounts counts_;
};

}  // namespace syncline
