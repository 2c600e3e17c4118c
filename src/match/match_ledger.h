// Where matching delivers messages and keeps the books about every packet.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "syncline/message.h"

#include "match/clock_tracks.h"
#include "match/packet_match_counts.h"
#include "match/packet_record.h"

namespace syncline {

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
